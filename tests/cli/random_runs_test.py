# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Random commands with random options on random odd tables, and then whatever can be asked of what they wrote.

No run ends by a signal or a code that is not documented, none takes longer than a minute, no result holds a number that
is not finite, and no other file is touched. BOCHNER_RANDOM_RUNS=N makes N runs (60), BOCHNER_RANDOM_SEED=S begins with
run S (1): a run depends on its number only, so BOCHNER_RANDOM_RUNS=1 BOCHNER_RANDOM_SEED=S repeats it."""

import collections
import os
import random
import unittest

from command_table import listed_commands
from odd_tables import NAMES, OddTables, quoted

RUNS = int(os.environ.get("BOCHNER_RANDOM_RUNS", 60))
FIRST = int(os.environ.get("BOCHNER_RANDOM_SEED", 1))

# Each option and its values; "" is an option without a value, None leaves it out.
RUN = {"--threads": [None, 1, 2, 5, 16], "--memory": [None, None, "60M", "200M", "1M"], "--block-rows": [None, None, 1, 7]}
COLUMNS = {"--missing": [None, None, "mean", "error"], "--max-levels": [None, None, None, 1, 3],
           "--category": [None, None, None, "x1"]}
KERNELS = ["gaussian", "laplacian", "cauchy", "matern", "matern:nu=2.5", "rational-quadratic", "laplacian2", "stable:p=1.5,q=1"]
MAP = {"--map": [None, "fourier", "fourier:form=shifted", "fourier:form=cossin", "binning", "nystroem", "none",
                 "fourier+binning", "binning:order=1-2", "metric|fourier", "chosen-fourier"],
       "--features": [None, 1, 2, 7, 32, 100], "--kernel": [None, None, *KERNELS],
       "--bandwidth": [None, None, 1, 1e-30, 1e30, 0.01, "scale", "median", "auto"],
       "--scale": [None, None, "none", "standardize", "minmax", "log", "quantile", "whiten"], "--seed": [None, 3],
       "--precision": [None, None, "double", "float"]}
TRAIN = {**MAP, "--learner": [None, None, "ridge", "svm", "logistic", "huber", "svr", "hard-svm", "knn", "poisson", "tweedie"],
         "--lambda": [None, None, 1e-9, "1e-6,1e-3", 1e9, 0], "--C": [None, None, None, 1, 1e-9, 1e9, 1e300],
         "--solver": [None, None, None, "cg", "cholesky"], "--select": [None, None, None, "loo", "holdout"],
         "--calibrate": [None, None, ""], "--deviation": [None, None, None, ""], "--test": [None, None, 0.3],
         "--folds": [None, None, None, 3], "--no-intercept": [None, None, None, ""], "--weights": [None, None, None, "w"],
         "--class-weight": [None, None, None, "balanced"], "--task": [None, None, "regression", "classification"],
         "--effort": [None] * 8 + ["fast", "normal"], "--loss": [None, None, None, "squared"], "--json": [None, ""]}
SEARCH = {"--metric": [None, "euclidean", "cosine", "inner", "hamming", "jaccard"],
          "--method": [None, None, "exact", "project", "lsh", "forest"], "--recall": [None, 0.5, 1], "-k": [1, 3, 100]}
COVARIANCES = ["full", "diag", "spherical", "tied", "lowrank:1"]
COMMANDS = {
    "train": TRAIN,
    "project": {"--kind": ["gaussian", "sign", "sparse", "verysparse", "fastjl", "srht", "hash"], "--dims": [1, 2, 9],
                "--precision": [None, "double"]},
    "svd": {"--rank": [1, 2, 50], "--center": [None, ""], "--passes": [None, 0, 3], "--precision": [None, "double"]},
    "pca": {**MAP, "--rank": [1, 2, 50]},
    "kmeans": {**MAP, "--clusters": [1, 2, 9, 1000], "--restarts": [None, 1]},
    "lda": {**MAP, "--lambda": [None, 1e-9, 10]},
    "cca": {**MAP, "--rank": [None, 1], "--lambda": [None, 1e-9]},
    "rank": {"--group": ["g"], **MAP, "--lambda": [None, 1e-9, 10], "--pairs": [None, "same", "ndcg"]},
    "semi": {**MAP, "--neighbors": [None, 1, 99], "--graph-weight": [None, 0, 1e9], "--lambda": [None, 1e-9],
             "--learner": [None, "svm", "huber"]},
    "anomaly": {**MAP, "--method": ["embedding", "bins", "isolation", "mixture"], "--rate": [None, 0.5, 1e-9]},
    "independence": {"--permutations": [20], "--bandwidths": [None, 1e-9, "0.5,1"], "--features": [None, 2]},
    "embed": {"--group": ["g"], **MAP},
    "reduce": {"--points": [1, 3, 40], "--method": [None, "joint", "rsrf", "fixed-point", "herding", "thinning", "kmeans"],
               "--kernel": [None, *KERNELS], "--bandwidth": [None, 1, 1e-9, 1e9], "--inside": [None, ""],
               "--weights-are": [None, "free", "positive", "probabilities"], "--levels": [None, None, ""]},
    "plot": {"--x": ["x0"], "--y": ["x1"], "--kernel": [None, *KERNELS], "--levels": [None, 1], "--bandwidth": [None, 1, 1e-9]},
    "gmm": {"--components": [1, 2, 20, "auto"], "--covariance": [None, *COVARIANCES], "--floor": [None, 1e-12, 1],
            "--restarts": [None, 1], "--project": [None, None, 1, "auto"]},
    "hmm": {"--sequence": ["g"], "--states": [1, 2, 5, "auto"], "--covariance": [None, "full", "diag", "spherical"],
            "--components": [None, 2], "--topology": [None, "left-to-right"]},
    "index": {**SEARCH, "--bytes": [None, None, ""]},
    "graph": SEARCH,
    "dedup": {"--metric": [None, "jaccard", "cosine"], "--threshold": [None, 0.01, 1], "--pairs": [None, ""]},
    "accumulate": {"--class-weight": [None, None, "balanced"], "--weights": [None, None, "w"]},
    "check": {**MAP, "--seeds": [2], "--lambda": [None, 1e-9], "--json": [None, ""]},
    "drift": {"--permutations": [20], "--windows": [None, 2], "--kernel": [None, *KERNELS], "--features": [None, 2]},
}
TARGET_NEEDED = ("train", "lda", "cca", "semi", "rank", "independence", "accumulate")
LEARN = ("train", "project", "svd", "pca", "kmeans", "lda", "cca", "semi", "rank", "anomaly", "embed", "gmm", "hmm")


def chosen(options, draw):
    words = []
    for word, values in options.items():
        value = draw.choice(values)
        if value is not None and (draw.random() < 0.4 or None not in values):
            words += [word] if value == "" else [word, value]
    return words


def column(draw, rows):
    """The cells of a random column."""
    kind = draw.choice(["plain"] * 5 + ["scaled", "far", "constant", "codes", "text", "missing", "equal", "dates", "spikes"])
    plain = [draw.gauss(0, 1) for _ in range(rows)]
    if kind == "scaled":
        power = draw.uniform(-45, 45) if draw.random() < 0.7 else draw.uniform(-320, 308)
        return [repr(x * 10.0 ** power) for x in plain]
    if kind == "far":
        power = draw.choice([1e3, 1e6, 1e9, 1e12, 1e17])
        return [repr(x + power) for x in plain]
    if kind == "constant":
        return [draw.choice(["0", "1", "-3.5", "1e30"])] * rows
    if kind == "codes":
        return [str(draw.randrange(draw.choice([2, 3, 30]))) for _ in plain]
    if kind == "text":
        return [quoted(draw.choice(NAMES[:draw.choice([1, 2, 8])])) for _ in plain]
    if kind == "missing":
        return [draw.choice(["", "NA", f"{x:.3f}"]) for x in plain]
    if kind == "equal":
        return [f"{plain[i % 3]:.3f}" for i in range(rows)]
    if kind == "dates":
        return [f"20{draw.randrange(10, 30)}-0{draw.randrange(1, 10)}-1{draw.randrange(10)}" for _ in plain]
    if kind == "spikes":
        return [repr(x * draw.choice([1, 1, 1, 1e6, 1e20, 1e38, 1e39])) for x in plain]
    return [f"{x:.4f}" for x in plain]


def random_table(draw, command):
    """Names and cells: inputs x0 ..., a group g, weights w and a target y, most often of the kind that the command takes."""
    rows = draw.choice([0, 1, 2, 4, 5, 8, 20, 60, 60, 60, 60, 210, 500])
    columns = {f"x{j}": column(draw, rows) for j in range(draw.choice([1, 2, 2, 3, 5, 12]) + (command in ("plot", "cca")))}
    columns["g"] = [f"s{i // 5}" for i in range(rows)]
    columns["w"] = [draw.choice(["1", "2", "0", "0.001"]) for _ in range(rows)]
    classes = [lambda: [draw.choice("pqr") for _ in range(rows)], lambda: [str(draw.randrange(3)) for _ in range(rows)],
               lambda: [f"s{i // 5 % 2}" for i in range(rows)]]
    numbers = [lambda: column(draw, rows),
               lambda: [f"{draw.gauss(0, 1) * 10.0 ** draw.choice([0, 6, -6]):.6g}" for _ in range(rows)]]
    kinds = classes if command in ("lda", "gmm", "hmm", "anomaly") else numbers if command in ("cca", "rank") else classes + numbers
    columns["y"] = draw.choice(kinds if draw.random() < 0.9 else classes + numbers)()
    return columns


def csv_of(columns):
    heading = ",".join(columns)
    return "\n".join([heading, *(",".join(row) for row in zip(*columns.values()))]) + "\n"


class RandomRuns(OddTables):
    def setUp(self):
        super().setUp()
        self.codes = collections.Counter()

    def words(self, command, draw):
        targets = []
        if command in TARGET_NEEDED or draw.random() < 0.5:
            targets = ["-t", "x1,y" if command == "cca" else "y"] if command not in ("plot", "drift", "reduce") else []
        ignored = [*(["g"] if command not in ("hmm", "embed") else []), *(["y"] if not targets else [])]
        roles = [*targets, *(["--ignore", ",".join(ignored)] if ignored else [])]
        roles += chosen({**COMMANDS[command], **RUN, **COLUMNS}, draw)
        return [command, "rows.csv", *(["new.csv"] if command == "drift" else []), *roles]

    def ask(self, *words):
        code, output, errors = self.call(*words)
        self.codes[words[0], code] += 1
        self.expect_finite(words, "stdout", output)
        return code, errors

    def follow(self, command, draw):
        """Later commands on what was written."""
        if command == "index":
            self.ask("neighbors", "out", "new.csv", "-k", draw.choice([1, 7]))
        elif command == "accumulate":
            if self.ask("accumulate", "rows.csv", "--spec", "out", "--features", 8, "-o", "sum")[0] == 0:
                self.ask("solve", "sum", "-o", "solved")
        elif command in LEARN:
            file = draw.choice(["rows.csv", "new.csv"])
            for words in (("inspect", "out", "--json"), ("predict", "out", file), ("transform", "out", file, "-o", "t.csv"),
                          ("eval", "out", file, "--json"), ("report", "out", file, "-o", "r.html"),
                          ("sample", "out", "--rows", 9, "-o", "s.csv")):
                code, errors = self.ask(*words)
                self.assertNotEqual(code, 3, f"the model that was just written: {words} {errors}")
        for path in self.folder.iterdir():
            self.expect_finite(command, path.name, path.read_bytes() if path.name not in ("rows.csv", "new.csv") else b"")

    def test_runs(self):
        self.assertLessEqual(set(COMMANDS), listed_commands())
        for run in range(FIRST, FIRST + RUNS):
            draw = random.Random(run)
            for path in self.folder.iterdir():
                path.unlink()
            command = draw.choice([*COMMANDS, *["train"] * 6])
            columns = random_table(draw, command)
            self.file("rows.csv", csv_of(columns))
            new = random_table(draw, command) if draw.random() < 0.2 else {name: cells[:10] for name, cells in columns.items()}
            self.file("new.csv", csv_of(new))
            before = self.contents()
            words = self.words(command, draw)
            output = ["-o", "out"] if command not in ("independence", "check") else []
            with self.subTest(f"BOCHNER_RANDOM_SEED={run} bochner {' '.join(map(str, words))}"):
                code, _ = self.ask(*words, *output)
                after = self.contents()
                self.assertEqual({name: after.get(name) for name in before}, before)
                self.assertLessEqual({str(name) for name in set(after) - set(before)}, {"out"} if code == 0 else set())
                if code == 0:
                    self.follow(command, draw)
        print(f"{RUNS} runs from {FIRST}: " + ", ".join(f"{n} x exit {code}" for code, n in sorted(
            sum((collections.Counter({code: n}) for (_, code), n in self.codes.items()), collections.Counter()).items())))


if __name__ == "__main__":
    unittest.main()
