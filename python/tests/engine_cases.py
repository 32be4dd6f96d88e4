# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What the tests of all engines fit, and the bytes that every one of them must find."""

import functools
import hashlib
import os
import tempfile

import bochner
import numpy as np
from bochner import _driver

ROWS, CUT = 3500, 1024  # the last partition is shorter
draws = np.random.default_rng(0)
X = draws.normal(size=(ROWS, 4))
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
NAMES = ["a", "b", "c", "d"]
CUTS = [slice(k, min(k + CUT, ROWS)) for k in range(0, ROWS, CUT)]
ESTIMATORS = {
    "ridge": bochner.KernelRidge(n_components=64, bandwidth=2.0),
    "kmeans": bochner.KernelKMeans(3, n_map_features=32, max_iter=5),
    "gmm": bochner.GaussianMixture(2, max_iter=5),
    "automatic": bochner.KernelRegressor("fast"),  # whose rows meet
}


def frame():
    import pandas

    return pandas.DataFrame(X, columns=NAMES).assign(y=Y)


def table(k):
    """Partition k as a table of Arrow."""
    import pyarrow

    return pyarrow.Table.from_pandas(frame()[CUTS[k]], preserve_index=False)


def digest(fitted):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        fitted.save(path)
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()


@functools.cache
def expected(name):
    """The digest of one process that sums one partition after another."""
    return digest(_driver.drive(_driver.here(table), ESTIMATORS[name], len(CUTS), y="y"))
