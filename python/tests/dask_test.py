# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Dask collections: the bytes of one machine, on a cluster of processes of which one is killed while it sums."""

import os
import signal
import threading
import time

import bochner
import numpy as np
import pytest
from bochner import _driver

pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

import dask.array as da  # noqa: E402
import bochner.dask  # noqa: E402

draws = np.random.default_rng(0)
X = draws.normal(size=(6000, 4))
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
ROWS = 1000
MACHINE = bochner.KernelRidge(n_components=128, bandwidth=2.0)


def one_machine(y, machine=MACHINE):
    """The estimator that one process finds, a partition after the other."""
    parts = [(X[k : k + ROWS], y[k : k + ROWS]) for k in range(0, len(X), ROWS)]
    return _driver.drive(_driver.here(parts.__getitem__), machine, len(parts))


def saved(machine, path):
    machine.save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def test_the_bytes_of_one_machine_though_a_worker_dies(client, tmp_path):
    expected = saved(one_machine(Y), tmp_path / "one")
    marker = tmp_path / "go"

    def slowly(block):
        marker.touch()
        time.sleep(0.3)
        return block

    killed = []

    def kill():
        while not marker.exists():
            time.sleep(0.01)
        time.sleep(0.5)
        process = next(iter(client.run(os.getpid).values()))
        os.kill(process, signal.SIGKILL)
        killed.append(process)

    thread = threading.Thread(target=kill)
    thread.start()
    rows = da.from_array(X, chunks=(ROWS, 2)).rechunk((ROWS, 4)).map_blocks(slowly, dtype=float)
    machine = bochner.dask.fit(MACHINE, rows, da.from_array(Y, chunks=ROWS))
    thread.join()
    assert killed
    assert saved(machine, tmp_path / "dask") == expected
    answers = bochner.dask.predict(machine, rows[:2000])
    assert np.array_equal(answers.compute(), machine.predict(X[:2000]))


def test_classes_tables_and_factors():
    """The scheduler may as well be threads of this process."""
    pandas = pytest.importorskip("pandas")
    import dask
    import dask.dataframe as dd

    labels = np.where(Y > 0, "up", "down")
    with dask.config.set(scheduler="threads"):
        classifier = bochner.KernelRidgeClassifier(n_components=128, bandwidth=2.0)
        machine = bochner.dask.fit(classifier, da.from_array(X, chunks=(ROWS, 2)), da.from_array(labels, chunks=ROWS))
        assert list(machine.classes_) == ["down", "up"]
        assert np.array_equal(machine.predict(X), one_machine(labels, classifier).predict(X))
        table = dd.from_pandas(pandas.DataFrame(X, columns=list("abcd")).assign(y=Y), npartitions=4)
        ridge = bochner.dask.fit(MACHINE, table[list("abcd")], table["y"])
        assert np.array_equal(bochner.dask.fit(MACHINE, table, "y").predict(X), ridge.predict(X))
        assert ridge.score(X, Y) > 0.9
        assert np.array_equal(bochner.dask.predict(ridge, table[list("abcd")]).compute(), ridge.predict(X))
        tall = X * [4, 3, 2, 1]
        factor = bochner.dask.fit(bochner.RandomizedSVD(2), da.from_array(tall, chunks=(ROWS, 4)))
        expected = bochner.RandomizedSVD(2).fit(tall)
        assert np.allclose(factor.singular_values_, expected.singular_values_)
        assert np.allclose(np.abs(bochner.dask.transform(factor, da.from_array(tall, chunks=(ROWS, 4))).compute()),
                           np.abs(expected.transform(tall)), atol=1e-6)


def test_weights_and_weights_of_classes():
    import dask

    weights = np.where(X[:, 3] > 0, 1.0, 0.0)
    rows, ones = da.from_array(X, chunks=(ROWS, 4)), da.from_array(weights, chunks=ROWS)
    with dask.config.set(scheduler="threads"):
        ridge = bochner.KernelRidge(3.0, n_components=128, bandwidth=2.0, scale="none")
        found = bochner.dask.fit(ridge, rows, da.from_array(Y, chunks=ROWS), sample_weight=ones)
        kept = weights > 0
        assert found.score(X[kept], Y[kept]) > 0.8
        parts = [(X[k : k + ROWS], Y[k : k + ROWS], weights[k : k + ROWS]) for k in range(0, len(X), ROWS)]
        one = _driver.drive(_driver.here(parts.__getitem__), ridge, len(parts))
        assert np.array_equal(found.predict(X), one.predict(X))
        labels = da.from_array(Y > 1, chunks=ROWS)
        plain = bochner.KernelRidgeClassifier(1.0, n_components=128, bandwidth=2.0)
        heavy = bochner.KernelRidgeClassifier(1.0, class_weight={True: 20.0}, n_components=128, bandwidth=2.0)
        shares = [bochner.dask.fit(machine, rows, labels).predict(X).mean() for machine in (plain, heavy)]
        assert shares[1] > shares[0] + 0.05
        assert list(bochner.dask.fit(plain, rows, labels).classes_) == [False, True]  # as 0 and 1, which partitions carry
        with pytest.raises(ValueError, match="sample_weight.*partitions"):
            bochner.dask.fit(ridge, rows, labels, sample_weight=da.from_array(weights, chunks=3000))


def test_columns_and_collections_may_be_mixed():
    pandas = pytest.importorskip("pandas")
    import dask
    import dask.dataframe as dd

    frame = pandas.DataFrame(X, columns=list("abcd")).assign(y=Y, w=1.0 + (X[:, 3] > 0))
    table = dd.from_pandas(frame, npartitions=4)
    inputs = table[list("abcd")]
    with dask.config.set(scheduler="threads"):
        both = bochner.dask.fit(MACHINE, inputs, table["y"], sample_weight=table["w"]).predict(X)
        for rows, y, w in ((table.drop(columns="w"), "y", table["w"]), (table.drop(columns="y"), table["y"], "w"),
                           (table, "y", "w")):
            assert np.array_equal(bochner.dask.fit(MACHINE, rows, y, sample_weight=w).predict(X), both)


def test_mistakes_are_named():
    import dask

    rows = da.from_array(X, chunks=(ROWS, 4))
    with pytest.raises(ValueError, match="X.*Dask"):
        bochner.dask.fit(MACHINE, X, Y)
    with pytest.raises(ValueError, match="partitions"):
        bochner.dask.fit(MACHINE, rows, da.from_array(Y, chunks=3000))
    with pytest.raises(ValueError, match="KernelRidge"):
        bochner.dask.fit(bochner.NearestNeighbors(), rows)
    with dask.config.set(scheduler="threads"), pytest.raises(ValueError, match="time_limit"):
        bochner.dask.fit(MACHINE, rows, da.from_array(Y, chunks=ROWS), time_limit=1)


def test_tasks_that_the_scheduler_forgets_run_again(client, tmp_path, monkeypatch):
    real, times = distributed.wait, []

    def forgetful(futures, **named):
        times.append(len(futures))
        if len(times) == 2:
            client.cancel(futures[:2])
        return real(futures, **named)

    monkeypatch.setattr(distributed, "wait", forgetful)
    found = bochner.dask.fit(MACHINE, da.from_array(X, chunks=(ROWS, 4)), da.from_array(Y, chunks=ROWS), client=client)
    assert saved(found, tmp_path / "again") == saved(one_machine(Y), tmp_path / "one")
    assert 1 <= sum(found.rounds_.again) <= 2  # the first one may have ended before


def test_sequences_are_told_apart_by_a_column(tmp_path):
    paths = [tmp_path / f"{part}.csv" for part in range(3)]
    for part, path in enumerate(paths):
        rows = [f"{np.sin(i + part):.3f},{i % 2},{part}-{i // 9},{'up' if i // 9 % 2 else 'down'}" for i in range(180)]
        path.write_text("\n".join(["a,b,id,kind", *rows, ""]))
    machine = bochner.HMMClassifier(n_states=2, n_init=1, random_state=1)
    alone = _driver.drive(_driver.here(paths.__getitem__), machine, 3, y="kind", sequence="id")
    fitted = bochner.dask.fit(machine, paths, "kind", sequence="id")
    assert saved(fitted, tmp_path / "dask") == saved(alone, tmp_path / "alone")
