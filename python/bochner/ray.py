# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Fits on a Ray cluster: ``pip install bochner[ray]``.

Every round is one task a partition, and no task waits for another: Ray runs a lost one again elsewhere.
"""

from bochner._docs import documented
from bochner._driver import Patience, drive, lost, needed, summed

__all__ = ["fit"]


@documented
def fit(estimator, rows, *, y=None, sample_weight=None, sequence=None, retries=2, time_limit=None, state=None, say=None):
    """The estimator of all rows of a dataset, the same bytes whichever worker summed what.

    Parameters
    ----------
    estimator : estimator
        What to fit; it stays as it is. With ``n_jobs=None`` each task takes one core.
    rows : ray.data.Dataset, or list of partitions
        A partition is an object reference of Ray, an Arrow table, a function that returns one, or the path of a file that
        every worker can read (CSV, svmlight, .npy, Parquet). Blocks of a dataset stay in Ray's memory.
    y, sample_weight : str, default=None
        The column of targets and of weights of rows.
    {sequence}
    retries : int, default=2
        How often a partition may fail in a round before the fit is refused by its name. A worker that is killed does not
        count: Ray runs its task again.
    time_limit : float, default=None
        Seconds without any result after which the tasks that run are taken for hung, killed and run again; the next time
        after twice as long, since workers have to start.
    state : path, default=None
        The driver's state is kept here: the same call after a kill goes on from it.
    {driven}
    """
    ray = needed("ray", "ray")
    parts = rows.to_arrow_refs() if hasattr(rows, "to_arrow_refs") else list(rows)
    threads = max(1, getattr(estimator, "n_jobs", None) or 1)
    patience = Patience(time_limit)
    task = ray.remote(num_cpus=threads, max_retries=-1, max_calls=0)(summed)

    def run(plan, partitions):
        shared = ray.put(plan)
        waiting = {task.remote(shared, k, parts[k]): k for k in partitions}
        try:
            yield from _results(ray, waiting, patience)
        finally:
            for reference in waiting:
                ray.cancel(reference, force=True)

    return drive(run, estimator, len(parts), y=y, sample_weight=sample_weight, sequence=sequence, retries=retries, state=state, say=say)


def _results(ray, waiting, patience):
    while waiting:
        ready, _ = ray.wait(list(waiting), num_returns=1, timeout=patience.seconds)
        for reference in ready:
            partition = waiting.pop(reference)
            try:
                yield ray.get(reference)
            except ray.exceptions.RayError as error:
                yield lost(partition, error)
        if not ready:
            for reference in waiting:
                ray.cancel(reference, force=True)
            hung = list(waiting.values())
            waiting.clear()
            yield from patience.lost(hung)
