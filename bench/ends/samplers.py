# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Maps of kernels of histograms and products beside scikit-learn's: seconds of the processors to map rows in memory, and
the root mean squared error of products of rows against the exact kernel, of one draw.

usage: samplers.py    with the package bochner
"""
import numpy as np
from bochner import _core, _data, compat
from sklearn.kernel_approximation import AdditiveChi2Sampler, PolynomialCountSketch, SkewedChi2Sampler

import data

ROWS, INPUTS, FEATURES, CHECKED = 20_000, 64, 1024, 300


class Polynomial:
    """TensorSketch of (x.y / d + 1)^2 by the library."""

    def fit(self, X):
        self.map = _core.map_of_words(f"polynomial:degree=2,gamma={1 / INPUTS}", INPUTS, FEATURES, 0)
        return self

    def transform(self, X):
        rows = _data.rows_of(X, _data.schema_of(X.shape[1]))
        return self.map.transform_double(rows, _core.Execution())


def additive(x, y):
    return np.where(x + y > 0, 2 * x * y / np.maximum(x + y, 1e-300), 0).sum(-1)


def skewed(x, y):
    return np.prod(2 * np.sqrt((x + 1) * (y + 1)) / (x + y + 2), axis=-1)


def used(sampler, X):
    sampler.fit(X)
    sampler.transform(X[:64])  # what is drawn, is drawn
    best = np.inf
    for _ in range(3):
        watch = data.Watch()
        Z = sampler.transform(X)
        best = min(best, watch.seconds()[1])
    return best, Z[:CHECKED]


def main():
    X = np.random.default_rng(0).dirichlet(np.full(INPUTS, 0.3), ROWS)
    X[X < 1e-4] = 0
    pairs = X[:CHECKED, None], X[None, :CHECKED]
    cases = [("additive chi2", additive(*pairs), compat.AdditiveChi2Sampler(sample_steps=3),
              AdditiveChi2Sampler(sample_steps=3)),
             ("skewed chi2", skewed(*pairs), compat.SkewedChi2Sampler(n_components=FEATURES, random_state=0),
              SkewedChi2Sampler(n_components=FEATURES, random_state=0)),
             ("polynomial", (X[:CHECKED] @ X[:CHECKED].T / INPUTS + 1) ** 2, Polynomial(),
              PolynomialCountSketch(gamma=1 / INPUTS, degree=2, coef0=1, n_components=FEATURES, random_state=0))]
    for name, exact, ours, theirs in cases:
        (mine, Z), (other, W) = used(ours, X), used(theirs, X)
        error, peer = (np.sqrt(np.mean((V @ V.T - exact) ** 2)) for V in (Z, W))
        print(f"{name}: bochner {mine:.2f} s, error {error:.2e}; scikit-learn {other:.2f} s ({other / mine:.1f} x), "
              f"error {peer:.2e}", flush=True)


if __name__ == "__main__":
    main()
