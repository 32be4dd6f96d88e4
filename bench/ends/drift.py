# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The drift test: its level, its power beside the quadratic test, its speed.

    python bench/ends/drift.py level [--runs 2000]      shares of p <= 0.05 of files that differ by nothing
    python bench/ends/drift.py power [--runs 100]       at n = 2,000, beside MMD over all pairs with the median bandwidth
    python bench/ends/drift.py speed [--rows 1000000]   two files of 20 columns, 500 permutations

BOCHNER_COMMAND names the command. Standard errors are beside the shares. Needs numpy.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile
import time

import numpy as np

COMMAND = os.environ.get("BOCHNER_COMMAND", "build/release/bochner")


def drift(x, y, folder, *words):
    for name, rows in (("x", x), ("y", y)):
        np.save(folder / f"{name}.npy", rows.astype(np.float32))
    output = subprocess.run([COMMAND, "drift", folder / "x.npy", folder / "y.npy", "--json", "--quiet", *map(str, words)],
                            check=True, capture_output=True).stdout
    return json.loads(output)


def quadratic(x, y, rng, permutations=500):
    """Biased MMD^2 over all pairs, gaussian kernel, median bandwidth of standardized inputs, all rows permuted."""
    z = np.concatenate([x, y])
    z = (z - z.mean(0)) / z.std(0)
    n, total = len(x), len(z)
    square = (z**2).sum(1)
    distance = np.maximum(square[:, None] + square[None, :] - 2 * z @ z.T, 0)
    kernel = np.exp(-distance / (2 * np.median(distance[np.triu_indices(total, 1)])))
    signs = np.empty((total, permutations + 1), dtype=kernel.dtype)
    base = np.where(np.arange(total) < n, 1 / n, -1 / (total - n))
    for p in range(permutations + 1):
        signs[:, p] = base if p == 0 else rng.permutation(base)
    statistic = ((kernel @ signs) * signs).sum(0)
    return (statistic >= statistic[0] * (1 - 1e-6)).mean()


ALTERNATIVES = {
    "mean of 1 of 20": lambda rng, n: shifted(rng, n, 20, 0.17),
    "mean of all 20": lambda rng, n: (rng.normal(size=(n, 20)), rng.normal(size=(n, 20)) + 0.028),
    "deviation of all 5": lambda rng, n: (rng.normal(size=(n, 5)), 1.045 * rng.normal(size=(n, 5))),
    "correlation of 2 of 5": lambda rng, n: (rng.normal(size=(n, 5)), correlated(rng, n, 5, 0.17)),
    "two narrow peaks for one": lambda rng, n: (rng.normal(size=(n, 2)), peaks(rng, n)),
}


def shifted(rng, n, d, by):
    y = rng.normal(size=(n, d))
    y[:, 0] += by
    return rng.normal(size=(n, d)), y


def correlated(rng, n, d, rho):
    y = rng.normal(size=(n, d))
    y[:, 1] = rho * y[:, 0] + np.sqrt(1 - rho**2) * y[:, 1]
    return y


def peaks(rng, n):
    y = rng.normal(size=(n, 2))
    some = rng.random(n) < 0.5
    y[some, 0] = np.sign(y[some, 0]) * (0.8 + 0.6 * (np.abs(y[some, 0]) - 0.8))
    return y


def share(hits):
    hits = np.asarray(hits, dtype=float)
    return f"{hits.mean():.3f} +- {np.sqrt(max(hits.mean() * (1 - hits.mean()), 1e-9) / len(hits)):.3f}"


def level(runs, folder):
    for name, make in (("3 gaussian columns, 100 rows and 150", lambda rng: (rng.normal(size=(100, 3)), rng.normal(size=(150, 3)))),
                       ("2 heavy-tailed columns, 60 rows and 60", lambda rng: (rng.standard_t(2, size=(60, 2)), rng.standard_t(2, size=(60, 2))))):
        overall, columns = [], []
        for run in range(runs // 2):
            found = drift(*make(np.random.default_rng(run)), folder, "--seed", run)
            overall.append(found["p_value"] <= 0.05)
            columns.append(min(c["p_value"] for c in found["columns"]) <= 0.05)
        print(f"{name}: overall {share(overall)}, any column {share(columns)} of {runs // 2} runs", flush=True)


def power(runs, folder, rows):
    for name, make in ALTERNATIVES.items():
        ours, theirs = [], []
        for run in range(runs):
            rng = np.random.default_rng(run)
            x, y = make(rng, rows)
            ours.append(drift(x, y, folder, "--seed", run)["p_value"] <= 0.05)
            theirs.append(quadratic(x.astype(np.float32), y.astype(np.float32), rng) <= 0.05)
        print(f"{name}: drift {share(ours)}, quadratic {share(theirs)} of {runs} runs", flush=True)


def speed(rows, folder):
    rng = np.random.default_rng(0)
    for name in ("reference.csv", "new.csv"):
        np.savetxt(folder / name, rng.normal(size=(rows, 20)), delimiter=",", fmt="%.5f",
                   header=",".join(f"x{j}" for j in range(20)), comments="")
    begin = time.time()
    output = subprocess.run([COMMAND, "drift", folder / "reference.csv", folder / "new.csv", "--json", "--quiet"],
                            check=True, capture_output=True).stdout
    found = json.loads(output)
    print(f"two files of {rows} x 20: {time.time() - begin:.1f} s, {found['permutations']} permutations, "
          f"{found['features']} features, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("level", "power", "speed"))
    parser.add_argument("--runs", type=int)
    parser.add_argument("--rows", type=int)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if words.what == "level":
            level(words.runs or 2000, folder)
        elif words.what == "power":
            power(words.runs or 100, folder, words.rows or 2000)
        else:
            speed(words.rows or 1000000, folder)
