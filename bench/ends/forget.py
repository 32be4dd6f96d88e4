# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Forgetting rows by kept sums beside training on the others: seconds by the clock, and whether the bytes agree.

Rows of ten normal inputs; ridge on Fourier features, bandwidth and lambda given. Times include reading and writing of files.

usage: forget.py [--rows N,N,...] [--gone N] [--features D] [--threads T] [--map MAP]
"""
import argparse
import filecmp
import os
import tempfile

import numpy as np

import data


def write_rows(path, rows):
    table = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(rows, 11))
    draws = np.random.default_rng(0)
    for begin in range(0, rows, 100000):
        x = draws.standard_normal((min(100000, rows - begin), 10), dtype=np.float32)
        table[begin:begin + len(x), :10] = x
        table[begin:begin + len(x), 10] = np.sin(x[:, 0]) + x[:, 1] * x[:, 2]
    return table


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default="1000000")
    parser.add_argument("--gone", type=int, default=10000)
    parser.add_argument("--features", default="1000")
    parser.add_argument("--threads", default="0")
    parser.add_argument("--map", default="fourier")
    options = parser.parse_args()
    run = ("--threads", options.threads, "--quiet")
    words = ("--target", "10", "--task", "regression", "--map", options.map, "--lambda", "1e-5", "--keep-sum", *run)
    if options.map != "none":
        words += ("--features", options.features, "--bandwidth", "3")
    print(f"| rows | forgotten | training | forget | training on the others | same bytes |\n|{'---|' * 6}")
    for rows in map(int, options.rows.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            path = {name: os.path.join(folder, name) for name in ("all.npy", "gone.npy", "rest.npy", "m", "f", "r")}
            table = write_rows(path["all.npy"], rows)
            np.save(path["gone.npy"], table[:options.gone])
            np.save(path["rest.npy"], table[options.gone:])
            first = data.run("bochner", "train", path["all.npy"], *words, "-o", path["m"])[1]
            forget = data.run("bochner", "forget", path["m"], path["gone.npy"], "-o", path["f"], *run)[1]
            again = data.run("bochner", "train", path["rest.npy"], "--choices-of", path["m"], "--keep-sum", *run, "-o",
                             path["r"])[1]
            same = filecmp.cmp(path["f"], path["r"], shallow=False)
            print(f"| {rows} | {options.gone} | {first:.1f} s | {forget:.2f} s | {again:.1f} s | {same} |", flush=True)


if __name__ == "__main__":
    main()
