# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Fits of DuckDB relations: ``pip install bochner[duckdb]``.

Rows stream out of DuckDB as record batches, once a round, and memory holds the partitions that are being summed: Parquet
files may be larger than memory.
"""

from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait

from sklearn.base import clone

from bochner._docs import documented
from bochner._driver import drive, needed, summed
from bochner._words import count, execution_of

__all__ = ["fit"]

_BATCH = 1 << 14  # rows that DuckDB puts into one record batch


def _partitions(relation, rows):
    """Consecutive rows as lists of record batches, `rows` of them each."""
    held, missing = [], rows
    for batch in _reader(relation):
        while batch.num_rows:
            cut = batch.slice(0, missing)
            batch = batch.slice(cut.num_rows)
            held.append(cut)
            missing -= cut.num_rows
            if not missing:
                yield held
                held, missing = [], rows
    if held:
        yield held


def _reader(relation):
    for name in ("to_arrow_reader", "fetch_arrow_reader", "fetch_record_batch"):  # as DuckDB's versions have it
        if hasattr(relation, name):
            return getattr(relation, name)(_BATCH)
    raise ValueError(f"relation: found {type(relation).__name__}, expected a relation of DuckDB")


@documented
def fit(estimator, relation, *, y=None, sample_weight=None, rows=1 << 17, workers=1, retries=2, state=None, say=None):
    """The estimator of all rows of a relation.

    Parameters
    ----------
    estimator : estimator
        What to fit; it stays as it is. With ``n_jobs=None`` all cores are taken.
    relation : duckdb.DuckDBPyRelation
        It is run once a round, and must give the same rows in the same order then: tables and files do as long as DuckDB
        keeps ``preserve_insertion_order``; a query that joins or groups needs an ``ORDER BY``.
    y, sample_weight : str, default=None
        The column of targets and of weights of rows.
    rows : int, default=131072
        Rows of a partition: what memory holds at a time. A multiple of 1024.
    workers : int, default=1
        Partitions that are summed at a time, while DuckDB reads the next one.
    retries : int, default=2
        How often a partition may fail in a round before the fit is refused by its name.
    state : path, default=None
        The state is kept here: the same call after a kill goes on from it.
    {driven}
    """
    needed("duckdb", "duckdb")
    if count("rows", rows) % 1024:
        raise ValueError(f"rows: found {rows}, expected a multiple of 1024")
    total = relation.count("*").fetchall()[0][0]
    estimator = clone(estimator)
    if getattr(estimator, "n_jobs", 1) is None:
        estimator.set_params(n_jobs=max(1, execution_of(-1).threads))

    def run(plan, partitions):
        wanted = set(partitions)
        with ThreadPoolExecutor(count("workers", workers)) as pool:
            running = set()
            for k, held in enumerate(_partitions(relation, rows)):
                if k in wanted:
                    running.add(pool.submit(summed, plan, k, held))
                if len(running) >= workers:
                    ended, running = wait(running, return_when=FIRST_COMPLETED)
                    yield from (task.result() for task in ended)
            yield from (task.result() for task in running)

    return drive(run, estimator, -(-total // rows), y=y, sample_weight=sample_weight, retries=retries, state=state, say=say)
