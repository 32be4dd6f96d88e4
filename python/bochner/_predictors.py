# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Machines that predict: the automatic one, and those of a named loss."""

from __future__ import annotations

import os
from dataclasses import field
from typing import TYPE_CHECKING

from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.metrics import r2_score

from bochner import _core, _data
from bochner._classifiers import ClassifierMachine
from bochner._docs import documented
from bochner._machines import KernelMachine, RegressorMachine
from bochner._parameters import Drawn, Linear, parameters
from bochner._words import choice, groups_of, numbers_of, seconds_of, times_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self


@parameters
class _Automatic(Drawn):
    """What `bochner train` does without further words."""

    effort: str = field(default="normal", kw_only=False)
    budget: float | str | None = None
    optimize: str | None = None
    calibrate: bool = False
    keep_background: bool = False
    verbose: bool = False

    _always_calibrates = False

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, *, groups: Any = None,
            times: Any = None) -> Self:
        self._kin = groups, times, X
        try:
            return super().fit(X, y, sample_weight)
        finally:
            del self._kin

    fit.__doc__ = KernelMachine.fit.__doc__.replace("""
        Returns
""", """        groups : array of shape (n_samples,), default=None
            The group of each row: rows of a group, as of one patient, are never held out in part. For a path the name
            of a column, which is then no input.
        times : array of shape (n_samples,), default=None
            The time of each row, a number or a date: rows are then judged by later ones. For a path the name of a
            column. Not beside groups.

        Returns
""")

    def _given(self):
        groups, times, _ = self._kin
        return {"groups": groups, "times": times}

    @property
    def _joins_rows(self):
        groups, times, _ = self.__dict__.get("_kin", (None, None, None))
        return groups is None and times is None

    def _reading(self, targets, weights):
        reading = super()._reading(targets, weights)
        groups, times, _ = self._kin
        for argument, name in (("groups", groups), ("times", times)):
            if name is not None and not isinstance(name, str):
                raise ValueError(f"{argument}: found values, expected the name of a column, since X is a path")
        reading.ignore = [] if groups is None else [groups]
        return reading

    def _train(self, rows, total_weight):
        options = self._options(total_weight)
        groups, times, path = self._kin
        of_file = _data.is_path(path)
        if groups is not None:
            options.groups = _core.row_groups(os.fspath(path), rows.schema, groups) if of_file else groups_of(groups)
        if times is not None:
            options.times = _core.row_times(os.fspath(path), rows.schema, times) if of_file else times_of(times)
        self.model_ = _core.train(rows, options)

    def _set_machine(self, options, total_weight):
        options.automatic = choice(_core.Effort, "effort", self.effort)
        options.budget = 0.0 if self.budget is None else seconds_of("budget", self.budget)
        if self.optimize is not None:
            options.optimize = _core.parse_optimize(str(self.optimize))
        options.calibrate = bool(self.calibrate) or self._always_calibrates
        options.execution = self._execution()
        if self.verbose:
            options.say = print


@documented
@parameters
class KernelRegressor(MultiOutputMixin, RegressorMixin, _Automatic, RegressorMachine):
    """The automatic machine for numbers: a race of kernels in a learnt metric, trees, random bins and a linear model.

    It does what ``bochner train`` does with nothing said. Rows too few for a race (below 30) get ridge on random
    Fourier features whose length scale and penalty are searched.

    {rounds}

    Parameters
    ----------
    {effort}
    optimize : {"rmse", "mae", "quantile:0.9"} or None, default=None
        What the blend of machines is best by: squared errors, absolute errors (answers are medians), or the pinball loss
        of a quantile, which is then answered. None: squared errors.
    calibrate : bool, default=False
        Learn intervals also where the machine is not the automatic one; that one always does.
    deviation : bool, default=False
        Keep a Gaussian process at the landmarks for ``predict(X, return_std=True)``, which then grows far from the rows
        of training; without it deviations are those of held-out residuals.
    {keep_background}
    {draws}
    verbose : bool, default=False
        Print each choice as it is made.

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from bochner import KernelRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> KernelRegressor("fast").fit(X[:150], y[:150]).predict_interval(X[150:]).shape
    (292, 2)
    """

    deviation: bool = False

    def _set_machine(self, options, total_weight):
        super()._set_machine(options, total_weight)
        options.ridge.deviation = bool(self.deviation)


@documented
@parameters
class KernelClassifier(_Automatic, ClassifierMachine):
    """The automatic machine for classes: what ``bochner train`` does with nothing said. It always has probabilities.

    {rounds}

    Parameters
    ----------
    {effort}
    optimize : {"error", "log-loss", "auc"} or None, default=None
        What the blend of machines is best by; "auc" takes the log-loss. None: the log-loss if it lowers the error, too.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes.
    calibrate : bool, default=False
        Without effect: probabilities are always learnt. With fewer than about 130 rows they come from five trainings,
        each of which leaves a fifth of the rows out.
    {keep_background}
    {draws}
    verbose : bool, default=False
        Print each choice as it is made.

    Attributes
    ----------
    {classified}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bochner import KernelClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> KernelClassifier("fast").fit(X, y).predict_proba(X).shape
    (150, 3)
    """

    class_weight: dict[Any, float] | str | None = None

    _always_calibrates = True


@parameters
class _MarginMachine(Linear, KernelMachine):
    """What the learners of LIBLINEAR's form have in common."""

    C: float | Sequence[float] | NDArray[Any] | None = field(default=None, kw_only=False)
    tol: float | None = None

    def _set_learner(self, options, total_weight):
        learner = options.learner
        learner.learner = self._learner
        learner.C = numbers_of("C", self.C)
        learner.intercept = bool(self.fit_intercept)
        learner.tolerance = None if self.tol is None else float(self.tol)


@documented
@parameters
class KernelSVC(_MarginMachine, ClassifierMachine):
    """A support vector machine by random features, in time linear in the rows.

    {rounds}

    Parameters
    ----------
    C : float, array of floats or None, default=None
        Cost in ``1/2 |w|^2 + C sum loss``. None: searched; several: the best of them.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        How a violated margin is paid for.
    {map}
    fit_intercept : bool, default=True
        A constant, which is not penalised.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes.
    calibrate : bool, default=False
        Train once more on 85 % of the rows to learn probabilities: ``predict_proba``.
    {keep_background}
    tol : float, default=None
        Gap of the objective, relative to its optimum. None: 1e-6, 1e-3 for sparse features.
    {common}

    Attributes
    ----------
    {classified}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from bochner import KernelSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> KernelSVC(C=1.0).fit(X[:400], y[:400]).score(X[400:], y[400:]) > 0.9
    True
    """

    loss: str = "hinge"
    class_weight: dict[Any, float] | str | None = None

    _learner = _core.Learner.svm

    def _set_learner(self, options, total_weight):
        super()._set_learner(options, total_weight)
        losses = {"hinge": _core.MarginLoss.linear, "squared_hinge": _core.MarginLoss.squared}
        if self.loss not in losses:
            raise ValueError(f"loss: found {self.loss!r}, expected one of {', '.join(losses)}")
        options.learner.loss = losses[self.loss]


@documented
@parameters
class KernelLogistic(_MarginMachine, ClassifierMachine):
    """Kernel logistic regression by random features.

    {rounds}

    Parameters
    ----------
    C : float, array of floats or None, default=None
        Cost in ``1/2 |w|^2 + C sum loss``. None: searched; several: the best of them.
    {map}
    fit_intercept : bool, default=True
        A constant, which is not penalised.
    class_weight : dict, "balanced" or None, default=None
        Weights of classes.
    calibrate : bool, default=False
        Train once more on 85 % of the rows to correct the probabilities.
    {keep_background}
    tol : float, default=None
        Gap of the objective, relative to its optimum.
    {common}

    Attributes
    ----------
    {classified}
    """

    class_weight: dict[Any, float] | str | None = None

    _learner = _core.Learner.logistic


@documented
@parameters
class KernelSVR(RegressorMixin, _MarginMachine, RegressorMachine):
    """Support vector regression by random features.

    {rounds}

    Parameters
    ----------
    C : float, array of floats or None, default=None
        Cost in ``1/2 |w|^2 + C sum loss``, in the units of the target. None: searched; several: the best of them.
    epsilon : float, default=None
        Errors up to it cost nothing. None: a tenth of the target's deviation.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        How larger errors are paid for.
    {map}
    {of_numbers}
    {common}

    Attributes
    ----------
    {fitted}
    """

    epsilon: float | None = None
    loss: str = "epsilon_insensitive"

    _learner = _core.Learner.svr

    def _set_learner(self, options, total_weight):
        super()._set_learner(options, total_weight)
        losses = {
            "epsilon_insensitive": _core.MarginLoss.linear,
            "squared_epsilon_insensitive": _core.MarginLoss.squared,
        }
        if self.loss not in losses:
            raise ValueError(f"loss: found {self.loss!r}, expected one of {', '.join(losses)}")
        options.learner.loss = losses[self.loss]
        options.learner.parameter = None if self.epsilon is None else numbers_of("epsilon", self.epsilon)[0]


@documented
@parameters
class KernelHuber(RegressorMixin, _MarginMachine, RegressorMachine):
    """Robust regression by random features: squares of small errors, lines for large ones, so that outliers pull less.

    {rounds}

    Parameters
    ----------
    C : float, array of floats or None, default=None
        Cost in ``1/2 |w|^2 + C sum loss``. None: searched; several: the best of them.
    delta : float, default=None
        Errors beyond it cost lines. None: 1.345 deviations of the residuals.
    {map}
    {of_numbers}
    {common}

    Attributes
    ----------
    {fitted}
    """

    delta: float | None = None

    _learner = _core.Learner.huber

    def _set_learner(self, options, total_weight):
        super()._set_learner(options, total_weight)
        options.learner.parameter = None if self.delta is None else numbers_of("delta", self.delta)[0]


@documented
@parameters
class KernelQuantile(RegressorMixin, _MarginMachine, RegressorMachine):
    """Quantile regression by random features: the value that a share of the targets lies below.

    {rounds}

    Parameters
    ----------
    C : float, array of floats or None, default=None
        Cost in ``1/2 |w|^2 + C sum loss``, in the units of the target. None: searched; several: the best of them.
    quantile : float or array of floats, default=0.5
        The share of targets that shall lie below, between 0 and 1; 0.5 is the median. Several, growing, are learnt
        together: ``predict`` gives one column for each, and none crosses another.
    {map}
    {of_numbers}
    {common}

    Attributes
    ----------
    {fitted}
    """

    quantile: float | Sequence[float] | NDArray[Any] = 0.5

    _learner = _core.Learner.quantile

    def _set_learner(self, options, total_weight):
        super()._set_learner(options, total_weight)
        levels = numbers_of("quantile", self.quantile)
        if not levels:
            raise ValueError(f"quantile: found {self.quantile!r}, expected a number between 0 and 1, or several")
        self._one_target = len(levels) == 1
        if self._one_target:
            options.learner.parameter = levels[0]
        else:
            options.learner.levels = levels

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """R² of the answers; of several quantiles, of those for the level nearest the median."""
        answers = self.predict(X)
        if answers.ndim == 2:
            levels = numbers_of("quantile", self.quantile)
            answers = answers[:, min(range(len(levels)), key=lambda k: abs(levels[k] - 0.5))]
        return r2_score(y, answers, sample_weight=sample_weight)


_FAMILIES = {"poisson": _core.Learner.poisson, "gamma": _core.Learner.gamma, "tweedie": _core.Learner.tweedie}


@documented
@parameters
class KernelGLM(RegressorMixin, _MarginMachine, RegressorMachine):
    """Counts and amounts by random features: a generalised linear model with the log link, whose answers are means.

    {rounds}

    Parameters
    ----------
    C : float, array of floats or None, default=None
        Cost in ``1/2 |w|^2 + C sum loss``, half the deviance of targets over their mean. None: searched; several: the
        best of them.
    family : {"poisson", "gamma", "tweedie"}, default="poisson"
        The law of a target about its mean: counts (variance as the mean), amounts above 0 (as its square), or sums of
        amounts that are often 0 (as a power between).
    power : float, default=1.5
        The power of "tweedie", between 1 and 2.
    {map}
    {of_numbers}
    {common}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> import numpy as np
    >>> from bochner import KernelGLM
    >>> draw = np.random.default_rng(0)
    >>> X = draw.uniform(-1, 1, (400, 1))
    >>> y = draw.poisson(np.exp(1 + X[:, 0]))
    >>> bool(1.7 < KernelGLM().fit(X, y).predict([[0.0]])[0] < 3.7)
    True
    """

    family: str = "poisson"
    power: float = 1.5

    _learner = _core.Learner.poisson

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def _set_learner(self, options, total_weight):
        if self.family not in _FAMILIES:
            raise ValueError(f"family: found {self.family!r}, expected one of {', '.join(_FAMILIES)}")
        super()._set_learner(options, total_weight)
        options.learner.learner = _FAMILIES[self.family]
        if self.family == "tweedie":
            if self.power is None:
                raise ValueError("power: found None, expected a number between 1 and 2")
            options.learner.parameter = numbers_of("power", self.power)[0]
