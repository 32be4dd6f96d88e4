#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""usage: add_release.py BOCHNER RELEASE: makes tests/archive/RELEASE with a small file of every kind that this bochner
saves and what it answers, for later versions to read (tests/cli/releases_test.py). Run it once for each release, by the
program that was released; a folder that is there is never changed."""

import json
import math
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent

# Numbers and text, missing cells, classes and values; `id` tells sequences apart.
def table(rows, first):
    lines = ["id,a,b,c,kind,y"]
    for i in range(first, first + rows):
        a, b = round(math.sin(0.7 * i) * 3, 3), round(math.cos(1.3 * i) + i % 5, 3)
        cell = "" if i % 17 == 3 else f"{i * i % 23}"
        kind = "pqr"[int(a + b) % 3]
        lines.append(f"{i // 8},{a},{b},{cell},{kind},{round(a * b + i % 3, 3)}")
    return "\n".join(lines) + "\n"


DOCUMENTS = "a storm at sea\nthe calm sea\nsnow on the hills\nthe storm and the snow\n"
SMALL = ("--features", "16", "--bandwidth", "1")
VALUES, KINDS = ("--target", "y", "--ignore", "id,kind"), ("--target", "kind", "--ignore", "id,y")
PREDICT, TRANSFORM = ("predict", "{file}", "new.csv"), ("transform", "{file}", "new.csv", "-o", "-")

# file, the words that make it, the words that ask it: of several commands the last one answers
FILES = [
    ("ridge.model", ("train", "rows.csv", *VALUES, *SMALL, "--map", "fourier", "--calibrate"),
     (*PREDICT, "--interval", "0.9")),
    ("deviation.model", ("train", "rows.csv", *VALUES, *SMALL, "--map", "nystroem", "--deviation"),
     (*PREDICT, "--deviation")),
    ("shifted.model", ("train", "rows.csv", *VALUES, *SMALL, "--map", "fourier:form=shifted", "--precision", "double"),
     PREDICT),
    ("svm.model", ("train", "rows.csv", *KINDS, *SMALL, "--map", "fourier", "--learner", "svm"), (*PREDICT, "--scores")),
    ("logistic.model", ("train", "rows.csv", *KINDS, *SMALL, "--map", "none", "--learner", "logistic"),
     (*PREDICT, "--probabilities")),
    ("automatic.model", ("train", "rows.csv", *KINDS, "--effort", "fast"), (*PREDICT, "--probabilities")),
    ("bins.model", ("train", "rows.csv", *VALUES, "--map", "binning:order=1-2", "--features", "12"), PREDICT),
    ("both.model", ("train", "rows.csv", *VALUES, *SMALL, "--map", "fourier+binning"), PREDICT),
    ("nystroem.model", ("train", "rows.csv", *KINDS, *SMALL, "--map", "nystroem"), (*PREDICT, "--scores")),
    ("knn.model", ("train", "rows.csv", *KINDS, "--learner", "knn", "--bandwidth", "1"), (*PREDICT, "--scores")),
    ("gmm.model", ("gmm", "rows.csv", *KINDS, "--components", "2"), (*PREDICT, "--scores")),
    ("hmm.model", ("hmm", "rows.csv", "--sequence", "id", "--ignore", "kind,y", "--states", "2"), PREDICT),
    ("kmeans.model", ("kmeans", "rows.csv", "--ignore", "id,kind,y", "--clusters", "3"), (*PREDICT, "--scores")),
    ("pca.model", ("pca", "rows.csv", "--ignore", "id,kind,y", "--rank", "2"), TRANSFORM),
    ("svd.model", ("svd", "rows.csv", "--ignore", "id,kind,y", "--rank", "2"), TRANSFORM),
    ("lda.model", ("lda", "rows.csv", *KINDS), TRANSFORM),
    ("cca.model", ("cca", "rows.csv", "--target", "y,b", "--ignore", "id,kind"), TRANSFORM),
    ("anomaly.model", ("anomaly", "rows.csv", "--ignore", "id,kind,y"), TRANSFORM),
    ("embedding.model", ("embed", "rows.csv", "--ignore", "id,kind,y", *SMALL), TRANSFORM),
    ("project.model", ("project", "rows.csv", "--ignore", "id,kind,y", "--dims", "2"), TRANSFORM),
    ("words.text", ("text", "docs.txt", "-o", "words.svm", "--save", "words.text"),
     (("text", "docs.txt", "--model", "{file}", "-o", "words.npy"),
      ("index", "words.npy", "--metric", "cosine", "--no-texts", "-o", "answer.index"),
      ("neighbors", "answer.index", "words.npy", "-k", "3"))),
    ("part.counts", ("text", "docs.txt"),
     (("text", "docs.txt", "--counts", "{file}", "-o", "words.npy"),
      ("index", "words.npy", "--metric", "cosine", "--no-texts", "-o", "answer.index"),
      ("neighbors", "answer.index", "words.npy", "-k", "3"))),
    ("rows.index", ("index", "rows.csv", "--ignore", "id,kind,y"), ("neighbors", "{file}", "new.csv", "-k", "3")),
    ("bytes.index", ("index", "rows.csv", "--ignore", "id,kind,y", "--bytes"),
     ("neighbors", "{file}", "new.csv", "-k", "3")),
    ("words.index", ("index", "words.svm", "--metric", "cosine"), ("retrieve", "{file}", "a storm", "--json")),
    ("survey.sum", ("accumulate", "rows.csv", *VALUES), ("inspect", "{file}")),
    ("gram.sum", ("accumulate", "rows.csv", "--spec", "survey.sum", *SMALL),
     (("solve", "{file}", "--lambda", "0.01", "-o", "answer.model"), ("predict", "answer.model", "new.csv"))),
    ("moments.sum", ("svd", "rows.csv", "--ignore", "id,kind,y,c", "--missing", "error", "--moments"),
     ("inspect", "{file}")),
    ("sketch.sum", ("svd", "rows.csv", "--spec", "moments.sum", "--rank", "2"),
     (("solve", "{file}", "-o", "answer.model"), ("transform", "answer.model", "new.csv", "-o", "-"))),
]


def main(program, release):
    folder = FOLDER / release
    folder.mkdir()
    program = pathlib.Path(program).resolve()

    def run(*words):
        ended = subprocess.run([program, *words, "--quiet"], cwd=folder, capture_output=True, text=True)
        if ended.returncode != 0:
            sys.exit(f"{' '.join(words)}: {ended.stderr}")
        return ended.stdout

    (folder / "rows.csv").write_text(table(208, 0))
    (folder / "new.csv").write_text(table(24, 208))
    (folder / "docs.txt").write_text(DOCUMENTS)
    answers = []
    for file, make, ask in FILES:
        run(*make, *(() if "-o" in make else ("-o", file)))
        asks = [[word.replace("{file}", file) for word in words] for words in ([ask] if isinstance(ask[0], str) else ask)]
        answers.append({"file": file, "asks": asks, "answer": [run(*words) for words in asks][-1]})
    keep = {"rows.csv", "new.csv", "docs.txt", *(file for file, _, _ in FILES)}
    for made in folder.iterdir():
        if made.name not in keep:
            made.unlink()
    (folder / "answers.json").write_text(json.dumps(answers, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
