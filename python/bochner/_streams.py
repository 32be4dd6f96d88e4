# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Rows that come in batches (iterators, Arrow streams) and tensors of other libraries (DLPack).

A machine passes over its rows several times, so batches are written to a file first: numbers to one that is mapped,
tables with text are gathered as codes and numbers. Of arrays and tables of numbers memory holds one batch.
"""

import contextlib
import os
import tempfile

import numpy as np
from scipy import sparse

from bochner import _data, _tables

BLOCK = 1 << 16  # rows of a table of columns that are put in the order of rows at a time


def is_arrow(X):
    """Whether X is an Arrow stream or table, other than the data frames that scikit-learn knows."""
    return hasattr(X, "__arrow_c_stream__") and _tables.library_of(X) not in ("pandas", "polars")


def is_iterator(X):
    return hasattr(X, "__next__") and not hasattr(X, "read")


def is_stream(X):
    return is_arrow(X) or is_iterator(X)


def from_tensor(X):
    """Tensors of torch, CuPy, JAX and others as NumPy arrays: views, or copies from other devices."""
    if isinstance(X, (np.ndarray, np.generic)) or not hasattr(X, "__dlpack__") or hasattr(X, "columns"):
        return X
    if _tables.library_of(X) == "pyarrow":  # whose tensors are without text and missing cells
        return X.to_numpy(zero_copy_only=False)
    X = X.detach() if hasattr(X, "detach") else X
    if int(X.__dlpack_device__()[0]) == 1:
        return np.from_dlpack(X)
    try:
        return np.from_dlpack(X, device="cpu")
    # TypeError: NumPy before 2.1. The others: the library that has the tensor does not copy between devices so.
    except (TypeError, ValueError, RuntimeError, BufferError, NotImplementedError) as reason:
        if hasattr(X, "cpu"):
            return np.from_dlpack(X.cpu())
        if hasattr(X, "get"):
            return X.get()
        raise ValueError("X: found a tensor in the memory of another device, expected one that can be copied to the "
                         "processor's; copy it before (torch: X.cpu(), CuPy: X.get())") from reason


def record_batches(X):
    """The batches of an Arrow stream, long ones cut: a table may come as one."""
    for batch in _reader_of(X):
        for begin in range(0, batch.num_rows, BLOCK):
            yield batch.slice(begin, BLOCK)


def frame_blocks(X):
    """A long frame of Polars, whose columns lie apart, a block of rows at a time; None for what is no such frame."""
    if type(X).__module__.partition(".")[0] != "polars" or getattr(X, "height", 0) <= BLOCK:
        return None
    return [X.slice(begin, BLOCK) for begin in range(0, X.height, BLOCK)]


def stacked(parts, rows=None):
    """What was made of blocks, one below the other; rows: how many there will be, if that is known."""
    parts = iter(parts)
    first = next(parts, None)
    if first is None:
        raise ValueError("X: found no batch, expected at least one")
    if rows is None or sparse.issparse(first):
        return sparse.vstack([first, *parts], format="csr") if sparse.issparse(first) else np.concatenate([first, *parts])
    whole = np.empty((rows, *first.shape[1:]), first.dtype)
    end = 0
    for part in (p for group in ([first], parts) for p in group):
        whole[end : end + len(part)] = part
        end += len(part)
    return whole


def _reader_of(X):
    try:
        import pyarrow
    except ImportError as missing:
        raise ImportError("X: Arrow streams need the package pyarrow: pip install pyarrow") from missing
    if isinstance(X, pyarrow.RecordBatchReader):
        return X
    return pyarrow.RecordBatchReader.from_stream(X)


def _parts(batch):
    """X, y and weights of a batch: a tuple of up to three, or X alone."""
    if isinstance(batch, tuple):
        if not 1 <= len(batch) <= 3:
            raise ValueError(f"X: found a batch of {len(batch)} things, expected X, (X, y) or (X, y, sample_weight)")
        return (*batch, None, None)[:3]
    return batch, None, None


def _batches(X, y, weights):
    """X, y and weights of each batch, whatever X is."""
    if is_iterator(X) and not is_arrow(X):
        if y is not None or weights is not None:
            raise ValueError("y: found beside an iterator, expected it in the batches: (X, y) or (X, y, sample_weight)")
        for batch in X:
            yield _parts(batch)
        return
    at = 0
    for batch in record_batches(X):
        cut = slice(at, at + batch.num_rows)
        at += batch.num_rows
        yield batch, *(None if values is None else values[cut] for values in (y, weights))


def inputs_of(X):
    """X of each batch that has rows."""
    for batch in record_batches(X) if is_arrow(X) else X:
        batch = _parts(batch)[0]
        if getattr(batch, "num_rows", 1):
            yield batch


def numbers_of(X):
    """A batch as a matrix; missing cells are NaN. And the names of its columns, if it has some."""
    X = from_tensor(X)
    if hasattr(X, "schema") and hasattr(X, "num_rows"):
        columns = [column.cast("float64").to_numpy(zero_copy_only=False) for column in X.columns]
        return np.column_stack(columns), [str(name) for name in X.schema.names]
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
    return (X if sparse.issparse(X) else np.asarray(X)), names


class Spool:
    """Batches: ``X`` mapped from a file, or a ``table`` in memory; ``y`` and ``weights`` in memory; ``names``."""

    X = table = y = weights = names = None

    def __init__(self, folder):
        self._folder, self._y, self._weights, self._sparse = folder, [], [], []
        self._file = self._dtype = self._columns = self._tables = None
        self._rows = 0

    def add(self, X, y, weights):
        X = from_tensor(X)
        if getattr(X, "ndim", 2) != 2:
            raise ValueError(f"X: found a batch of {X.ndim} dimensions, expected 2")
        X = _tables.collected(X)
        if self._tables is None:
            self._tables = _tables.is_table(X) and not _tables.is_plain(X)
        self._y.append(y if y is None else np.asarray(from_tensor(y)))
        self._weights.append(weights if weights is None else np.asarray(from_tensor(weights)))
        if self._tables:
            self.table = self.table or _tables.Gathered()
            self.table.add(X)
        else:
            self._add_numbers(X)

    def _add_numbers(self, X):
        X, names = numbers_of(X)
        if self._columns is None:
            self._columns, self.names = X.shape[1], names
            self._dtype = np.float32 if X.dtype == np.float32 else np.float64
            self._file = open(os.path.join(self._folder, "rows"), "w+b")
        if X.shape[1] != self._columns:
            raise ValueError(f"X: found a batch of {X.shape[1]} columns after batches of {self._columns}")
        self._rows += X.shape[0]
        if sparse.issparse(X):
            self._sparse.append(X.tocsr())
        else:
            np.ascontiguousarray(X, dtype=self._dtype).tofile(self._file)

    def finish(self):
        if not self._y:
            raise ValueError("X: found no batch, expected at least one")
        for kind in ("_y", "_weights"):
            values = getattr(self, kind)
            if any(v is None for v in values) != all(v is None for v in values):
                raise ValueError("X: some batches have y or weights and others have none")
            setattr(self, kind[1:], None if values[0] is None else np.concatenate(values))
        if self._tables:
            return self
        if self._sparse:
            if sum(part.shape[0] for part in self._sparse) != self._rows:
                raise ValueError("X: some batches are sparse and others are not")
            self.X = sparse.vstack(self._sparse, format="csr")
            return self
        self._file.flush()
        if not self._rows:
            self.X = np.zeros((0, self._columns), self._dtype)
        else:
            self.X = np.memmap(self._file, dtype=self._dtype, mode="r", shape=(self._rows, self._columns))
        self._file.close()
        return self


@contextlib.contextmanager
def spooled(X, y=None, weights=None):
    """What all batches hold. The mapped file lives as long as the array does."""
    with tempfile.TemporaryDirectory(prefix="bochner-") as folder:
        spool = Spool(folder)
        for batch in _batches(X, y, weights):
            spool.add(*batch)
        yield spool.finish()
