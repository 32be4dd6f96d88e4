# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""How much memory `fit` takes beside a data frame: the peak of the process over the frame, frame included.

The bar is 1.3 times the frame. Every kind of frame is a process of its own; the peak before `fit` is the frame and what
Python and its packages take. The package is the one that PYTHONPATH or the environment has. Takes a minute for 256 MB.

usage: frame_memory.py [--megabytes N] [KIND ...]      kinds: numbers gaps mixed polars arrow
"""
import argparse
import json
import resource
import subprocess
import sys

import numpy as np

KINDS = ["numbers", "gaps", "mixed", "polars", "arrow"]
COLUMNS = 16


def now():
    with open("/proc/self/status", encoding="ascii") as file:
        return {line.split(":")[0]: int(line.split()[1]) / 1024 for line in file if line.startswith(("VmHWM", "VmRSS"))}


def frame_of(kind, rows):
    import pandas

    draws = np.random.default_rng(0)
    if kind in ("polars", "arrow"):
        columns = {f"x{j}": draws.normal(size=rows) for j in range(COLUMNS)}
        if kind == "polars":
            import polars

            return polars.DataFrame(columns), rows * COLUMNS * 8
        import pyarrow

        return pyarrow.table(columns), rows * COLUMNS * 8
    frame = pandas.DataFrame(draws.normal(size=(rows, COLUMNS)), columns=[f"x{j}" for j in range(COLUMNS)], copy=False)
    if kind == "gaps":
        frame.iloc[::10, 3] = np.nan
    if kind == "mixed":
        frame["when"] = pandas.date_range("2000-01-01", periods=rows, freq="min")
        frame["kind"] = pandas.Categorical.from_codes(draws.integers(0, 5, rows).astype(np.int8), list("abcde"))
    return frame, int(frame.memory_usage(index=False).sum())


def measure(kind, megabytes):
    import bochner

    frame, size = frame_of(kind, megabytes * 2**20 // (8 * COLUMNS))
    y = np.random.default_rng(1).normal(size=len(frame))
    small = frame[:1000]
    bochner.KernelRidge(n_components=64, bandwidth=4.0, n_jobs=2).fit(small, y[:1000])  # loads the packages
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")  # the peak begins anew
    before = now()["VmRSS"]
    bochner.KernelRidge(n_components=64, bandwidth=4.0, n_jobs=2).fit(frame, y)
    after = now()["VmHWM"]
    print(json.dumps({"kind": kind, "frame": size / 2**20, "before": before, "peak": after,
                      "beside": after - before, "seconds": resource.getrusage(resource.RUSAGE_SELF).ru_utime}))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=256)
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("kinds", nargs="*", default=KINDS)
    arguments = parser.parse_args()
    for kind in arguments.kinds:
        if arguments.measure:
            measure(kind, arguments.megabytes)
            continue
        found = json.loads(subprocess.run(
            [sys.executable, __file__, "--measure", "--megabytes", str(arguments.megabytes), kind], check=True,
            capture_output=True, text=True).stdout)
        print(f"{kind:8} frame {found['frame']:5.0f} MB, fit takes {found['beside']:5.0f} MB beside it: "
              f"{(found['frame'] + found['beside']) / found['frame']:.2f} times the frame", flush=True)


if __name__ == "__main__":
    main()
