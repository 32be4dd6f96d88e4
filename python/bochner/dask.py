# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Fits of Dask collections: ``pip install bochner[dask]``.

Each partition is summed where it lies, in rounds of independent tasks: workers come and go, and a lost one costs its
partitions. The estimator has the same bytes wherever and in whatever order the partitions were summed.
"""

import numpy as np

from bochner._docs import documented
from bochner._driver import Patience, drive, lost, needed, summed

__all__ = ["fit", "predict", "transform"]


def _partitions(collection, name):
    """Delayed partitions of rows: of a Dask array, DataFrame or Series."""
    if not needed("dask", "dask").is_dask_collection(collection):
        raise ValueError(f"{name}: found {type(collection).__name__}, expected a Dask array, DataFrame or Series")
    if getattr(collection, "ndim", 1) == 2 and len(getattr(collection, "numblocks", ())) == 2:
        collection = collection.rechunk({1: -1}) if collection.numblocks[1] > 1 else collection
        return list(collection.to_delayed().ravel())
    return list(collection.to_delayed())


def _beside(collection, name, rows):
    """Its partitions, as many as there are of rows."""
    found = _partitions(collection, name)
    if len(found) != len(rows):
        raise ValueError(f"{name}: found {len(found)} partitions, expected the {len(rows)} of X")
    return found


def _client(client):
    """The cluster of this program; None: tasks run on the scheduler that Dask's configuration names, in this process."""
    named = needed("dask", "dask").config.get("scheduler", None)
    if client is None and named in (None, "distributed", "dask.distributed"):
        try:
            from distributed import get_client

            return get_client()
        except (ImportError, ValueError):
            return None
    return client


@documented
def fit(estimator, X, y=None, *, sample_weight=None, sequence=None, client=None, retries=2, time_limit=None, state=None, say=None):
    """The estimator of all rows of a collection, or of files.

    Parameters
    ----------
    estimator : estimator
        What to fit; it stays as it is. With ``n_jobs=None`` each task takes one core.
    X : Dask array or DataFrame, or list of paths
        One partition of rows a task; it is read once a round, so persist what is dear to compute. Paths are of files that
        every worker can read (CSV, svmlight, .npy, Parquet).
    y, sample_weight : Dask array or Series, or str, default=None
        Targets and weights of rows, in the partitions of X, or the names of columns of X.
    {sequence}
    client : distributed.Client, default=None
        The cluster; None: that of this program, or else Dask's scheduler in this process.
    retries : int, default=2
        How often a partition may fail in a round before the fit is refused by its name.
    time_limit : float, default=None
        Seconds without any result after which the tasks that run are taken for hung: their workers are restarted and the
        tasks run again; the next time after twice as long, since workers have to start. It needs a cluster.
    state : path, default=None
        The driver's state is kept here: the same call after a kill goes on from it.
    {driven}
    """
    dask, client = needed("dask", "dask"), _client(client)
    if time_limit is not None and client is None:
        raise ValueError("time_limit: found without a cluster, expected None: tasks in threads of this process cannot be ended")
    named = {"y": y if isinstance(y, str) else None,
             "sample_weight": sample_weight if isinstance(sample_weight, str) else None, "sequence": sequence}
    rows = list(X) if isinstance(X, (list, tuple)) else _partitions(X, "X")
    ys, ws = (None if values is None or isinstance(values, str) else _beside(values, name, rows)
              for name, values in (("y", y), ("sample_weight", sample_weight)))
    none = [None] * len(rows)
    data = rows if ys is None and ws is None else list(zip(rows, ys or none, ws or none))
    task, patience = dask.delayed(summed, pure=False), Patience(time_limit)

    def run(plan, partitions):
        if client is None:
            return dask.compute(*[task(plan, k, data[k]) for k in partitions])
        return _on_cluster(client, task, plan, {k: data[k] for k in partitions}, patience)

    return drive(run, estimator, len(rows), retries=retries, state=state, say=say, **named)


def _on_cluster(client, task, plan, data, patience):
    """Results of one round as they come."""
    from concurrent.futures import CancelledError

    from distributed import wait

    shared = client.scatter(plan, broadcast=True, hash=False)
    futures = client.compute([task(shared, k, rows) for k, rows in data.items()])
    waiting = dict(zip(futures, data))
    try:
        while waiting:
            try:
                ended = wait(list(waiting), timeout=patience.seconds, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                _restart(client, waiting)
                yield from patience.lost(list(waiting.values()))
                return
            except CancelledError:  # the scheduler forgot tasks: workers that it lost had all copies of their plan
                ended = [future for future in waiting if future.status == "cancelled"]
            for future in ended:
                yield _of(future, waiting.pop(future))
    finally:
        client.cancel(list(waiting))


def _of(future, partition):
    """What came of a task that ended. Its bytes may have gone with a worker."""
    if future.status == "cancelled":
        return lost(partition, "its worker is gone, and its plan")
    try:
        return future.result()
    except Exception as error:
        return lost(partition, error)


def _restart(client, waiting):
    """Ends the workers that have one of the tasks, if they have nannies that start others."""
    keys = {future.key for future in waiting}
    stuck = [worker for worker, tasks in client.processing().items() if keys.intersection(map(str, tasks))]
    client.cancel(list(waiting))
    try:
        client.restart_workers(stuck, timeout=30, raise_for_error=False)
    except ValueError:
        pass  # no nannies: the hung threads stay


def _mapped(call, X, one):
    """call(partition) of each partition, lazily; one: whether it gives one number a row."""
    dask, da = needed("dask", "dask"), needed("dask.array", "dask")
    if isinstance(X, da.Array):
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        sample = call(np.zeros((1, X.shape[1]), dtype=X.dtype))
        if one:
            return X.map_blocks(call, drop_axis=1, dtype=sample.dtype)
        return X.map_blocks(call, chunks=(X.chunks[0], (sample.shape[1],)), dtype=sample.dtype)
    arrays = [dask.delayed(call, pure=True)(x) for x in _partitions(X, "X")]
    sample = call(np.zeros((1, len(X.columns))))
    blocks = [da.from_delayed(a, (np.nan, *sample.shape[1:]), sample.dtype) for a in arrays]
    return da.concatenate(blocks)


def predict(estimator, X):
    """The fitted estimator's answers for a collection, as a lazy Dask array."""
    return _mapped(estimator.predict, X, getattr(estimator, "_one_target", True))


def transform(estimator, X):
    """The fitted transformer's coordinates for a collection, as a lazy Dask array."""
    return _mapped(estimator.transform, X, False)
