# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What threads gain: the same trainings with one thread and with all, in one run, models compared byte by byte.

Takes about 4 minutes on 16 cores. The table is drawn: classes that depend on eleven of fifty inputs. Seconds are those of
the whole command, from the file to the saved model. The ceiling is what the machine gains if as many copies of the
one-thread training run at once, which wait for nothing but caches and memory.

usage: scaling.py [--threads N] [--rows N] [NAME ...]
"""
import argparse
import os
import subprocess
import tempfile
import time

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


def ceiling(command, copies, alone):
    """How much more of a one-thread command, of `alone` seconds, the machine does in `copies` at once."""
    start = time.time()
    running = [subprocess.Popen([*command, "-o", os.devnull], stdout=subprocess.DEVNULL) for _ in range(copies)]
    if any([copy.wait() for copy in running]):
        raise SystemExit("a copy failed")
    return copies * alone / (time.time() - start)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rows", type=int, default=200000)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    print(f"{'training':10} {'rows':>8} {'1 thread':>10} {arguments.threads:>3} threads   gain  ceiling  processor")
    with tempfile.TemporaryDirectory() as work:
        for name in arguments.names or TRAININGS:
            share, flags = TRAININGS[name]
            rows = int(arguments.rows * share)
            table = os.path.join(work, f"{rows}.npy")
            if not os.path.exists(table):
                draw(table, rows)
            command = ["bochner", "train", table, "--target", "50", *flags, "--quiet", "--threads"]
            times = []
            for threads in (1, arguments.threads):
                watch = data.Watch()
                data.run(*command, str(threads), "-o", os.path.join(work, f"{threads}.model"))
                times.append(watch.seconds())
            one, all_threads = (open(os.path.join(work, f"{t}.model"), "rb").read() for t in (1, arguments.threads))
            (alone, _), (together, used) = times
            print(f"{name:10} {rows:8} {alone:9.2f}s {together:10.2f}s {alone / together:5.1f}x "
                  f"{ceiling([*command, '1'], arguments.threads, alone):7.1f}x {used:9.1f}s"
                  f"{'' if one == all_threads else '  MODELS DIFFER'}", flush=True)


if __name__ == "__main__":
    main()
