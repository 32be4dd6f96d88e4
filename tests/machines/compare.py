#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Holds the command of one machine against that of another: features, bins, draws, models, predictions, graphs.

    tests/machines/compare.py COMMAND OTHER [--few | --all]

OTHER may be a script that runs the command under emulation; --few leaves out what takes long there, --all adds what takes
minutes. Fails where docs/parts.md, "On which machines the bits agree", promises the same bits and they differ, or where
models predict further apart than it says.
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
FEWER = 600  # those of the automatic machine and of large systems
WIDE = (200, 520)  # rows and inputs of another of its models: beyond 512 it sees leading directions

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
# models must have the same bytes.
MODELS = {
    "ridge by cholesky": (["--features", "100", "--solver", "cholesky", "--bandwidth", "3"], "y", None),
    "ridge, shifted, tiny lambda": (["--features", "100", "--solver", "cholesky", "--bandwidth", "3", "--lambda", "1e-10",
                                     "--map", "fourier:form=shifted"], "y", None),
    "ridge of classes, 600": (["--features", "600", "--solver", "cholesky", "--bandwidth", "3"], "kind", None),
    "ridge by cg": (["--features", "100", "--solver", "cg", "--bandwidth", "3"], "y", None),
    "ridge of classes by cg, 300": (["--features", "300", "--solver", "cg", "--bandwidth", "3"], "kind", None),
    "ridge by dual": (["--features", "100", "--solver", "dual", "--bandwidth", "3", "--lambda", "1e-4"], "y", None),
    "ridge, bandwidth searched": (["--features", "64"], "y", None),
    "ridge in double": (["--features", "64", "--precision", "double", "--bandwidth", "3"], "y", None),
    "linear": (["--map", "none"], "y", None),
    "nystroem": (["--features", "64", "--map", "nystroem", "--bandwidth", "3"], "y", None),
    "nystroem, laplacian": (["--features", "64", "--map", "nystroem:landmarks=leverage", "--kernel", "laplacian",
                             "--bandwidth", "3"], "kind", None),
    "logistic": (["--features", "64", "--learner", "logistic", "--C", "1", "--bandwidth", "3"], "kind", 1e-4),
    "bins": (["--features", "20", "--map", "binning", "--bandwidth", "3"], "y", None),
    "bins of classes": (["--features", "20", "--map", "binning", "--bandwidth", "3"], "kind", None),
    "bins, scales searched": (["--features", "10", "--map", "binning:order=1-2"], "y", None),
    "automatic": (["--effort", "fast"], "y", None),
    "automatic, classes": (["--effort", "fast"], "kind", None),
}
ON_FEWER = {"automatic", "automatic, classes", "nystroem, laplacian", "ridge by dual", "ridge of classes, 600"}
LONG = ON_FEWER | {"ridge of classes by cg, 300", "ridge in double", "logistic", "bins, scales searched"}


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


def compare_features(commands, folder, rows):
    """Features by the same model."""
    broken = []
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
    return broken


def compare_models(commands, folder, rows, fewer, few):
    """Models by the same words."""
    broken = []
    print(f"models of {TRAINED} rows, same words", flush=True)
    for name, (words, target, bound) in MODELS.items():
        if few and name in LONG:
            continue
        other_target = "kind" if target == "y" else "y"
        models = [folder / "here.model", folder / "there.model"]
        outputs = [folder / "here.csv", folder / "there.csv"]
        scores = ["--scores"] if target == "kind" else []
        for command, model, output in zip(commands, models, outputs):
            learnt = fewer if name in ON_FEWER else rows
            run(command, "train", learnt, "-t", target, "--ignore", other_target, *words, "-o", model)
            run(command, "predict", model, rows, "-o", output, *scores)
        same = models[0].read_bytes() == models[1].read_bytes()
        difference = apart(*outputs)
        print(f"  {name:28} bytes {'same  ' if same else 'differ'} predictions apart {difference:.1e}", flush=True)
        if (not same if bound is None else difference > bound):
            broken.append(f"model: {name}")
    return broken


def compare_parts(commands, folder, rows):
    """Sums of two parts, each by either machine, merged and solved by either."""
    lines = rows.read_text(encoding="ascii").splitlines(keepends=True)
    half = 1 + (len(lines) - 1) // 2
    parts = [folder / "part0.csv", folder / "part1.csv"]
    for part, of in zip(parts, (lines[1:half], lines[half:])):
        part.write_text(lines[0] + "".join(of), encoding="ascii")
    surveys, sums, models = set(), set(), set()
    for survey_by, first, second, last in ((0, 0, 0, 0), (1, 1, 1, 1), (0, 0, 1, 1), (1, 1, 0, 0)):
        survey, merged, model = folder / "all.survey", folder / "all.sum", folder / "parts.model"
        for part, by in zip(parts, (survey_by, 1 - survey_by)):
            run(commands[by], "accumulate", part, "-t", "y", "--ignore", "kind", "-o", part.with_suffix(".survey"))
        run(commands[last], "merge", *(part.with_suffix(".survey") for part in parts), "-o", survey)
        for part, by in zip(parts, (first, second)):
            run(commands[by], "accumulate", part, "--spec", survey, "--features", "100", "--bandwidth", "3",
                "-o", part.with_suffix(".sum"))
        run(commands[last], "merge", *(part.with_suffix(".sum") for part in parts), "-o", merged)
        run(commands[last], "solve", merged, "-o", model)
        for found, file in ((surveys, survey), (sums, merged), (models, model)):
            found.add(hashlib.sha256(file.read_bytes()).hexdigest())
    print(f"two parts, each summed here or there: {len(surveys)} different surveys, {len(sums)} sums, "
          f"{len(models)} models", flush=True)
    return [] if len(surveys) == len(sums) == len(models) == 1 else ["parts"]


def compare_files(commands, folder, name, *words):
    """What both write by the same words."""
    outputs = [folder / "here", folder / "there"]
    for command, output in zip(commands, outputs):
        run(command, *words, "-o", output)
    same = outputs[0].read_bytes() == outputs[1].read_bytes()
    print(f"{name}: bytes {'same' if same else 'DIFFER'}", flush=True)
    return [] if same else [name]


def compare_wide(commands, folder):
    """The automatic machine on more inputs than it learns directions of."""
    wide, draw = folder / "wide.csv", random.Random(3)
    with open(wide, "w", encoding="ascii") as out:
        print(",".join(f"x{j}" for j in range(WIDE[1])) + ",y", file=out)
        for _ in range(WIDE[0]):
            z = [draw.gauss(0, 1) for _ in range(4)]
            x = [z[j % 4] * (1 + j % 5) + draw.gauss(0, 0.3) for j in range(WIDE[1])]
            print(",".join(f"{value:.5g}" for value in x) + f",{z[0] + z[1] * z[2]:.5g}", file=out)
    return compare_files(commands, folder, f"automatic, {WIDE[1]} inputs", "train", wide, "-t", "y", "--effort", "fast")


def compare_graphs(commands, folder, rows):
    """The nearest rows of each, found by bytes of their coordinates."""
    return compare_files(commands, folder, f"graph of {ROWS} rows", "graph", rows, "--ignore", "city,y,kind", "-k", "5")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("command")
    arguments.add_argument("other")
    arguments.add_argument("--few", action="store_true")
    arguments.add_argument("--all", action="store_true")
    given = arguments.parse_args()
    commands = [str(pathlib.Path(c).resolve()) for c in (given.command, given.other)]

    with tempfile.TemporaryDirectory(prefix="bochner-machines-") as temporary:
        folder = pathlib.Path(temporary)
        many, rows, fewer = folder / "rows.csv", folder / "few.csv", folder / "fewer.csv"
        make_rows(many, ROWS)
        make_rows(rows, TRAINED)
        make_rows(fewer, FEWER)
        broken = [] if given.few else compare_features(commands, folder, many) + compare_graphs(commands, folder, many)
        broken += compare_wide(commands, folder) if given.all else []
        broken += compare_models(commands, folder, rows, fewer, given.few)
        broken += compare_parts(commands, folder, rows)

    if broken:
        sys.exit("compare: the machines disagree beyond docs/parts.md: " + "; ".join(broken))


if __name__ == "__main__":
    main()
