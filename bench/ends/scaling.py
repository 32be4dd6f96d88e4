# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What threads gain: the same trainings with one thread and with all, in one run, models compared byte by byte.

Takes about 2 minutes on 16 cores. The table is drawn: classes that depend on eleven of fifty inputs. Seconds are those of
the whole command, from the file to the saved model.

usage: scaling.py [--threads N] [--rows N] [NAME ...]
"""
import argparse
import os
import tempfile

import numpy as np

import data

FOURIER = ["--map", "fourier", "--bandwidth", "8", "--lambda", "1e-6"]
# name: (share of the rows, flags)
TRAININGS = {
    "cholesky": (1, [*FOURIER, "--features", "4096", "--solver", "cholesky"]),
    "cg": (1, [*FOURIER, "--features", "4096", "--solver", "cg"]),
    "logistic": (.5, [*FOURIER, "--features", "1024", "--learner", "logistic"]),
    "automatic": (.1, []),
}


def draw(path, rows):
    """Rows of fifty normal inputs and, last, a class of two that five products of inputs and one input decide."""
    random = np.random.default_rng(1)
    x = random.standard_normal((rows, 50), dtype=np.float32)
    score = sum(x[:, i] * x[:, i + 1] for i in range(0, 10, 2)) + x[:, 10] + .3 * random.standard_normal(rows)
    np.save(path, np.column_stack([x, score > 0]).astype(np.float32))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rows", type=int, default=200000)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    print(f"{'training':10} {'rows':>8} {'1 thread':>10} {arguments.threads:>3} threads  gain  processor")
    with tempfile.TemporaryDirectory() as work:
        for name in arguments.names or TRAININGS:
            share, flags = TRAININGS[name]
            rows = int(arguments.rows * share)
            table = os.path.join(work, f"{rows}.npy")
            if not os.path.exists(table):
                draw(table, rows)
            times = []
            for threads in (1, arguments.threads):
                watch = data.Watch()
                data.run("bochner", "train", table, "--target", "50", *flags, "--threads", str(threads), "--quiet", "-o",
                         os.path.join(work, f"{threads}.model"))
                times.append(watch.seconds())
            one, all_threads = (open(os.path.join(work, f"{t}.model"), "rb").read() for t in (1, arguments.threads))
            (alone, _), (together, used) = times
            print(f"{name:10} {rows:8} {alone:9.2f}s {together:10.2f}s {alone / together:5.1f}x {used:9.1f}s"
                  f"{'' if one == all_threads else '  MODELS DIFFER'}", flush=True)


if __name__ == "__main__":
    main()
