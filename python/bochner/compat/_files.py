# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""sklearn.datasets' svmlight files, read by the library's parser."""

import os

import numpy as np
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from bochner import _core


def load_svmlight_file(f, *, n_features=None, dtype=np.float64, zero_based="auto"):
    """X (CSR) and y of a svmlight file, plain or compressed (.gz, .xz, .zst), parsed by all cores."""
    reading = _core.RowsOptions()
    reading.task = _core.Task.regression
    if zero_based != "auto":
        reading.index_base = 0 if zero_based else 1
    rows = _core.open_rows(os.fspath(f), reading)
    values, columns, offsets, targets = _core.read_sparse(rows)
    inputs = rows.schema.inputs
    if n_features is not None and n_features < inputs:
        raise ValueError(f"n_features was set to {n_features}, but input file contains {inputs} features")
    shape = (len(offsets) - 1, inputs if n_features is None else n_features)
    X = sparse.csr_matrix((values, columns.view(np.int32), offsets.astype(np.int64)), shape=shape, dtype=dtype)
    return X, targets[:, 0]


__all__ = ["dump_svmlight_file", "load_svmlight_file"]
