# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Fits on the ranks of an MPI program: ``pip install bochner[mpi]``, and ``mpirun -n 4 python program.py``.

Rank 0 keeps the job; every rank sums its partitions and sends what it found. Ranks that die end the program, as MPI has
it: the same call goes on from the state that rank 0 kept.
"""

from bochner._docs import documented
from bochner._driver import Result, drive, needed, summed

__all__ = ["fit"]

_TAG = 38


@documented
def fit(estimator, rows, *, y=None, sample_weight=None, sequence=None, comm=None, retries=2, state=None, say=None):
    """The estimator of all partitions, on every rank, the same bytes for any number of ranks. Every rank calls it.

    Parameters
    ----------
    estimator : estimator
        What to fit; it stays as it is. With ``n_jobs=None`` each rank takes one core.
    rows : list of partitions
        The same number on all ranks. A partition is the path of a file that every rank can read (CSV, svmlight, .npy,
        Parquet), a function that returns rows, or the rows; rank r of n reads partitions r, r + n, r + 2n, ...
    y, sample_weight : str, default=None
        The column of targets and of weights of rows.
    {sequence}
    comm : mpi4py.MPI.Comm, default=None
        The ranks; None: all of them.
    retries : int, default=2
        How often a partition may fail in a round before the fit is refused by its name, on every rank.
    state : path, default=None
        The state of rank 0, which alone calls ``say``, is kept here: the same call after a kill goes on from it.
    {driven}
    """
    MPI = needed("mpi4py.MPI", "mpi")
    comm = MPI.COMM_WORLD if comm is None else comm
    rows = list(rows)
    if len(set(counts := comm.allgather(len(rows)))) > 1:
        raise ValueError(f"rows: found {counts} partitions on the ranks, expected the same list on all of them")
    if comm.rank == 0:
        fitted = refused = None
        try:
            fitted = drive(_rank_zero(MPI, comm, rows), estimator, len(rows), y=y, sample_weight=sample_weight, sequence=sequence,
                           retries=retries, state=state, say=say)
        except BaseException as error:  # who interrupts rank 0 ends the fit on all
            refused = error
        comm.bcast(None)
    else:
        while (asked := comm.bcast(None)) is not None:
            _send(comm, asked, rows)
        fitted = refused = None
    fitted, refused = comm.bcast((fitted, refused))
    if refused is not None:
        raise refused
    return fitted


def _mine(comm, partitions):
    return partitions[comm.rank :: comm.size]


def _send(comm, asked, rows):
    """What another rank does in a round: results go while the next partition is summed."""
    plan, partitions = asked
    sent = [comm.isend(tuple(summed(plan, k, rows[k])), 0, _TAG) for k in _mine(comm, partitions)]
    for message in sent:
        message.wait()


def _rank_zero(MPI, comm, rows):
    def run(plan, partitions):
        comm.bcast((plan, partitions))
        mine = _mine(comm, partitions)
        coming = len(partitions) - len(mine)

        def received():
            nonlocal coming
            coming -= 1
            return Result(*comm.recv(source=MPI.ANY_SOURCE, tag=_TAG))

        try:
            for k in mine:
                yield summed(plan, k, rows[k])
                while coming and comm.iprobe(MPI.ANY_SOURCE, _TAG):
                    yield received()
            while coming:
                yield received()
        finally:
            while coming:  # a round that was refused: the others wait until their results are taken
                received()

    return run
