#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Holds the command of one machine against that of another: features, bins, draws, models, predictions.

    tests/machines/compare.py COMMAND OTHER

OTHER may be a script that runs the command under emulation. Fails where docs/parts.md, "On which machines the bits
agree", promises the same bits and they differ, or where models predict further apart than it says.
"""

import argparse
import array
import hashlib
import pathlib
import random
import subprocess
import sys
import tempfile

ROWS = 10_000
TRAINED = 2_000  # rows of the models that both train: emulation is slow

# How the first command trains the models that turn rows into features.
FEATURES = {
    "fourier, cos and sin": ["--features", "256"],
    "fourier, shifted": ["--features", "256", "--map", "fourier:form=shifted"],
    "fourier, matern": ["--features", "128", "--kernel", "matern:nu=2.5"],
    "nystroem, gaussian": ["--features", "64", "--map", "nystroem"],
    "nystroem, laplacian": ["--features", "64", "--map", "nystroem", "--kernel", "laplacian"],
    "scaling": ["--map", "none"],
}
# How both commands train a model, on which target, and how far apart predictions may be, of their spread; None: the
# models must have the same bytes. What is searched may come out otherwise where two choices are nearly as good.
MODELS = {
    "ridge by cholesky": (["--features", "100", "--solver", "cholesky", "--bandwidth", "3"], "y", None),
    "ridge, shifted, tiny lambda": (["--features", "100", "--solver", "cholesky", "--bandwidth", "3", "--lambda", "1e-10",
                                     "--map", "fourier:form=shifted"], "y", None),
    "ridge of classes, 600": (["--features", "600", "--solver", "cholesky", "--bandwidth", "3"], "kind", None),
    "ridge by cg": (["--features", "100", "--solver", "cg", "--bandwidth", "3"], "y", 1e-3),
    "ridge, bandwidth searched": (["--features", "64"], "y", 0.1),
    "ridge in double": (["--features", "64", "--precision", "double", "--bandwidth", "3"], "y", 1e-6),
    "nystroem": (["--features", "64", "--map", "nystroem", "--bandwidth", "3"], "y", 1e-3),
    "logistic": (["--features", "64", "--learner", "logistic", "--C", "1", "--bandwidth", "3"], "kind", 1e-4),
    "bins": (["--features", "20", "--map", "binning", "--bandwidth", "3"], "y", 1e-5),
    "bins, scales searched": (["--features", "10", "--map", "binning:order=1-2"], "y", 1e-5),
}


def run(command, *words):
    done = subprocess.run([command, *map(str, words), "--quiet"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"compare: {command} {' '.join(map(str, words))}: exit code {done.returncode}\n{done.stderr}")


def make_rows(path, rows):
    """Numbers of several laws and sizes, a text column, one target of numbers and one of classes."""
    draw = random.Random(9)
    with open(path, "w", encoding="ascii") as out:
        print("normal,uniform,large,small,skew,count,city,y,kind", file=out)
        for _ in range(rows):
            a, b, c = draw.gauss(0, 1), draw.uniform(-1, 1), draw.gauss(5e4, 1e3)
            d, e, n = draw.gauss(0, 1e-4), draw.expovariate(0.1), draw.randrange(30)
            city = draw.choice(["Rome", "Oslo", "Lima"])
            y = a * b + (c - 5e4) / 1e3 + (1 if city == "Rome" else 0) + draw.gauss(0, 0.1)
            kind = "high" if y + 0.1 * n > 2 else "low"
            print(f"{a:.6g},{b:.6g},{c:.8g},{d:.6g},{e:.6g},{n},{city},{y:.6g},{kind}", file=out)


def numbers(path):
    """The float32 of an .npy, or the last column of a .csv."""
    data = path.read_bytes()
    if path.suffix == ".npy":
        return array.array("f", data[10 + int.from_bytes(data[8:10], "little"):])
    return [float(line.split(b",")[-1]) for line in data.splitlines()]


def apart(first, second):
    """The largest difference, as a fraction of the spread of the first."""
    a, b = numbers(first), numbers(second)
    spread = max(a) - min(a)
    return max(abs(x - y) for x, y in zip(a, b, strict=True)) / (spread or 1)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("command")
    arguments.add_argument("other")
    given = arguments.parse_args()
    commands = [str(pathlib.Path(c).resolve()) for c in (given.command, given.other)]
    broken = []

    with tempfile.TemporaryDirectory(prefix="bochner-machines-") as temporary:
        folder = pathlib.Path(temporary)
        rows = folder / "rows.csv"
        make_rows(rows, ROWS)

        print(f"features of {ROWS} rows, same model", flush=True)
        for name, words in FEATURES.items():
            model = folder / "features.model"
            run(commands[0], "train", rows, "-t", "y", "--ignore", "kind", "--bandwidth", "3", *words, "-o", model)
            outputs = [folder / "here.npy", folder / "there.npy"]
            for command, output in zip(commands, outputs):
                run(command, "transform", model, rows, "-o", output)
            here, there = (hashlib.sha256(output.read_bytes()).hexdigest() for output in outputs)
            verdict = "same" if here == there else f"DIFFER by {apart(*outputs):.1e}"
            print(f"  {name:28} sha256 {here[:16]} {there[:16]} {verdict}", flush=True)
            if here != there:
                broken.append(f"features: {name}")

        print(f"models of {TRAINED} rows, same words", flush=True)
        rows = folder / "few.csv"
        make_rows(rows, TRAINED)
        for name, (words, target, bound) in MODELS.items():
            other_target = "kind" if target == "y" else "y"
            models = [folder / "here.model", folder / "there.model"]
            outputs = [folder / "here.csv", folder / "there.csv"]
            scores = ["--scores"] if target == "kind" else []
            for command, model, output in zip(commands, models, outputs):
                run(command, "train", rows, "-t", target, "--ignore", other_target, *words, "-o", model)
                run(command, "predict", model, rows, "-o", output, *scores)
            same = models[0].read_bytes() == models[1].read_bytes()
            difference = apart(*outputs)
            print(f"  {name:28} bytes {'same  ' if same else 'differ'} predictions apart {difference:.1e}", flush=True)
            if (not same if bound is None else difference > bound):
                broken.append(f"model: {name}")

    if broken:
        sys.exit("compare: the machines disagree beyond docs/parts.md: " + "; ".join(broken))


if __name__ == "__main__":
    main()
