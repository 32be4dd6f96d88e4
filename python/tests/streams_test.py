# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Rows that come in batches, and tensors of other libraries."""

import subprocess
import sys
import warnings

import bochner
import numpy as np
import pytest
from bochner import _streams
from scipy import sparse

draws = np.random.default_rng(0)
X = draws.normal(size=(900, 4))
Y = np.sin(2 * X[:, 0]) + X[:, 1]
MACHINE = bochner.KernelRidge(1.0, n_components=64)
FEATURES = bochner.FourierFeatures(8, bandwidth=1.0)
CUTS = [slice(0, 400), slice(400, 401), slice(401, 900)]


class Tensor:
    """A tensor of another library: nothing but DLPack."""

    def __init__(self, values):
        self._values = values

    def __dlpack__(self, **options):
        return self._values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._values.__dlpack_device__()


def saved(machine, path):
    machine.save(path)
    return path.read_bytes()


def test_batches_give_the_bytes_of_the_whole(tmp_path):
    whole = saved(MACHINE.fit(X, Y), tmp_path / "whole")
    answers = MACHINE.predict(X)
    assert saved(MACHINE.fit((X[c], Y[c]) for c in CUTS), tmp_path / "batches") == whole
    assert np.array_equal(MACHINE.predict(X[c] for c in CUTS), answers)
    narrow = bochner.FourierFeatures(16, bandwidth=1.0)
    assert narrow.fit_transform(iter([X[:400].astype(np.float32), X[400:]])).dtype == np.float32
    weights = draws.uniform(1, 2, len(Y))
    weighted = saved(MACHINE.fit(X, Y, weights), tmp_path / "weighted")
    assert saved(MACHINE.fit((X[c], Y[c], weights[c]) for c in CUTS), tmp_path / "again") == weighted
    csr = MACHINE.fit((sparse.csr_array(X[c]), Y[c]) for c in CUTS).predict(sparse.csr_array(X))
    assert np.array_equal(csr, MACHINE.fit(sparse.csr_array(X), Y).predict(sparse.csr_array(X)))
    assert bochner.RandomizedSVD(2).fit(X[c] for c in CUTS).singular_values_.shape == (2,)


def test_wrong_batches_are_named():
    with pytest.raises(ValueError, match="no batch"):
        MACHINE.fit(iter([]))
    with pytest.raises(ValueError, match="columns"):
        MACHINE.fit(iter([(X[:10], Y[:10]), (X[:10, :2], Y[:10])]))
    with pytest.raises(ValueError, match="target y is None"):
        MACHINE.fit(iter([X]))
    with pytest.raises(ValueError, match="in the batches"):
        MACHINE.fit(iter([X]), Y)
    with pytest.raises(ValueError, match="infinity"):
        MACHINE.fit(iter([(np.where(X > 1, np.inf, X), Y)]))


def test_tensors_by_dlpack(tmp_path):
    whole = saved(MACHINE.fit(X, Y), tmp_path / "whole")
    assert saved(MACHINE.fit(Tensor(X), Tensor(Y)), tmp_path / "tensor") == whole
    assert np.array_equal(MACHINE.predict(Tensor(X)), MACHINE.predict(X))
    columns = np.asfortranarray(X)
    assert saved(MACHINE.fit(Tensor(columns), Y), tmp_path / "columns") == whole
    assert FEATURES.fit_transform(Tensor(X.astype(np.float32))).dtype == np.float32
    torch = pytest.importorskip("torch")
    assert saved(MACHINE.fit(torch.from_numpy(X).requires_grad_(), torch.from_numpy(Y)), tmp_path / "torch") == whole


class DeviceTensor:
    """A tensor in the memory of a GPU, which exports it nowhere else, as one of older libraries."""

    def __init__(self, values):
        self._values, self.shape, self.ndim = values, values.shape, values.ndim

    def __dlpack__(self, stream=None):
        raise AssertionError("asked for a view of another device's memory")

    def __dlpack_device__(self):
        return 2, 0

    def __len__(self):
        return len(self._values)


class CupyLike(DeviceTensor):
    def get(self):
        return self._values


class TorchLike(DeviceTensor):
    def cpu(self):
        return Tensor(self._values)


class CopyingTensor(DeviceTensor):
    """Exports a copy in main memory, as DLPack 1.0 has it."""

    def __dlpack__(self, *, dl_device=None, copy=None, **options):
        if dl_device != (1, 0):
            raise BufferError("not there")
        return self._values.copy().__dlpack__(**options)


def test_tensors_on_a_device_are_copied_or_refused(tmp_path):
    whole = saved(MACHINE.fit(X, Y), tmp_path / "whole")
    for kind in (CupyLike, TorchLike, CopyingTensor):
        assert saved(MACHINE.fit(kind(X), kind(Y)), tmp_path / kind.__name__) == whole
        assert np.array_equal(MACHINE.predict(kind(X)), MACHINE.predict(X))
        assert np.array_equal(FEATURES.fit(kind(X)).transform(kind(X)), FEATURES.fit_transform(X))
    for call in (lambda: MACHINE.fit(DeviceTensor(X), Y), lambda: MACHINE.predict(DeviceTensor(X)),
                 lambda: FEATURES.fit(DeviceTensor(X)), lambda: MACHINE.fit(iter([(DeviceTensor(X), Y)]))):
        with pytest.raises(ValueError, match="another device.*X.get()"):
            call()


def test_arrow_streams(tmp_path):
    pa = pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    names = list("abcd")
    frame = pandas.DataFrame(X, columns=names)
    whole = saved(MACHINE.fit(frame, Y), tmp_path / "whole")
    answers = MACHINE.predict(frame)
    table = pa.table(frame)

    def reader(table=table):
        return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=250))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for stream in (table, reader()):
            assert saved(MACHINE.fit(stream, Y), tmp_path / "stream") == whole
            assert list(MACHINE.feature_names_in_) == names
        assert np.array_equal(MACHINE.predict(reader()), answers)
    with pytest.raises(ValueError, match="feature names"):
        MACHINE.predict(table.rename_columns(list("abcx")))
    # Text and missing cells: as the table from a file. The first batch has none missing.
    frame["city"] = np.where(X[:, 2] > 0, "Bern", "Rome, Lazio")
    frame.loc[300, "b"] = np.nan
    labels = np.where(Y > 0, "yes", "no")
    mixed, svc = pa.table(frame), bochner.KernelSVC(C=1.0, n_components=32)
    expected = svc.fit(frame, labels).predict(frame)
    assert np.array_equal(svc.fit(reader(mixed), labels).predict(reader(mixed)), expected)
    assert list(svc.classes_) == ["no", "yes"]
    numbers = pa.table(frame[names])
    ridge = MACHINE.fit(frame[names], Y).predict(frame[names])
    assert np.allclose(MACHINE.fit(reader(numbers), Y).predict(reader(numbers)), ridge, atol=1e-6)


def test_a_query_of_duckdb():
    duckdb = pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    base = duckdb.connect()
    query = "select i % 7 as a, sin(i) as b, case when i % 2 = 0 then 'even' else 'odd' end as side from range(3000) t(i)"
    y = np.arange(3000) % 7 * 1.0
    machine = bochner.KernelRidge(n_components=64).fit(base.sql(query), y)
    assert machine.score(base.sql(query), y) > 0.9
    assert list(machine.feature_names_in_) == ["a", "b", "side"]


def test_batches_are_not_gathered_in_memory():
    """Peak memory of fitting 96 MB of rows that come in batches, in a process of its own."""
    code = """
import resource
import numpy as np
from bochner import FourierFeatures
def batches(count):
    for k in range(count):
        yield np.full((20000, 50), float(k))
features = FourierFeatures(2, bandwidth=1.0)
features.fit(batches(1))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
features.fit(batches(12))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 24 * 1024 + 96 * 1024  # kB; the mapped file may be resident, a second copy not


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_tables_of_columns_are_read_in_blocks(kind, monkeypatch):
    """Blocks of rows are read, no array of the whole; their answers are those of the whole."""
    library = pytest.importorskip(kind)
    monkeypatch.setattr(_streams, "BLOCK", 64)
    names = [f"x{j}" for j in range(X.shape[1])]
    whole = library.DataFrame(X, schema=names) if kind == "polars" else library.table(dict(zip(names, X.T)))
    made = []
    rows_of = _streams._data.rows_of
    monkeypatch.setattr("bochner._data.rows_of", lambda X, *more: made.append(X.shape[0]) or rows_of(X, *more))
    features = bochner.FourierFeatures(8, bandwidth=1.0).fit(whole)
    made.clear()
    found = features.transform(whole)
    assert max(made) == 64
    assert np.array_equal(found, bochner.FourierFeatures(8, bandwidth=1.0).fit_transform(X))
    machine = bochner.KernelRidge(n_components=64).fit(whole, Y)
    made.clear()
    answers = machine.predict(whole)
    assert max(made) == 64 and len(answers) == len(X)
    assert np.allclose(answers, bochner.KernelRidge(n_components=64).fit(X, Y).predict(X))
