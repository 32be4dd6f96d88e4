#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Our CSV reader beside pandas' C engine and numpy.loadtxt, on one file.

    bench/ends/csv_peer.py [FILE]

FILE is numeric with a header; by default one in the shape of covtype is made. Both sides keep the least of several
runs and give float32; pandas and numpy use one thread. bench_csv is looked for in bench/ of the folders on PATH.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy
import pandas

REPEATS = 5


def find_bench():
    for folder in os.environ["PATH"].split(os.pathsep):
        program = pathlib.Path(folder, "bench", "bench_csv")
        if program.exists():
            return str(program)
    sys.exit("csv_peer.py: no bench/bench_csv in the folders on PATH; put the build folder there")


def least(work, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    bench = find_bench()
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 1:
            path = sys.argv[1]
        else:
            path = os.path.join(folder, "made.csv")
            subprocess.run([bench, "--make", path], check=True)
        size = os.path.getsize(path) / 1e6
        output = subprocess.run([bench, path, "-1", str(REPEATS)], check=True, capture_output=True, text=True).stdout
        ours = {
            (what.strip(), int(threads)): float(seconds)
            for what, threads, seconds in re.findall(r"csv (.{11}) (\d+) threads +([0-9.]+) s", output)
        }
        peers = {
            "pandas.read_csv": least(lambda: pandas.read_csv(path, engine="c", dtype="float32"), REPEATS),
            "numpy.loadtxt": least(lambda: numpy.loadtxt(path, delimiter=",", skiprows=1, dtype="float32"), 1),
        }
    for (what, threads), seconds in ours.items():
        print(f"bochner {what}, {threads} threads: {seconds:.3f} s, {size / seconds:.0f} MB/s")
    for peer, seconds in peers.items():
        ratios = ", ".join(f"{seconds / ours['read float', t]:.1f} x with {t} threads" for t in (1, 2))
        print(f"{peer}: {seconds:.3f} s, {size / seconds:.0f} MB/s; our read is faster by {ratios}")


if __name__ == "__main__":
    main()
