# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Comparison with LIBSVM: Adult (a9a) from file to test error, by wall clock; and the width of hard margins.

Adult: `bochner train` + `bochner eval` beside `svm-train` + `svm-predict` with the Gaussian kernel, each with the
settings of its best known error. Hard margins: pairs of digits, on the same mapped features, LIBSVM linear with
C = 10^6; the margin is 1 / |w|.

usage: libsvm.py [adult] [margins]          (svm-train must be installed)
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import data
from liblinear import read_head, read_labels, write_svmlight

OURS = ["--learner", "svm", "--loss", "squared-hinge", "--C", "1", "--features", "2000", "--bandwidth", "8"]
THEIRS = ["-c", "1", "-g", "0.05", "-m", "2000"]
PAIRS = [("digits.csv", 0, 1, 300, "2"), ("digits.csv", 3, 8, 300, "2"), ("usps.train.csv", 0, 1, 1000, "5"),
         ("usps.train.csv", 3, 5, 2000, "5")]


def adult(folder, work, repeats=3):
    train, test = (os.path.join(folder, f"adult.{part}.svm") for part in ("train", "test"))
    model, peer, out = (os.path.join(work, name) for name in ("model", "peer", "out"))
    ours = []
    for _ in range(repeats):
        learn = data.run("bochner", "train", train, *OURS, "-o", model, "--quiet")[1]
        ours.append((learn, data.run("bochner", "eval", model, test, "--quiet")[1]))
    error = data.bochner_error(model, test)
    learn = data.run("svm-train", "-q", *THEIRS, train, peer)[1]
    said, judge = data.run("svm-predict", test, peer, out)
    peer_error = 100 - float(re.search(r"([\d.]+)%", said).group(1))
    ours.sort(key=sum)
    mine = ours[len(ours) // 2]
    print(f"adult: bochner {mine[0]:.2f} + {mine[1]:.2f} s, {100 * error:.2f} % error (median of {repeats}); "
          f"LIBSVM {learn:.1f} + {judge:.1f} s, {peer_error:.2f} %: {(learn + judge) / sum(mine):.1f} times as fast")


def pair_file(path, low, high, out):
    header, *lines = open(path).read().split("\n")
    column = header.split(",").index("digit")
    kept = [line for line in lines if line and float(line.split(",")[column]) in (low, high)]
    open(out, "w").write("\n".join([header, *kept]) + "\n")
    return out


def libsvm_width(path, peer):
    subprocess.run(["svm-train", "-q", "-t", "0", "-c", "1e6", "-e", "1e-6", "-m", "2000", path, peer], check=True)
    lines = open(peer).read().split("\n")
    w = {}
    for line in filter(None, lines[lines.index("SV") + 1:]):
        coefficient, *cells = line.split()
        for cell in cells:
            j, value = cell.split(":")
            w[j] = w.get(j, 0.0) + float(coefficient) * float(value)
    return 1 / np.sqrt(sum(v * v for v in w.values()))


def margins(folder, work):
    for file, low, high, features, bandwidth in PAIRS:
        pair = pair_file(os.path.join(folder, file), low, high, os.path.join(work, "pair.csv"))
        model, z_file, text = (os.path.join(work, name) for name in ("model", "z.npy", "z.svm"))
        data.run("bochner", "train", pair, "--target", "digit", "--task", "classification", "--learner", "hard-svm",
                 "--features", str(features), "--bandwidth", bandwidth, "-o", model, "--quiet")
        data.run("bochner", "transform", model, pair, "-o", z_file, "--quiet")
        z, labels, w = np.load(z_file), read_labels(pair, "digit"), read_head(model)[:, 0]
        write_svmlight(text, labels, z)
        score = z.astype(np.float64) @ w
        y = np.where(labels == high, 1.0, -1.0)
        # What the weights achieve with the best intercept, whatever they promise.
        width = (score[y > 0].min() - score[y < 0].max()) / 2 / np.sqrt(w @ w)
        peer = libsvm_width(text, os.path.join(work, "peer"))
        print(f"margin: {file} {low} against {high}, D = {features}: {width:.8f}, LIBSVM {peer:.8f}, "
              f"{width / peer - 1:+.1e}", flush=True)


def main():
    if not shutil.which("svm-train"):
        print("skipped: svm-train is not installed (Debian: libsvm-tools)")
        return
    folder = data.folder()
    with tempfile.TemporaryDirectory() as work:
        for name in sys.argv[1:] or ["adult", "margins"]:
            {"adult": adult, "margins": margins}[name](folder, work)


if __name__ == "__main__":
    main()
