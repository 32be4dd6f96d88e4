# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Reduced sets beside the methods that were there before.

    python bench/ends/reduce.py mixture [--sets 20] [--most 20]   three gaussians in 2-D, N = 1000, n = 1 ... 20: mean
                                                                 exact RKHS distance and seconds of each method
    python bench/ends/reduce.py large                            d = 50, N = 100,000, n = 200

BOCHNER_COMMAND names the command, on one thread for the small sets. Needs numpy.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

COMMAND = os.environ.get("BOCHNER_COMMAND", "build/release/bochner")
METHODS = ("joint", "fixed-point", "rsrf", "herding", "thinning", "kmeans")


def reduce(file, folder, *words):
    output = subprocess.run([COMMAND, "reduce", file, "--json", "--quiet", "-o", folder / "points.csv", *map(str, words)],
                            check=True, capture_output=True).stdout
    return json.loads(output)


def mixture_rows(seed, rows=1000):
    """A mixture of three gaussians: means, deviations and weights are random, covariances diagonal."""
    rng = np.random.default_rng(seed)
    means, deviations, weights = 2 * rng.normal(size=(3, 2)), np.abs(0.7 * rng.normal(size=(3, 2))) + 0.1, rng.random(3)
    which = rng.choice(3, size=rows, p=weights / weights.sum())
    return means[which] + deviations[which] * rng.normal(size=(rows, 2))


def mixture(sets, most, folder):
    distance, seconds = {}, {}
    numbers = [n for n in range(1, most + 1)]
    for seed in range(sets):
        file = folder / "rows.npy"
        np.save(file, mixture_rows(seed))
        for n in numbers:
            for method in METHODS[:3]:
                found = reduce(file, folder, "--points", n, "--method", method, "--seed", seed, "--threads", 1)
                distance.setdefault((method, n), []).append(found["rkhs_distance"])
                seconds.setdefault((method, n), []).append(found["seconds"])
    print(f"{'n':>3} " + " ".join(f"{m:>24}" for m in METHODS[:3]) + "   mean distance, median seconds")
    for n in numbers:
        print(f"{n:>3} " + " ".join(f"{np.mean(distance[m, n]):12.3e} {np.median(seconds[m, n]):10.2e} s"
                                    for m in METHODS[:3]), flush=True)
    nearest = all(np.mean(distance["joint", n]) < min(np.mean(distance[m, n]) for m in METHODS[1:3]) for n in numbers)
    faster = [n for n in numbers if np.median(seconds["joint", n]) < min(np.median(seconds[m, n]) for m in METHODS[1:3])]
    print(f"joint is nearest at every n: {nearest}; fastest at n = {faster}; at n = {most} its distance is "
          f"{np.mean(distance['joint', most]) / np.mean(distance['fixed-point', most]):.4f} of the fixed point's; "
          f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


def large(folder):
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(30, 50))
    rows = centres[rng.integers(0, 30, 100000)] + 0.7 * rng.normal(size=(100000, 50))
    np.save(folder / "rows.npy", rows.astype(np.float32))
    for method in ("joint", "kmeans", "herding", "thinning"):
        found = reduce(folder / "rows.npy", folder, "--points", 200, "--method", method)
        print(f"{method}: distance {found['rkhs_distance']:.5f} of {found['rkhs_norm']:.4f}, {found['seconds']:.1f} s, "
              f"{found['seconds_total']:.1f} s with the distance; load average {os.getloadavg()[0]:.1f} on "
              f"{os.cpu_count()} cores", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("mixture", "large"))
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--most", type=int, default=20)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        mixture(words.sets, words.most, pathlib.Path(name)) if words.what == "mixture" else large(pathlib.Path(name))
