# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What every engine does with a job of rounds: tasks that fail, hang or run twice, and a driver that is killed.

An engine is a function run(plan, partitions) that yields a Result of each partition as it comes, in any order. A partition
that is missing afterwards is asked for again, so an engine needs no gang of workers: a lost one costs its partitions.
"""

import importlib
import numbers
import os
import time
from typing import NamedTuple

from bochner import rounds

_KEEPING = 0.05  # saving the driver's state takes at most this share of the time


class Result(NamedTuple):
    """What became of one task: the bytes of its sums, or what went wrong and whether it would go wrong again."""

    partition: int
    sums: bytes = b""
    wrong: str = ""
    final: bool = False


def needed(name, extra):
    """The module of an engine's own package."""
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise ImportError(f"bochner.{extra} needs the package {name.partition('.')[0]}: pip install bochner[{extra}]") from missing


def rows_of(data):
    """What a task reads: the table of a Parquet file, what a function returns, or the data themselves."""
    if callable(data) and not hasattr(data, "__arrow_c_stream__"):
        data = data()
    if isinstance(data, (str, os.PathLike)) and os.fspath(data).endswith((".parquet", ".pq")):
        return needed("pyarrow.parquet", "parquet").read_table(data)
    return data


def summed(plan, partition, data):
    """One task, on a worker. Errors are results, so that every engine tells them in the same way."""
    try:
        return Result(partition, rounds.run_task(plan, rows_of(data), partition))
    except Exception as error:
        return Result(partition, b"", f"{type(error).__name__}: {error}", isinstance(error, (ValueError, TypeError)))


def lost(partition, reason):
    """The result of a task that its engine gave up."""
    return Result(partition, b"", f"{type(reason).__name__}: {reason}" if isinstance(reason, BaseException) else reason)


class Patience:
    """Seconds without any result until tasks are taken for hung: twice as many after each time, since workers start anew."""

    def __init__(self, seconds):
        self.seconds = seconds

    def lost(self, partitions):
        """The results of tasks that were waited for in vain."""
        reason = TimeoutError(f"no result within {self.seconds:g} s")
        self.seconds *= 2
        return [lost(partition, reason) for partition in partitions]


def here(data):
    """The engine of this process: one partition after another; data(k) are the rows of partition k."""
    return lambda plan, partitions: (summed(plan, k, data(k)) for k in partitions)


class Tally:
    """What a fit took, round by round: lists of numbers, one for each round."""

    def __init__(self):
        self.tasks, self.plan_bytes, self.sum_bytes, self.again, self.seconds = [], [], [], [], []

    def begin(self, plan):
        for numbers, first in ((self.tasks, 0), (self.plan_bytes, len(plan)), (self.sum_bytes, 0), (self.again, 0),
                               (self.seconds, time.perf_counter())):
            numbers.append(first)

    def end(self):
        self.seconds[-1] = time.perf_counter() - self.seconds[-1]

    def __str__(self):
        line = f"round {len(self.tasks) - 1}: {self.tasks[-1]} tasks, plan {self.plan_bytes[-1]} bytes, sums "
        line += f"{self.sum_bytes[-1]} bytes, {self.seconds[-1]:.2f} s"
        return line + (f", {self.again[-1]} tasks again" if self.again[-1] else "")


class _State:
    """The file that a killed driver goes on from: written after every result, or as often as is cheap."""

    def __init__(self, path):
        self._path, self._last, self._cost = path, 0.0, 0.0

    def load(self, made, drawn):
        """The job that was kept, if there is one of the same words as `made`; drawn: whether its seed was."""
        if not self._path or not os.path.exists(self._path):
            return made
        job = rounds.Rounds.load(self._path)
        if drawn:
            made._job.estimator.set_params(random_state=getattr(job._job.estimator, "random_state", 0))
        for what, kept, given in zip(("estimator and columns", "partitions"), _words_of(job), _words_of(made)):
            if kept != given:
                raise ValueError(f"state: found {self._path} of another job, with {what} {kept}, expected {given}; remove the "
                                 "file to begin anew")
        return job

    def save(self, job, whole):
        begin = time.monotonic()
        if self._path and (whole or begin - self._last >= self._cost / _KEEPING):
            job.save(self._path)
            self._last = time.monotonic()
            self._cost = self._last - begin

    def remove(self):
        if self._path and os.path.exists(self._path):
            os.remove(self._path)


def _words_of(job):
    return job._job.words(), job._rounds.partitions


def drive(run, estimator, partitions, *, y=None, sample_weight=None, sequence=None, retries=2, state=None, say=None):
    """The fitted estimator of a job whose tasks `run` carries out, with its Tally as ``rounds_``."""
    say = say or (lambda line: None)
    made = rounds.Rounds(estimator, partitions, y=y, sample_weight=sample_weight, sequence=sequence)
    keeper, tally = _State(state if state is None else os.fspath(state)), Tally()
    job = keeper.load(made, not isinstance(getattr(estimator, "random_state", 0), numbers.Integral))
    if job is not made:
        say(f"round {job.round}: goes on from {state}, {len(job.missing)} of {partitions} partitions are missing")
    for line in getattr(job, "forecast", "").splitlines():
        say(line)
    while not job.done:
        _round(job, run, retries, keeper, tally)
        say(str(tally))
    keeper.remove()
    fitted = job.model()
    fitted.rounds_ = tally
    return fitted


def _round(job, run, retries, keeper, tally):
    number, plan, failures = job.round, job.plan, {}
    tally.begin(plan)
    while not job.done and job.round == number:
        asked = set(job.missing)
        for result in run(plan, sorted(asked)):
            asked.discard(result.partition)
            result = _added(job, result)
            tally.tasks[-1] += 1
            tally.sum_bytes[-1] += len(result.sums)
            if result.wrong:
                _count(result, failures, retries, number)
                tally.again[-1] += 1
            ended = job.done or job.round != number
            keeper.save(job, ended)
            if ended:
                break
        else:
            for partition in asked:
                _count(lost(partition, "no result came"), failures, retries, number)
    tally.end()


def _added(job, result):
    """The result, with what the job found wrong with it."""
    if result.wrong:
        return result
    before = job.round
    try:
        job.add(result.sums)
        return result
    except (ValueError, RuntimeError) as refused:
        if job.round != before:  # the training itself refuses, and would again
            raise
        return result._replace(wrong=f"{type(refused).__name__}: {refused}")


def _count(result, failures, retries, number):
    times = failures[result.partition] = failures.get(result.partition, 0) + 1
    if result.final:
        raise ValueError(f"partition {result.partition}: {result.wrong}")
    if times > retries:
        raise RuntimeError(f"partition {result.partition}: failed {times} times in round {number}, retries={retries}; the "
                           f"last time: {result.wrong}")
