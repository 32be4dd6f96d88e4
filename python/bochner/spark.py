# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Fits of Spark data frames: ``pip install bochner[spark]``.

Every round is one ``mapInArrow`` over the frame, without barrier mode: executors may come and go, and rows reach the task
as Arrow batches.
"""

import contextlib
import threading

from bochner._docs import documented
from bochner._driver import Result, drive, lost, needed, summed

__all__ = ["fit"]

_SCHEMA = "partition int, sums binary, wrong string, final boolean"


def _partition():
    return needed("pyspark", "spark").TaskContext.get().partitionId()


def _batch(result):
    import pyarrow

    kinds = (pyarrow.int32(), pyarrow.binary(), pyarrow.string(), pyarrow.bool_())
    columns = [pyarrow.array([value], kind) for value, kind in zip(result, kinds)]
    return pyarrow.RecordBatch.from_arrays(columns, names=list(Result._fields))


def _counted(batches):
    """The task that finds how many partitions there are."""
    yield _batch(Result(_partition()))


def _within(seconds, partition, task):
    """What the task returns, or that it took longer; its thread is left behind then."""
    if seconds is None:
        return task()
    found = []
    thread = threading.Thread(target=lambda: found.append(task()), daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0] if found else lost(partition, TimeoutError(f"no result within {seconds:g} s"))


def _task(plan, partitions, time_limit):
    def sums_of(batches):
        partition = _partition()
        if partition in partitions:
            rows = list(batches)
            yield _batch(_within(time_limit, partition, lambda: summed(plan, partition, rows)))

    return sums_of


@contextlib.contextmanager
def _pinned(session):
    """Keeps the cut of the frame, which would follow the executors that are there."""
    conf, wanted = session.conf, {"spark.sql.adaptive.enabled": "false"}
    if conf.get("spark.sql.leafNodeDefaultParallelism", None) is None and hasattr(session, "sparkContext"):
        wanted["spark.sql.leafNodeDefaultParallelism"] = str(session.sparkContext.defaultParallelism)
    before = {name: conf.get(name, None) for name in wanted}
    try:
        for name, value in wanted.items():
            conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            if value is None:
                conf.unset(name)
            else:
                conf.set(name, value)


@documented
def fit(estimator, frame, *, y=None, sample_weight=None, sequence=None, retries=2, time_limit=None, state=None, say=None):
    """The estimator of all rows of a data frame, the same bytes whichever executor summed what.

    Parameters
    ----------
    estimator : estimator
        What to fit; it stays as it is. With ``n_jobs=None`` each task takes one core.
    frame : pyspark.sql.DataFrame
        Its partitions are read once a round, and must hold the same rows in the same order then: files do, and so does
        what ``persist()`` keeps.
    y, sample_weight : str, default=None
        The column of targets and of weights of rows.
    {sequence}
    retries : int, default=2
        How often a partition may fail in a round before the fit is refused by its name. An executor that is lost does not
        count: Spark runs its tasks again, ``spark.task.maxFailures`` times.
    time_limit : float, default=None
        Seconds that the sums of one partition may take; a task that takes longer is run again. Executors that are gone or
        frozen are Spark's concern.
    state : path, default=None
        The driver's state is kept here after every round: the same call after a kill goes on from it.
    {driven}
    """
    needed("pyspark", "spark")
    with _pinned(frame.sparkSession):
        count = max((row.partition for row in frame.mapInArrow(_counted, _SCHEMA).collect()), default=-1) + 1

        def run(plan, partitions):
            try:
                rows = frame.mapInArrow(_task(plan, set(partitions), time_limit), _SCHEMA).collect()
            except Exception as error:  # Spark has tried again: a task's own errors are results
                return [lost(k, error) for k in partitions]
            return [Result(row.partition, bytes(row.sums), row.wrong, row.final) for row in rows]

        return drive(run, estimator, count, y=y, sample_weight=sample_weight, sequence=sequence, retries=retries, state=state, say=say)
