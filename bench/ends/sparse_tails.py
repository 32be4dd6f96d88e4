# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""How many of the 5 10^7 pairs of 10,000 normal points are expected outside 1 +- 0.1 after `project --kind sparse`, by
the matrices that it draws, beside matrices that numpy draws.

A projection is linear: with G = R R^T / k the ratio of squared distances is u^T G u for a direction u, uniform on the
sphere. P(u^T G u > t) = P(sum (l_i - t) g_i^2 > 0) for the eigenvalues l of G and normal g: a saddle point gives it.

usage: sparse_tails.py [seeds of ours, 100] [matrices of numpy, 60]
"""
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2, norm

INPUTS, OUTPUTS, EPSILON, PAIRS = 256, 7894, 0.1, 10_000 * 9_999 / 2


def tail(eigenvalues, t):
    """Lugannani & Rice 1980: of the side of t that is away from the mean."""
    a = eigenvalues - t if t > 1 else t - eigenvalues
    if a.max() <= 0:
        return 0.0
    s = brentq(lambda s: (a / (1 - 2 * s * a)).sum(), 0, (1 - 1e-12) / (2 * a.max()))
    w = np.sqrt(np.log(1 - 2 * s * a).sum())
    v = s * np.sqrt((2 * a**2 / (1 - 2 * s * a) ** 2).sum())
    return norm.sf(w) + norm.pdf(w) * (1 / v - 1 / w)


def expected(matrix):
    eigenvalues = np.linalg.eigvalsh(matrix @ matrix.T)
    return PAIRS * (tail(eigenvalues, 1 + EPSILON) + tail(eigenvalues, 1 - EPSILON))


def ours(seeds):
    with tempfile.TemporaryDirectory() as folder:
        unit, model, out = (os.path.join(folder, name) for name in ("unit.npy", "model", "out.npy"))
        np.save(unit, np.eye(INPUTS, dtype=np.float32))
        for seed in range(seeds):
            for words in (["project", unit, "--kind", "sparse", "--dims", str(OUTPUTS), "--seed", str(seed), "-o", model],
                          ["transform", model, unit, "-o", out]):
                subprocess.run(["bochner", *words, "--quiet"], check=True)
            yield expected(np.load(out).astype(np.float64))


def numpy_drawn(kind, count):
    draw = np.random.default_rng(0)
    for _ in range(count):
        if kind == "gaussian":
            entries = draw.standard_normal((INPUTS, OUTPUTS))
        else:
            sides = draw.integers(0, 6, (INPUTS, OUTPUTS))
            entries = np.sqrt(3) * ((sides == 0).astype(float) - (sides == 1))
        yield expected(entries / np.sqrt(OUTPUTS))


def main():
    seeds, count = [int(word) for word in (sys.argv[1:] + ["100", "60"][len(sys.argv) - 1:])]
    print(f"pairs expected outside 1 +- {EPSILON}, a seed; by chi-square "
          f"{PAIRS * (chi2.sf((1 + EPSILON) * OUTPUTS, OUTPUTS) + chi2.cdf((1 - EPSILON) * OUTPUTS, OUTPUTS)):.4f}")
    for name, found in (("ours, sparse", ours(seeds)), ("numpy, sparse", numpy_drawn("sparse", count)),
                        ("numpy, gaussian", numpy_drawn("gaussian", count))):
        values = np.array(list(found))
        print(f"  {name:16} {values.mean():.4f} +- {values.std() / np.sqrt(len(values)):.4f}", flush=True)


if __name__ == "__main__":
    main()
