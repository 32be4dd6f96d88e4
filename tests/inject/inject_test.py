# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Commands in which one call of the system fails: an allocation, a write, a sync, a rename, an open, a thread.

failing_calls.c makes the k-th call of a kind fail once (k) or from then on (k+). Whatever fails, the command ends with
an exit code of the documentation and one line, or does its work; the old output or the whole new one is there and no
other file; and a training goes on with --resume to the same bytes.

BOCHNER_INJECT=N tries N points of each kind of call in each command; without it a few. `make inject` takes 14."""

import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))
from command import COMMAND  # noqa: E402
from command_table import FEW, FILES, kitchen  # noqa: E402

LIBRARY = os.environ["BOCHNER_FAILING_CALLS"]
POINTS = int(os.environ.get("BOCHNER_INJECT", 0))
FEW_POINTS = 150  # points over all scenes, if BOCHNER_INJECT is not set
SECONDS = 60
OLD = b"an older result"
KINDS = ("malloc", "mmap", "open", "read", "write", "message", "sync", "close", "rename", "thread")
CHECKPOINT = ("--checkpoint-seconds", "0")
# A command and its words; the file it writes is the last one.
SCENES = {
    "ridge": ("train", "rows.csv", "-t", "y", *FEW, *CHECKPOINT, "-o", "out.model"),
    "cg": ("train", "rows.csv", "-t", "y", *FEW, "--solver", "cg", *CHECKPOINT, "-o", "out.model"),
    "automatic": ("train", "many.csv", "-t", "y", "--effort", "fast", *CHECKPOINT, "-o", "out.model"),
    "classes": ("train", "classes.csv", "-t", "class", "--learner", "logistic", *FEW, *CHECKPOINT, "-o", "out.model"),
    "bins": ("train", "rows.csv", "-t", "y", "--map", "binning:sweeps=3", "--features", "8", *CHECKPOINT, "-o", "out.model"),
    "gmm": ("gmm", "rows.csv", "--ignore", "y", "--components", "2", *CHECKPOINT, "-o", "out.model"),
    "hmm": ("hmm", "sequences.csv", "--sequence", "sequence", "--states", "2", *CHECKPOINT, "-o", "out.model"),
    "kmeans": ("kmeans", "rows.csv", "-t", "y", "--clusters", "3", *CHECKPOINT, "-o", "out.model"),
    "svd": ("svd", "rows.csv", "-t", "y", "--rank", "2", *CHECKPOINT, "-o", "out.model"),
    "predict": ("predict", "rows.model", "new.csv", "-o", "out.csv.gz"),
    "transform": ("transform", "rows.model", "new.csv", "-o", "out.npy"),
    "report": ("report", "rows.model", "new.csv", "-o", "out.html"),
    "drift": ("drift", "rows.csv", "new.csv", "--permutations", "20", "-o", "out.html"),
    "reduce": ("reduce", "rows.csv", "--points", "4", "-o", "out.csv"),
    "sample": ("sample", "mixture.model", "--rows", "20", "-o", "out.csv"),
    "text": ("text", "docs.txt", "-o", "out.svm"),
    "index": ("index", "rows.csv", "-t", "y", "-o", "out.index"),
    "words": ("index", "docs.svm", "--metric", "cosine", "--text", "docs.svm.text", "-o", "out.index"),
    "neighbors": ("neighbors", "rows.index", "new.csv", "-k", "2", "-o", "out.csv"),
    "graph": ("graph", "rows.csv", "-t", "y", "-k", "2", "-o", "out.csv"),
    "accumulate": ("accumulate", "rows.csv", "--spec", "a.survey", "--features", "16", "--bandwidth", "1", "-o", "out.sum"),
    "merge": ("merge", "a.survey", "b.survey", "-o", "out.survey"),
    "solve": ("solve", "rows.sum", "-o", "out.model"),
}
IDLE = ("dims", "--epsilon", "0.1")  # does next to nothing
WITHOUT_THREADS = ("sample", "merge", "dims")


class Scene:
    """One command in a folder of its own, run again and again from the same files."""

    def __init__(self, name, folder):
        self.name, self.folder, self.words = name, folder, list(SCENES.get(name, IDLE))
        if self.words[0] not in WITHOUT_THREADS:
            self.words += ["--threads", "2"]
        self.output = self.words[self.words.index("-o") + 1] if "-o" in self.words else "none"
        self.inputs = [word for word in self.words if word in FILES]
        self.resumes = CHECKPOINT[0] in self.words
        counts = self.folder.parent / "counts"
        code, errors = self.run({"BOCHNER_FAIL_COUNTS": str(counts)})
        assert code == 0, f"{name}: {errors}"
        self.expected = self.contents()
        self.counts = {kind: int(count) for kind, count in (line.split() for line in counts.read_text().splitlines())}

    def lay_out(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for name in self.inputs:
            shutil.copy(pathlib.Path(kitchen().name) / name, self.folder)
        (self.folder / self.output).write_bytes(OLD)

    def contents(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def run(self, environment, *more):
        """Exit code (None: did not end) and stderr. The files are laid out anew unless more words are given."""
        if not more:
            self.lay_out()
        try:
            done = subprocess.run([COMMAND, *self.words, "--quiet", *more], cwd=self.folder, timeout=SECONDS,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  env={**os.environ, "LD_PRELOAD": LIBRARY, **environment})
            return done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            return None, b""

    def faults(self, point):
        """What is wrong after a run in which a call failed; "" if nothing is."""
        code, errors = self.run({"BOCHNER_FAIL": point})
        if code not in (0, 1, 2, 3):
            return f"exit {code}, {errors.decode(errors='replace')}"
        said = errors.count(b"\n") == 1 and errors.startswith(b"bochner: ")
        if not said and (code != 0 or errors) and not point.startswith("message"):
            return f"exit {code} with these lines: {errors.decode(errors='replace')}"
        self.killed = point.startswith("malloc")  # where nothing may throw: as by kill -9, whose lock holds nothing
        # A checkpoint that cannot be looked at may be somebody else's, and is not removed.
        kept = self.resumes and (code != 0 or point.startswith(("open", "read")))
        return self.wrong_files(code, kept) or (self.wrong_after_resume() if self.resumes and code != 0 else "")

    def wrong_files(self, code, kept):
        found = self.contents()
        before = {name: content for name, content in self.expected.items() if name in self.inputs}
        for name, content in before.items():
            if found.pop(name, None) != content:
                return f"exit {code}: the input {name} has changed"
        result = found.pop(self.output, None)
        if result != self.expected[self.output] and (code == 0 or result != OLD):
            return f"exit {code}: {self.output} is neither what it was nor what it should be"
        ours = {name for name in self.expected if name not in before}  # such as out.svm.text
        left = {self.output + ".checkpoint" + end for end in ("", ".state", ".lock" if self.killed else "")} if kept else set()
        if set(found) - ours - left:
            return f"exit {code}: left behind {sorted(set(found) - ours - left)}"
        return ""

    def wrong_after_resume(self):
        code, errors = self.run({}, "--resume")
        if code != 0:
            return f"--resume: exit {code}, {errors.decode(errors='replace')}"
        return "" if self.contents() == self.expected else f"--resume: other files, {sorted(self.contents())}"


def chosen_points(first, last, most, draw):
    """At most so many calls from the first to the last: these two, and one from each stretch between."""
    count = last - first + 1
    if count <= most:
        return list(range(first, last + 1))
    return sorted({first, last, *(first + (i * count + draw.randrange(count)) // most for i in range(most))})


def points_of(scene, most, idle, draw):
    """KIND:K and KIND:K+ by turns, so that a failure and a lasting one are tried. Reading the words of the command takes
    30,000 allocations, as `idle` has counted: a few points among them, the others behind them."""
    for kind in KINDS:
        calls = chosen_points(1, idle[kind], 1 + most // 6, draw) if idle[kind] > most else []
        calls += chosen_points(1 + (idle[kind] if calls else 0), scene.counts[kind], most * (2 if kind == "malloc" else 1), draw)
        for i, k in enumerate(calls):
            yield f"{kind}:{k}{'+' if i % 2 else ''}"


class Injected(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="bochner-inject-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        kitchen()

    def scenes(self):
        """Each scene with its points: those of BOCHNER_INJECT, or some of all."""
        draw = random.Random(os.environ.get("BOCHNER_INJECT_SEED", "1"))
        idle = Scene("idle", self.folder / "idle").counts
        for name in os.environ.get("BOCHNER_INJECT_SCENES", ",".join(SCENES)).split(","):
            scene = Scene(name, self.folder / name)
            points = list(points_of(scene, POINTS or 4, idle, draw))
            yield scene, points if POINTS else draw.sample(points, min(len(points), FEW_POINTS // len(SCENES)))

    def test_whatever_fails_the_end_is_clean(self):
        tried = 0
        for scene, points in self.scenes():
            faults = 0
            for point in points:
                with self.subTest(scene.name, point=point):
                    found = scene.faults(point)
                    faults += found != ""
                    self.assertEqual(found, "", f"BOCHNER_FAIL={point} bochner {' '.join(scene.words)}")
            tried += len(points)
            print(f"{scene.name}: {sum(scene.counts.values())} calls, {len(points)} tried, {faults} failed", flush=True)
        print(f"{tried} points")


if __name__ == "__main__":
    unittest.main()
