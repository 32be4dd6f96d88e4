# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Training as rounds of sums over partitions, which any engine may drive.

A round is a plan, one task for each partition, in any order and place, and a merge. Tasks keep nothing between rounds:
one that fails or is lost is run again, and costs its partition. The model has the same bytes however the work was
shared out.

    job = Rounds(KernelRidge(n_components=500), partitions=len(files), y="price")
    while not job.done:
        plan = job.plan
        for p in job.missing:  # on workers
            job.add(run_task(plan, files[p], p))
    machine = job.model()
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone

import bochner
from bochner import _core, _data, _tables
from bochner._classifiers import ClassifierMachine
from bochner._machines import KernelMachine
from bochner._sequences import HMMClassifier
from bochner._words import execution_of, seed_of

if TYPE_CHECKING:
    from typing import Any

__all__ = ["Rounds", "run_task"]

MOST_HELD = 8192  # rows that choose a penalty, whose features travel with the sums


def _plain(value):
    """A parameter as JSON holds it."""
    if isinstance(value, dict):
        return {"of": [[_plain(key), _plain(each)] for key, each in value.items()]}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(each) for each in value]
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, (str, int, float)):
        return value
    raise ValueError(f"estimator: found {value!r} among its parameters, expected numbers and words, which travel")


def _of_plain(value):
    if isinstance(value, dict):
        return {_of_plain(key): _of_plain(each) for key, each in value["of"]}
    return [_of_plain(each) for each in value] if isinstance(value, list) else value


class _Job:
    """What is learnt: an estimator and what the columns of tables and files mean."""

    def __init__(self, estimator, y, sample_weight, sequence=None):
        if not hasattr(estimator, "_learning"):
            raise ValueError(f"estimator: found {type(estimator).__name__}, expected one that learns in rounds, such as "
                             "KernelRidge, KernelClassifier, KernelKMeans, GaussianMixture, KernelPCA, KernelLDA or RandomizedSVD")
        self.estimator, self.weight, self.sequence = estimator, sample_weight, sequence
        if isinstance(estimator, HMMClassifier) != (sequence is not None):
            raise ValueError(f"sequence: found {sequence!r} with {type(estimator).__name__}, expected the column that tells "
                             "sequences apart with HMMClassifier alone")
        self.targets = [] if y is None else [y] if isinstance(y, (str, int)) else list(y)
        self.classes = isinstance(estimator, (ClassifierMachine, HMMClassifier))
        self.predicts = isinstance(estimator, (KernelMachine, HMMClassifier))

    def words(self):
        parameters = {name: _plain(value) for name, value in self.estimator.get_params(deep=False).items()}
        return json.dumps({"estimator": type(self.estimator).__name__, "parameters": parameters,
                           "targets": [_plain(t) for t in self.targets], "weight": self.weight,
                           "sequence": self.sequence})

    @classmethod
    def of_words(cls, words):
        try:
            known = json.loads(words)
            kind, targets, weight = getattr(bochner, known["estimator"], None), known["targets"], known["weight"]
            parameters = {name: _of_plain(value) for name, value in known["parameters"].items()}
            sequence = known["sequence"]
        except (ValueError, KeyError, TypeError):
            kind = None
        if not (isinstance(kind, type) and hasattr(kind, "_learning")):
            raise ValueError("plan: found one that bochner.rounds did not begin; drive it by the program that did")
        return cls(kind(**parameters), targets, weight, sequence)

    def learn(self):
        return self.estimator._learning()

    def execution(self):
        n_jobs = getattr(self.estimator, "n_jobs", None)
        return execution_of(1 if n_jobs is None else n_jobs)

    def partition(self, data):
        if data is None:
            return _core.Partition()
        if _data.is_path(data):
            path, reading = os.fspath(data), self._reading()
            if self.sequence is not None:
                return _core.sequence_partition(path, self.sequence, reading)
            return _core.file_partition(path, reading)
        X, y, weight = (*data, None)[:3] if isinstance(data, tuple) else (data, None, None)
        if isinstance(X, list) and X and _tables.is_arrow(X[0]):
            import pyarrow

            X = pyarrow.Table.from_batches(X)
        X = _tables.collected(X)
        columns, rows, named = _tables._shape_of(X)
        if rows == 0:
            return _core.Partition()
        names, sequences = None, ()
        if _tables.is_table(X):
            sequences = self._sequences(dict(zip(_tables.names_of(X), columns)))
            columns, y, names, weight = self._told_apart(columns, X, y, weight)
        elif self.sequence is not None:
            raise ValueError(f"X: found no column {self.sequence!r} in rows without names, expected a table")
        elif weight is None and self.weight is not None:
            raise ValueError(f"X: found no column {self.weight!r} in rows without names, expected a table or (X, y, "
                             "sample_weight)")
        frame, keep = _tables._frame(columns, rows, named, "rows")
        self._set_targets(frame, keep, y, names, weight)
        return _core.frame_partition(frame, _core.RowsOptions(), [keep, X], *sequences)

    def _sequences(self, found):
        """Where sequences begin in a table, and their names."""
        if self.sequence is None:
            return ()
        if self.sequence not in found:
            raise ValueError(f"X: found no column {self.sequence!r}, expected it among {', '.join(map(repr, found))}")
        ids = _values(found[self.sequence])
        starts = [0, *(1 + np.flatnonzero(ids[1:] != ids[:-1])).tolist()]
        names = [_data.label_of(ids[start]) for start in starts]
        if len(set(names)) < len(names):
            again = next(name for k, name in enumerate(names) if name in names[:k])
            raise ValueError(f"X: the sequence {again!r} begins again after another, expected its rows next to each other; sort "
                             f"them by {self.sequence!r}")
        return starts, names

    def _reading(self):
        reading = _core.RowsOptions()
        reading.targets = [str(target) for target in self.targets]
        reading.weights = "" if self.weight is None else str(self.weight)
        reading.inputs_only = not self.predicts
        if isinstance(self.estimator, KernelMachine):
            reading.task = self.estimator._task
        return reading

    def _told_apart(self, columns, X, y, weight):
        """Inputs, targets, their names and weights of a table; y and weight: those that lie beside it."""
        found = dict(zip(_tables.names_of(X), columns))
        targets = [str(name) for name in self.targets]
        weights = [] if self.weight is None else [str(self.weight)]
        names = targets if y is None else []
        for name in names + (weights if weight is None else []):
            if name not in found:
                raise ValueError(f"X: found no column {name!r}, expected it among {', '.join(map(repr, found))}")
        apart = [*targets, *weights, self.sequence]
        inputs = [column for name, column in found.items() if name not in apart]
        if names and self.predicts:
            y = [_values(found[name]) for name in names]
            y = y[0] if len(y) == 1 else np.column_stack(y)
        if weights and weight is None:
            weight = _values(found[weights[0]])
        return inputs, y, names, weight

    def _set_targets(self, frame, keep, y, names, weight):
        if y is not None:
            y = np.asarray(y)
            if len(y) != frame.rows:
                raise ValueError(f"y: found {len(y)} values, expected one for each of the {frame.rows} rows")
            if (gaps := np.argwhere(_missing(y))).size:
                raise ValueError(f"y: row {gaps[0][0]} has no value; fill it in or leave it out")
            if self.classes:
                labels, y = np.unique(y, return_inverse=True)
                frame.labels = [_data.label_of(label) for label in labels]
            frame.target_names = list(names) if names else []
        elif self.predicts:
            raise ValueError("y: found no targets, expected the name of their column or (X, y)")
        _tables._set_targets(frame, keep, y, None if weight is None else _weights(weight, frame.rows))

    def fitted(self, model):
        machine = clone(self.estimator)
        made = type(machine)._of_model(model)
        machine.__dict__.update({name: value for name, value in made.__dict__.items()
                                 if name.endswith("_") or name.startswith("_one")})
        if hasattr(machine, "_take_facts"):
            machine._take_facts()
        return machine


def _forecast(machine):
    """The sums that a method makes; what the library chooses is told as such."""
    if machine._learning().gathered_because:
        return ("rounds: 2; a task of the second sends its rows, 8 bytes for each cell, at most 256 MiB of all rows together; "
                "memory of a worker: 64 MiB and its rows; of the driver: 1 GiB and what a fit of these rows takes")
    of = machine.get_params(deep=False)
    kind = type(machine).__name__
    if kind == "HMMClassifier":
        return ("rounds: 3, and up to max_iter passes where sequences take more than 256 MiB; a task of the third sends its "
                "sequences, or a draw of them; memory of a worker: 64 MiB and its rows")
    features = of.get("n_map_features", of.get("n_components")) if "map" in of else None
    if kind in ("KernelKMeans", "GaussianMixture"):
        clusters = of.get("n_clusters", of.get("n_components"))
        rounds = f"4, and up to {of['max_iter']} passes"
        size = f"{clusters} centres" if kind == "KernelKMeans" else f"{clusters} means and covariances"
        return f"rounds: {rounds}; a task sends: 8 bytes for each number of {size}; memory of a worker: 64 MiB and that"
    rounds = "3 or 4" if kind.startswith("KernelRidge") else "3 to 12"
    if hasattr(machine, "C"):
        rounds = "about 20" if isinstance(machine.C, (int, float)) else "100 to 200, about 20 if C is given"
    if features is None:
        return (f"rounds: {rounds}; a task of the largest sends: 4 bytes for each pair of features, whose number is "
                "chosen; memory of a worker: 64 MiB and three times that")
    size = 4 * int(features) * (int(features) + MOST_HELD) / 1e6
    return (f"rounds: {rounds}; a task of the largest sends: at most {size:.1f} MB, for pairs of {features} features and "
            f"rows held out; memory of a worker: 64 MiB and {3 * size:.0f} MB")


def _values(column):
    """The cells of a column as numbers or texts."""
    if column.codes is None:
        cells = np.asarray(column.cells)
        return cells if column.missing is None else np.where(np.asarray(column.missing, dtype=bool), np.nan, cells)
    return np.asarray([*column.levels, None], dtype=object)[np.asarray(column.codes)]


def _weights(values, rows):
    """Weights of a partition, which may all be 0: those of another one count."""
    weights = np.asarray(values, dtype=np.float64)
    if weights.shape != (rows,):
        raise ValueError(f"sample_weight: found the shape {weights.shape}, expected ({rows},)")
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        raise ValueError(f"sample_weight: row {wrong[0]} has {weights[wrong[0]]}, expected a finite weight of at least 0")
    return weights


def _missing(y):
    """Which targets have no value."""
    if y.dtype.kind == "O":
        return np.frompyfunc(_tables.is_missing, 1, 1)(y).astype(bool)
    return np.isnan(y) if y.dtype.kind == "f" else np.zeros(y.shape, dtype=bool)


class Rounds:
    """A job: who drives asks for the plan, has its tasks run and adds their results.

    Parameters
    ----------
    estimator : estimator
        What to fit; it stays as it is. With ``n_jobs=None`` a task takes one thread.
    partitions : int
        How many there are, numbered from 0. One without rows is allowed.
    y : str or list of str, default=None
        Names of the target columns of tables and files. None: data are (X, y), or nothing is predicted.
    sample_weight : str, default=None
        The name of the column of weights.
    sequence : str, default=None
        HMMClassifier: the column that tells sequences apart, each of which lies whole in one partition.
    """

    def __init__(self, estimator, partitions, y=None, sample_weight=None, sequence=None):
        estimator = clone(estimator)
        if "random_state" in estimator.get_params(deep=False):
            estimator.set_params(random_state=seed_of(estimator.random_state))
        self._of(_Job(estimator, y, sample_weight, sequence))
        self._rounds = _core.Rounds(self._job.words(), partitions, self._job.learn(), self._job.execution())

    def _of(self, job):
        self._job, self._plan = job, None

    @property
    def done(self) -> bool:
        return self._rounds.done

    @property
    def round(self) -> int:
        return self._rounds.round

    @property
    def missing(self) -> list[int]:
        """Partitions whose result of this round has not been added."""
        return self._rounds.missing

    @property
    def plan(self) -> bytes:
        """What a task of this round needs."""
        if self._plan is None:
            self._plan = self._rounds.plan()
        return self._plan

    def add(self, result: bytes) -> bool:
        """Adds a task's result. False: the same was there already. What cannot be added is refused by name."""
        before = self._rounds.round
        try:
            return self._rounds.add(bytes(result))
        finally:
            if self._rounds.round != before:
                self._plan = None

    @property
    def forecast(self) -> str:
        """Rounds, the bytes that a task of the largest one sends, and a worker's memory, as far as known beforehand."""
        return _forecast(self._job.estimator)

    @property
    def state(self) -> bytes:
        return self._rounds.state()

    @classmethod
    def from_state(cls, state: bytes) -> Rounds:
        """The job where its state was taken: what is missing says what is left to do."""
        made = cls.__new__(cls)
        made._of(_Job.of_words(_core.what_is_learnt(bytes(state))))
        made._rounds = _core.Rounds.of_state(bytes(state), made._job.learn(), made._job.execution())
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the state, whole or not at all."""
        self._rounds.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Rounds:
        with open(path, "rb") as file:
            return cls.from_state(file.read())

    def model(self) -> Any:
        """The fitted estimator, once done."""
        return self._job.fitted(self._rounds.model())


def run_task(plan: bytes, data: Any, partition: int) -> bytes:
    """What the rows of a partition add to the sum of the plan's round.

    Parameters
    ----------
    plan : bytes
        ``Rounds.plan``.
    data : path, table, list of record batches, (X, y), (X, y, sample_weight), or X
        The partition's rows, the same ones in the same order in every round. None: there are none.
    partition : int
        Its number.
    """
    plan = bytes(plan)
    job = _Job.of_words(_core.what_is_learnt(plan))
    return _core.run_task(plan, partition, job.partition(data), job.learn(), job.execution())
