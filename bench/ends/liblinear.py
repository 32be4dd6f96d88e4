# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Objectives beside LIBLINEAR's on the same mapped features: relative difference, and the time of both solvers.

Ours is `bochner train --no-intercept`; its features (`bochner transform`) go to LIBLINEAR as svmlight text with a
tight tolerance. Both objectives 1/2 |w|^2 + C sum loss are then computed here in double, one line per class.
Negative: ours is the lower. Times: ours is the step `solve`, theirs is the whole command less what it takes to read
the file. Digits are learned one class against the rest; logistic, where several classes would be one softmax for us
and as many problems for LIBLINEAR, as odd against even.

usage: liblinear.py [NAME ...]          (liblinear-train must be installed)
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

import data

# name: file, target, features, bandwidth, C
TASKS = {
    "adult": ("adult.train.svm", None, 500, "8", 1.0),
    "usps": ("usps.train.csv", "digit", 1000, "5", 1.0),
    "digits": ("digits.csv", "digit", 300, "2", 1.0),
}
LEARNERS = {  # -s of LIBLINEAR, its -e, our words, loss of the margins
    "hinge": ("3", "1e-6", ["svm", "--loss", "hinge"], lambda m: np.maximum(0, 1 - m).sum()),
    "squared": ("2", "1e-7", ["svm", "--loss", "squared-hinge"], lambda m: (np.maximum(0, 1 - m) ** 2).sum()),
    "logistic": ("0", "1e-7", ["logistic"], lambda m: np.logaddexp(0, -m).sum()),
}


def read_head(path):
    """The weights of a saved model, features x outputs: a safetensors file."""
    content = open(path, "rb").read()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8:8 + size])
    entry = next(e for name, e in header.items() if re.search(r"head\W*weights$", name))
    begin, end = entry["data_offsets"]
    return np.frombuffer(content[8 + size + begin:8 + size + end], "<f8").reshape(entry["shape"])


def read_labels(path, target):
    if target is None:
        return np.array([float(line.split(None, 1)[0]) for line in open(path)])
    header = open(path).readline().strip().split(",")
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=header.index(target))


def odd_or_even(path, target, out):
    header, *lines = open(path).read().split("\n")
    column = header.split(",").index(target)
    with open(out, "w") as file:
        file.write(header + "\n")
        for line in filter(None, lines):
            cells = line.split(",")
            cells[column] = str(int(float(cells[column])) % 2)
            file.write(",".join(cells) + "\n")
    return out


def write_svmlight(path, labels, z):
    cells = [f"{j + 1}:%.9g" for j in range(z.shape[1])]
    form = "%d " + " ".join(cells) + "\n"
    with open(path, "w") as file:
        for y, row in zip(labels, z):
            file.write(form % (y, *row))


def liblinear(path, solver, tolerance, C, work):
    """Weights (features x problems), the label each stands for, and the seconds of solving."""
    model = os.path.join(work, "peer")
    command = ["liblinear-train", "-q", "-s", solver, "-c", str(C), path, model]
    start = time.perf_counter()
    subprocess.run([*command[:-2], "-e", "1e9", *command[-2:]], check=True)  # stops at once: reading and writing
    middle = time.perf_counter()
    subprocess.run([*command[:-2], "-e", tolerance, *command[-2:]], check=True, stderr=subprocess.DEVNULL)
    seconds = time.perf_counter() - middle - (middle - start)
    lines = open(model).read().split("\n")
    labels = [float(v) for v in lines[2].split()[1:]]
    weights = np.array([[float(v) for v in line.split()] for line in lines[6:] if line.strip()])
    return weights, labels, seconds


def compare(name, learner, folder, work):
    file, target, features, bandwidth, C = TASKS[name]
    solver, tolerance, words, loss = LEARNERS[learner]
    path = os.path.join(folder, file)
    if learner == "logistic" and target:
        path = odd_or_even(path, target, os.path.join(work, "parity.csv"))
    model, z_file, text = (os.path.join(work, f) for f in ("model", "z.npy", "z.svm"))
    aim = ["--target", target, "--task", "classification"] if target else []
    report = json.loads(data.run("bochner", "train", path, *aim, "--features", str(features), "--bandwidth", bandwidth,
                                 "--no-intercept", "--C", str(C), "--learner", *words, "-o", model, "--json",
                                 "--quiet")[0])
    data.run("bochner", "transform", model, path, "-o", z_file, "--quiet")
    z, labels, ours = np.load(z_file).astype(np.float64), read_labels(path, target), read_head(model)
    write_svmlight(text, labels, np.load(z_file))
    theirs, order, seconds = liblinear(text, solver, tolerance, C, work)
    classes = sorted(set(labels))
    worst = -np.inf
    for k in range(ours.shape[1]):
        label = classes[1] if ours.shape[1] == 1 else classes[k]
        y = np.where(labels == label, 1.0, -1.0)
        peer = theirs[:, 0] * (1 if order[0] == label else -1) if theirs.shape[1] == 1 else theirs[:, order.index(label)]
        objective = [0.5 * w @ w + C * loss(y * (z @ w)) for w in (ours[:, k], peer)]
        worst = max(worst, objective[0] / objective[1] - 1)
        print(f"{name:8} {learner:9} {label:5g} {objective[0]:16.9g} {objective[1]:16.9g}"
              f" {objective[0] / objective[1] - 1:+.1e}")
    print(f"{name:8} {learner:9} worst {worst:+.1e}; solve {report['seconds']['solve']:.2f} s, LIBLINEAR {seconds:.2f} s",
          flush=True)
    return worst


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", choices=[*TASKS, []])
    arguments = parser.parse_args()
    if not shutil.which("liblinear-train"):
        print("skipped: liblinear-train is not installed (Debian: liblinear-tools)")
        return 0
    folder = data.folder()
    print(f"{'set':8} {'learner':9} {'class':>5} {'bochner':>16} {'LIBLINEAR':>16} relative")
    worst = -np.inf
    for name in arguments.names or TASKS:
        for learner in LEARNERS:
            with tempfile.TemporaryDirectory() as work:
                worst = max(worst, compare(name, learner, folder, work))
    print(f"worst {worst:+.1e}: {'within' if worst <= 1e-6 else 'NOT within'} 1e-6")
    return 0 if worst <= 1e-6 else 1


if __name__ == "__main__":
    sys.exit(main())
