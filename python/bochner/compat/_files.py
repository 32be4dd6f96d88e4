# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""sklearn.datasets' svmlight files, read by the library's parser."""

import os

import numpy as np
from scipy import sparse
from sklearn.datasets import dump_svmlight_file
from sklearn.datasets import load_svmlight_file as _theirs

from bochner import _core


def load_svmlight_file(
    f, *, n_features=None, dtype=np.float64, multilabel=False, zero_based="auto", query_id=False, offset=0, length=-1):
    """X (CSR) and y of a svmlight file, plain or compressed (.gz, .xz, .zst), parsed by all cores.

    Open files, bz2, several labels a row, query numbers and parts of a file by bytes are scikit-learn's own.
    """
    path = os.fspath(f) if isinstance(f, (str, bytes, os.PathLike)) else ""
    path = os.fsdecode(path)
    if not path or path.endswith(".bz2") or multilabel or query_id or offset or length != -1:
        return _theirs(f, n_features=n_features, dtype=dtype, multilabel=multilabel, zero_based=zero_based,
                       query_id=query_id, offset=offset, length=length)
    reading = _core.RowsOptions()
    reading.task = _core.Task.regression
    if zero_based != "auto":
        reading.index_base = 0 if zero_based else 1
    rows = _core.open_rows(path, reading)
    values, columns, offsets, targets = _core.read_sparse(rows)
    inputs = rows.schema.inputs
    if n_features is not None and n_features < inputs:
        raise ValueError(f"n_features was set to {n_features}, but input file contains {inputs} features")
    shape = (len(offsets) - 1, inputs if n_features is None else n_features)
    X = sparse.csr_matrix((values, columns.view(np.int32), offsets.astype(np.int64)), shape=shape, dtype=dtype)
    return X, targets[:, 0]


__all__ = ["dump_svmlight_file", "load_svmlight_file"]
