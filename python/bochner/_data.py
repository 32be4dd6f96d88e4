# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What users have, as the library's rows: arrays and sparse matrices as views, tables with text and files by their reader."""

import contextlib
import os
import tempfile

import numpy as np
from scipy import sparse

from bochner import _core, _tables

MOST_NAMED = 10000  # columns whose names a model keeps


def is_path(X):
    return isinstance(X, (str, os.PathLike))


def schema_of(inputs, feature_names=None, targets=0, target_names=None, classes=None, sparse_rows=False):
    """The schema of numbers in memory: what the command finds in a CSV with these names, or in an .npy file."""
    schema = _core.Schema()
    schema.inputs, schema.targets, schema.sparse = inputs, targets, sparse_rows
    if classes is not None:
        schema.task, schema.labels = _core.Task.classification, [label_of(c) for c in classes]
    if not sparse_rows and inputs <= MOST_NAMED:
        schema.header = feature_names is not None
        names = list(feature_names) if schema.header else [f"x{j}" for j in range(inputs)]
        columns = [_column(name, _core.Column.Kind.numeric) for name in names]
        if targets:
            if target_names is None:
                target_names = [f"x{inputs + k}" for k in range(targets)]
                if schema.header:
                    target_names = ["target"] if targets == 1 else [f"target{k}" for k in range(targets)]
            columns += [_column(name, _core.Column.Kind.target) for name in target_names]
        schema.columns = columns
    return schema


def fill_by_means(schema, X):
    """What stands for a missing cell of new rows, as a CSV file of these numbers would have it."""
    learnt = _tables.frame_schema(X, [f"x{j}" for j in range(X.shape[1])]).columns
    columns = schema.columns
    for column, known in zip(columns, learnt):
        column.fill = known.fill
    schema.columns = columns


def refuse_unlearnt_gaps(X, schema):
    """An array without names and without NaN has told the training nothing that could stand for a missing cell."""
    if schema.header or any(column.fill or column.marked for column in schema.columns):
        return
    column = int(np.flatnonzero(np.isnan(X).any(axis=0))[0])
    raise ValueError(f"X: found NaN in column {column}, expected numbers: the rows of training had no missing cell; fill "
                     "it in, or train with rows that have some, or with a table")


def _column(name, kind):
    column = _core.Column()
    column.name, column.kind = str(name), kind
    return column


def label_of(value):
    """The text of a class, as a CSV file would hold it: 1 for 1.0."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    if isinstance(value, (bool, np.bool_)):
        return str(int(value))
    return str(value)


def classes_of(labels):
    """The classes that a file's labels are: whole numbers if all of them are written as such, otherwise text."""
    if labels and all(label.lstrip("-").isdigit() and str(int(label)) == label and len(label) < 19 for label in labels):
        return np.asarray([int(label) for label in labels])
    return np.asarray(labels)


def rows_of(X, schema, y=None, sample_weight=None):
    """Rows over memory that stays where it is: y and weights as float64, X as it is."""
    if y is not None:
        y = np.ascontiguousarray(y.reshape(len(y), -1), dtype=np.float64)
    if sample_weight is not None:
        sample_weight = np.ascontiguousarray(sample_weight, dtype=np.float64)
    X = _with_marks(X, schema)
    if not sparse.issparse(X):
        return _core.dense_rows(X, y, sample_weight, schema)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    own = _core.Schema(schema)
    own.sparse = True
    return _core.sparse_rows(
        X.data,
        X.indices.astype(np.uint32, copy=False) if X.indices.dtype != np.int32 else X.indices.view(np.uint32),
        X.indptr.astype(np.uint64),
        y,
        sample_weight,
        own,
    )


def needs_reader(schema):
    """Whether tables go to the model through the library's reader: text becomes indicators, missing cells are marked."""
    return any(column.kind in (_core.Column.Kind.category, _core.Column.Kind.ignored) or column.marked or column.mixed
               or column.dated for column in schema.columns)


def _with_marks(X, schema):
    """X with an input of zeros behind every column whose missing cells are marked: no number of an array is missing."""
    inputs = [column for column in schema.columns if column.kind == _core.Column.Kind.numeric]
    if X.shape[1] != len(inputs) or not any(column.marked for column in inputs):
        return X
    places = np.cumsum([0] + [1 + column.marked for column in inputs[:-1]])
    if sparse.issparse(X):
        ones = np.ones(len(places), X.dtype)
        return (X @ sparse.csr_matrix((ones, (np.arange(len(places)), places)), (len(places), schema.inputs))).tocsr()
    wide = np.zeros((X.shape[0], schema.inputs), X.dtype)
    wide[:, places] = X
    return wide


def joined_rows(X, y, sample_weight):
    """Few rows, sorted and without repetition; weights count how often each was there.

    A weight of two is then the row twice, a weight of 0 no row, to the bit and whatever is drawn or held out.
    """
    weights = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    found = {}
    for i in np.flatnonzero(weights > 0):
        row = X[[i]]
        parts = (row.indices, row.data) if sparse.issparse(row) else (row + 0.0,)
        key = b"".join(part.tobytes() for part in parts) + (b"" if y is None else np.asarray(y[i] + 0.0).tobytes())
        first, weight = found.get(key, (i, 0.0))
        found[key] = first, weight + weights[i]
    order = [found[key] for key in sorted(found)]
    take = np.array([i for i, _ in order], dtype=np.intp)
    joined = np.array([w for _, w in order])
    return X[take], None if y is None else y[take], None if np.all(joined == 1) else joined


def append_csv(X, path, columns=(), weights=None, header=True):
    """Adds a table, with further (name, values), to a CSV file."""
    columns = list(columns) + ([] if weights is None else [("sample_weight", weights)])
    taken = set(_tables.names_of(X))
    for name, _ in columns:
        if name in taken:
            raise ValueError(f"X: has a column {name!r} already, which is the name of the target or weights; rename it")
    if hasattr(X, "to_csv"):
        for name, values in columns:
            X = X.assign(**{name: values})
        X.to_csv(path, index=False, mode="w" if header else "a", header=header)
        return
    import pyarrow
    import pyarrow.csv

    table = _tables.arrow_table(X)
    views = [k for k, t in enumerate(table.schema.types) if str(t).endswith("_view")]  # not written as CSV
    for k in views:
        table = table.set_column(k, table.schema.names[k], table.column(k).cast(pyarrow.large_string()))
    for name, values in columns:
        table = table.append_column(name, pyarrow.array(values))
    with open(path, "wb" if header else "ab") as file:
        pyarrow.csv.write_csv(table, file, pyarrow.csv.WriteOptions(include_header=header))


@contextlib.contextmanager
def table_file(X, targets=(), weights=None):
    """A CSV file of the table while the context lasts. targets: (name, values) of columns beside it."""
    with tempfile.TemporaryDirectory(prefix="bochner-") as folder:
        path = os.path.join(folder, "table.csv")
        append_csv(X, path, targets, weights)
        yield path
