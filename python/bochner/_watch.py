# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Machines that are watched while rows come: each batch is predicted, scored, tested for change, and then learnt."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from bochner import _core, _data, _streams, _tables
from bochner._machines import weights_of
from bochner._words import choice, seed_of, times_of

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike

_DAYS = {"d": 1, "h": 1 / 24, "w": 7}


def _extent(name, value):
    """Rows, or days of a text such as "30d"."""
    if value is None:
        return _core.Extent(0, 0.0)
    if isinstance(value, str) and value[-1:] in _DAYS:
        try:
            days = float(value[:-1]) * _DAYS[value[-1]]
        except ValueError:
            days = 0
        if 0 < days < np.inf:
            return _core.Extent(0, days)
    elif isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value > 0:
        return _core.Extent(int(value), 0.0)
    raise ValueError(f"{name}: found {value!r}, expected a number of rows, or a text of days (30d), hours (12h) or weeks (2w)")


class Watcher:
    """What watch() returns: see() takes the batches of a stream as they come.

    Parameters
    ----------
    machine : estimator
        The machine that is watched.
    watch : object
        The library's part, which watch() makes.

    Attributes
    ----------
    alarms_ : list of int
        Rows of the stream, from 0, at which the evidence that errors have grown sufficed.
    machine_ : estimator
        The machine that is watched; it predicts by what was learnt so far.
    """

    def __init__(self, machine, watch):
        self.machine_ = machine
        self.alarms_ = []
        self._watch = watch

    def see(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, times: Any = None) -> dict[str, Any]:
        """Predicts a batch, scores it, tests it, and learns it.

        Parameters
        ----------
        X : array or table of numbers
            The next rows of the stream, with the columns of the training.
        y : array, default=None
            Their targets; a density has none.
        sample_weight : array of shape (n_samples,), default=None
            Weights by which rows are learnt.
        times : array of shape (n_samples,), default=None
            Times of the rows for a window or half-life of days, not descending: numbers of days, or dates.

        Returns
        -------
        seen : dict
            ``rows`` of the stream so far, ``kept`` rows that are learnt from, ``loss`` of this batch (mean squared error,
            share of wrong classes, or -log density), ``mean_loss`` of all rows so far, ``evidence`` (e-value) that errors
            have grown, the row of an ``alarm`` or None, and what the ``model`` is: "as before", "solved" or "trained".
        """
        rows = self._rows(X, y, sample_weight)
        seen = self._watch.see(rows, [] if times is None else times_of(times))
        self._follow(seen.change)
        if seen.alarm is not None:
            self.alarms_.append(seen.alarm)
        return {"rows": seen.rows, "kept": seen.kept, "loss": seen.loss, "mean_loss": seen.mean_loss,
                "evidence": seen.evidence, "alarm": seen.alarm,
                "model": {"none": "as before"}.get(seen.change.name, seen.change.name)}

    def settle(self):
        """Solves what has not been, where solve_every leaves batches out: the machine then knows all rows kept."""
        self._watch.settle()
        self._follow(_core.WatchChange.solved)
        return self

    def save_page(self, path: str | os.PathLike[str]) -> None:
        """Writes a page of HTML: loss and evidence over time, and the alarms."""
        self._watch.save_page(os.fspath(path), type(self.machine_).__name__)

    def _follow(self, change):
        machine = self.machine_
        if change != _core.WatchChange.none:
            machine.model_ = machine.online_.model if hasattr(machine, "online_") else self._watch.model

    def _rows(self, X, y, sample_weight):
        machine = self.machine_
        schema = machine.model_.schema
        if _data.needs_reader(schema):
            raise ValueError("X: the machine was fitted on a table with text or missing cells, expected one of numbers; "
                             "`bochner watch` reads such streams")
        X = machine._inputs(_tables.collected(_streams.from_tensor(X)), reset=False)
        targets = None
        if schema.targets:
            if y is None:
                raise ValueError("y: found none, expected the targets: rows are scored by them")
            targets = self._targets(_streams.from_tensor(y))
            check_consistent_length(X, targets)
        return _data.rows_of(X, schema, targets, None if sample_weight is None else weights_of(X, sample_weight))

    def _targets(self, y):
        machine = self.machine_
        known = getattr(machine, "classes_", None)
        if known is None:
            return machine._encode_targets(y)
        y = column_or_1d(y)
        codes = np.searchsorted(known, y).clip(max=len(known) - 1)
        strange = known[codes] != y
        if strange.any():
            raise ValueError(f"y: found the class {y[strange][0]!r}, expected one of {list(known)}")
        return codes.astype(np.float64)


def watch(
    machine: Any, *, window: int | str | None = None, half_life: int | str | None = None,
    solve_every: int | str | None = None, on_alarm: str = "keep", retrain: bool = False, level: float = 0.05,
    random_state: int | np.random.RandomState | np.random.Generator | None = 0) -> Watcher:
    """Watches a fitted machine while rows come in batches.

    A test of e-values over the ranks of errors raises an alarm, while nothing changes, with a chance of at most
    ``level`` over any number of rows. A machine with ``keep_sum=True`` learns each batch exactly. Logistic regressions,
    k-NN, mixtures, clusters and anomaly detectors learn on from the window, starting where they stand. Another is
    trained anew if ``retrain`` is True, or stays as it is.

    Parameters
    ----------
    machine : estimator
        A fitted machine, GaussianMixture, KernelKMeans or AnomalyDetector. It changes with the stream.
    window : int, str or None, default=None
        Learn from so many newest rows, or from those of so many days: "30d", "12h", "2w". None: from all.
    half_life : int, str or None, default=None
        Older rows weigh half in each so many rows or days, and leave after ten halvings.
    solve_every : int, "alarm" or None, default=None
        Rows between two solves or trainings; "alarm": only then. None: each batch with sums, otherwise at alarms.
    on_alarm : {"keep", "forget", "rechoose"}, default="keep"
        What an alarm does to the rows before its batch: they stay, or leave, or all choices are made anew by those kept.
    retrain : bool, default=False
        Train a machine without sums anew by its parameters, from the rows of the window.
    level : float, default=0.05
        Chance of an alarm while nothing changes.
    random_state : int, RandomState or None, default=0
        An integer is the seed of the draws that part equal ranks.

    Returns
    -------
    watcher : Watcher
        ``see(X, y)`` takes a batch and returns a dict; ``alarms_`` has the rows of alarms.

    Examples
    --------
    >>> watcher = bochner.watch(KernelRidge(keep_sum=True).fit(X[:1000], y[:1000]), window=5000)
    >>> for batch, targets in stream:
    ...     seen = watcher.see(batch, targets)
    """
    check_is_fitted(machine, "model_")
    options = _core.WatchOptions()
    options.window, options.half_life = _extent("window", window), _extent("half_life", half_life)
    if solve_every is not None:
        if solve_every != "alarm" and (isinstance(solve_every, (bool, str)) or int(solve_every) < 1):
            raise ValueError(f"solve_every: found {solve_every!r}, expected a number of rows, 'alarm' or None")
        options.solve_every = 0 if solve_every == "alarm" else int(solve_every)
    options.on_alarm = choice(_core.OnAlarm, "on_alarm", on_alarm)
    options.level, options.seed = float(level), seed_of(random_state)
    options.execution = machine._execution()
    options.execution.progress = None
    online = getattr(machine, "online_", None)
    if retrain or (online is not None and on_alarm == "rechoose"):
        if not hasattr(machine, "_options"):
            raise ValueError(f"retrain: found a {type(machine).__name__}, expected a machine that learns targets")
        rows = window if isinstance(window, (int, np.integer)) else machine.model_.report.rows
        options.retrain = machine._options(float(rows))
    return Watcher(machine, _core.Watch(machine.model_ if online is None else online, options))
