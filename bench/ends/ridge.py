# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""End to end: `bochner train` beside scikit-learn's RBFSampler + Ridge at equal D, kernel width and lambda, float32.

Ours is the whole command, from the file on disk to the saved model, choices included where the flags leave them open.
Theirs is reading the file and fit(): scaling is left out, gamma and alpha are given (ours, which the command chose).
Runs alternate.

usage: ridge.py [--repeats N] [NAME ...]
"""
import argparse
import json
import os
import statistics
import tempfile
import time

import numpy as np

import data

# name: (train file, test file, flags). The flags are those by which the founding table is reached.
TASKS = {
    "adult": ("adult.train.svm", "adult.test.svm",
              ["--map", "fourier:draw=orthogonal", "--features", "500", "--bandwidth", "5.5", "--lambda", "1e-5"]),
    "cpu": ("cpu.train.csv", "cpu.test.csv", ["--target", "usr", "--features", "300"]),
    "cpu-auto": ("cpu.train.csv", "cpu.test.csv", ["--target", "usr", "--features", "2000", "--bandwidth", "auto"]),
    "covtype2-1000": ("covtype2.train.csv", "covtype2.test.csv",
                      ["--target", "class", "--features", "1000", "--bandwidth", "6.3", "--lambda", "1e-8"]),
    "covtype2-2000": ("covtype2.train.csv", "covtype2.test.csv",
                      ["--target", "class", "--features", "2000", "--bandwidth", "6.3", "--lambda", "1e-8"]),
    "usps": ("usps.train.csv", "usps.test.csv", ["--target", "digit", "--features", "2048"]),
    "mnist": ("mnist.train.npy", "mnist.test.npy", ["--target", "784", "--features", "4096"]),
}


def scaled_inputs(linear, path, work):
    """The rows as the kernel sees them (a model without a map has only the scaling), so that both learn from the same."""
    out = os.path.join(work, os.path.basename(path) + ".npy")
    data.run("bochner", "transform", linear, path, "-o", out, "--quiet")
    return np.load(out)


def fourier_part(tree):
    """The Fourier map among a model's maps, as `bochner inspect --json` shows them."""
    if tree.get("type") == "fourier":
        return tree
    return next((found for part in tree.values() if isinstance(part, dict) and (found := fourier_part(part))), None)


def targets(path, column):
    if path.endswith(".npy"):
        return np.load(path, mmap_mode="r")[:, int(column)].astype(np.float64)
    if path.endswith(".svm"):
        return np.array([float(line.split(None, 1)[0]) for line in open(path)])
    header = open(path).readline().strip().split(",")
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=header.index(column))


def read_like_them(path):
    """Seconds their usual reader takes for the file."""
    import pandas
    from sklearn.datasets import load_svmlight_file

    start = time.perf_counter()
    {"svm": load_svmlight_file, "npy": np.load, "csv": pandas.read_csv}[path.rsplit(".", 1)[1]](path)
    return time.perf_counter() - start


def main():
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.linear_model import Ridge, RidgeClassifier
    from sklearn.pipeline import make_pipeline

    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    folder = data.folder()
    print(f"{'set':14} {'D':>5} {'bochner':>9} {'error':>8} {'read':>7} {'fit':>8} {'error':>8} {'ratio':>7}")
    for name in arguments.names or TASKS:
        train, test, flags = TASKS[name]
        train, test = os.path.join(folder, train), os.path.join(folder, test)
        D = int(flags[flags.index("--features") + 1])
        column = flags[flags.index("--target") + 1] if "--target" in flags else "0"
        with tempfile.TemporaryDirectory() as work:
            model = os.path.join(work, "model")
            command = ["bochner", "train", train, *flags, "-o", model, "--quiet"]
            data.run(*command)
            facts = json.loads(data.run("bochner", "inspect", model, "--json")[0])
            sigma = np.array(fourier_part(facts["feature_map"])["length_scale"])
            linear = os.path.join(work, "linear")
            target = flags[:2] if "--target" in flags else []
            data.run("bochner", "train", train, *target, "--map", "none", "--lambda", "1", "-o", linear, "--quiet")
            # Divided by the length scales, so that gamma = 1/2 also where there is one per input.
            x, y = (scaled_inputs(linear, train, work) / sigma).astype(np.float32), targets(train, column)
            xt, yt = (scaled_inputs(linear, test, work) / sigma).astype(np.float32), targets(test, column)
            regression = facts["schema"]["task"] == "regression"
            # |Zw - y|^2 + alpha |w|^2, alpha = lambda n; float32 cannot do with much less than 1e-3.
            head = (Ridge if regression else RidgeClassifier)(alpha=max(facts["report"]["lambda"] * len(x), 1e-3))
            ours, theirs, reads = [], [], []
            for _ in range(arguments.repeats):
                ours.append(data.run(*command)[1])
                reads.append(read_like_them(train))
                pipeline = make_pipeline(RBFSampler(gamma=0.5, n_components=D, random_state=0), head)
                start = time.perf_counter()
                pipeline.fit(x, y.astype(np.float32) if regression else y)
                theirs.append(time.perf_counter() - start)
            predicted = pipeline.predict(xt)
            peer = np.linalg.norm(predicted - yt) / np.linalg.norm(yt) if regression else np.mean(predicted != yt)
            a, read, fit = statistics.median(ours), statistics.median(reads), statistics.median(theirs)
            print(f"{name:14} {D:5} {a:8.2f}s {100 * data.bochner_error(model, test):7.2f}% "
                  f"{read:6.2f}s {fit:7.2f}s {100 * peer:7.2f}% {(read + fit) / a:6.1f}x", flush=True)


if __name__ == "__main__":
    main()
