# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Least squares, whose sums over rows merge: machines that learn from rows as they come."""

from __future__ import annotations

import json
import os
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from bochner import _core, _data, _streams, _tables
from bochner._classifiers import ClassifierMachine
from bochner._docs import documented
from bochner._machines import KernelMachine, RegressorMachine, weights_of
from bochner._parameters import Linear, parameters
from bochner._words import choice, numbers_of, seed_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

MOST_WEIGHT = 4  # a row of partial_fit weighs at most so many times the largest weight of the first call


class _Sums(KernelMachine):
    """partial_fit() by sums that merge, and with keep_sum=True forget() by the same."""

    @property
    def _joins_rows(self):
        return not getattr(self, "keep_sum", False)  # a row may leave without those that equal it

    def _train(self, rows, total_weight):
        if not getattr(self, "keep_sum", False):
            super()._train(rows, total_weight)
            return
        self.online_ = _core.train_online(rows, self._options(total_weight))
        self.model_ = self.online_.model

    def save(self, path):
        """Writes the model, which the command and C++ read as well; its sums too if it keeps them."""
        self._refuse_labels("save")
        check_is_fitted(self, "model_")
        getattr(self, "online_", self.model_).save(os.fspath(path))

    def forget(self, X, y, sample_weight=None):
        """Takes rows out of a machine with ``keep_sum=True``, exactly: what is left is a training on the others.

        Everything that was chosen by the rows of fit() stays: scaling, length scales, features and penalty. Which rows
        were learnt is not kept: of rows that were never there only some are noticed.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features), or path
        y : array of shape (n_samples,) or (n_samples, n_targets); not for a path
        sample_weight : array of shape (n_samples,), default=None
            The weights that the rows had.

        Returns
        -------
        receipt : dict
            Numbers of rows, digests of the sums, and the choices that stay.
        """
        return self._change(_core.forget, X, y, sample_weight)

    def _change(self, change, X, y, sample_weight):
        if not hasattr(self, "online_"):
            raise ValueError("keep_sum: found no sums, expected a machine that was fitted with keep_sum=True")
        schema = self.online_.model.schema
        if _data.is_path(X):
            rows = _core.open_rows(os.fspath(X), schema, _core.RowsOptions())
        else:
            targets = self._encode_known(y)
            weights = None if sample_weight is None else weights_of(targets, sample_weight)
            rows = self._known_rows(X, targets, schema, weights)
        receipt = json.loads(change(self.online_, rows, self._execution()))
        self.model_ = self.online_.model
        return receipt

    def _known_rows(self, X, targets, schema, weights):
        """Rows for the choices that were made: of an array, a sparse matrix, or a table with text and missing cells."""
        X = _tables.collected(_streams.from_tensor(X))
        if _tables.is_whole(X):
            X = _tables.arrow_table(X)
        as_table = _tables.has_text(X) or (_tables.is_table(X) and (_data.needs_reader(schema) or _tables.is_mixed(X)))
        if not as_table:
            X = self._inputs(X, reset=False, allow_nan=self._allows_nan)
            as_table = not sparse.issparse(X) and _tables.has_nan(X)
            if as_table:
                _data.refuse_unlearnt_gaps(X, schema)
        check_consistent_length(X.columns[0] if _tables.is_arrow(X) else X, targets)
        if as_table:
            return _tables.new_rows(X, schema, targets=targets, weights=weights)
        return _data.rows_of(X, schema, targets, weights)

    def _encode_known(self, y):
        return self._encode_targets(y)

    def _set_learner(self, options, total_weight):
        options.ridge.lambdas = [alpha / total_weight for alpha in numbers_of("alpha", self.alpha)]
        options.ridge.solver = choice(_core.Solver, "solver", self.solver)
        options.ridge.intercept = bool(self.fit_intercept)

    def _add(self, X, y, sample_weight):
        """Rows that join the sums; the first call chooses scaling, length scales and features."""
        if getattr(self, "keep_sum", False):
            if hasattr(self, "online_"):
                self._change(_core.update, X, y, sample_weight)
                return self
            return KernelMachine.fit(self, X, y, sample_weight)
        if getattr(self, "keep_background", False):
            raise ValueError("keep_background: partial_fit keeps sums of rows and none of them; give explain a background")
        first = not hasattr(self, "sum_")
        if _data.is_path(X):
            raise ValueError(f"X: found the path {os.fspath(X)!r}, expected rows; fit() and machines with keep_sum=True "
                             "read files")
        if first:
            KernelMachine.fit(self, X, y, sample_weight)
        targets = self._encode_targets(y)
        weights = None if sample_weight is None else weights_of(targets, sample_weight)
        if first:
            self._spec, self._parts, self._total = self.model_, 0, 0.0
            self._weight_unit = 1.0 if weights is None else MOST_WEIGHT * float(weights.max())
        elif weights is not None and weights.max() > self._weight_unit:
            raise ValueError(f"sample_weight: found {weights.max():g}, expected at most {self._weight_unit:g} after the "
                             "weights of the first call; scale all weights, or begin with rows that weigh most")
        self._total += self._total_weight(targets, weights)
        options = _core.TrainOptions()
        self._set_machine(options, 1.0)
        self._set_class_weights(options)
        options.ridge.lambdas = []
        options.seed = options.ridge.seed = seed_of(self.random_state)
        if self._weight_unit != 1:
            weights = np.ones(len(targets)) if weights is None else weights
        weights = None if weights is None else weights / self._weight_unit
        made = _core.sum_part(self._known_rows(X, targets, self._spec.schema, weights), self._spec,
                              _core.PartName(f"call {self._parts}", self._parts), options)
        if first:
            self.sum_ = made
        else:
            self.sum_.merge(made)
        self._parts += 1
        lambdas = [alpha / self._total for alpha in numbers_of("alpha", self.alpha)]
        self.model_ = _core.solve(self.sum_, lambdas, self._execution())
        return self


@documented
@parameters
class KernelRidge(MultiOutputMixin, RegressorMixin, _Sums, Linear, RegressorMachine):
    """Kernel ridge regression by random features: least squares with a penalty, in time linear in the rows.

    Parameters
    ----------
    alpha : float, array of floats or None, default=None
        The penalty of ``|Zw - y|^2 + alpha |w|^2``. None: searched; several: the best of them.
    {map}
    {least_squares}
    calibrate : bool, default=False
        Train once more on 85 % of the rows to learn intervals.
    deviation : bool, default=False
        Keep what ``predict(X, return_std=True)`` takes, for ridge as the mean of a Gaussian process.
    {keep_background}
    keep_sum : bool, default=False
        Keep the exact sums of the rows, also in the file: ``partial_fit`` and ``forget`` then give the bytes of a training
        on the rows that remain, with the choices of fit().
    {common}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import make_friedman1
    >>> from bochner import KernelRidge
    >>> X, y = make_friedman1(1000, random_state=0)
    >>> KernelRidge(n_components=300).fit(X[:800], y[:800]).score(X[800:], y[800:]) > 0.8
    True
    """

    alpha: float | Sequence[float] | NDArray[Any] | None = field(default=None, kw_only=False)
    solver: str = "auto"
    deviation: bool = False
    keep_sum: bool = False

    def _set_learner(self, options, total_weight):
        super()._set_learner(options, total_weight)
        options.ridge.deviation = bool(self.deviation)

    def partial_fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Adds rows to those of earlier calls, of which only sums are kept; the answers are those of all rows so far.

        Scaling, length scales and features are those of the first call, whose rows should be like all others; its
        targets may be passed by up to sixteen times their range. The equations are solved at the end of each call. With
        ``keep_sum=True`` the penalty of the first call stays too, per row.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_targets)
        sample_weight : array of shape (n_samples,), default=None
            Weights of rows, up to four times the largest of the first call (up to 1 where that had none).

        Returns
        -------
        self
        """
        return self._add(X, y, sample_weight)


@documented
@parameters
class KernelRidgeClassifier(_Sums, Linear, ClassifierMachine):
    """A classifier by kernel ridge regression of the classes' indicators: quick, and its sums merge.

    Parameters
    ----------
    alpha : float, array of floats or None, default=None
        The penalty of ``|Zw - y|^2 + alpha |w|^2``. None: searched; several: the best of them.
    {map}
    {least_squares}
    class_weight : dict, "balanced" or None, default=None
        Weights of classes.
    calibrate : bool, default=False
        Train once more on 85 % of the rows to learn probabilities: ``predict_proba``.
    {keep_background}
    keep_sum : bool, default=False
        Keep the exact sums of the rows, also in the file: ``partial_fit`` and ``forget`` then give the bytes of a training
        on the rows that remain, with the choices of fit().
    {common}

    Attributes
    ----------
    {classified}
    """

    alpha: float | Sequence[float] | NDArray[Any] | None = field(default=None, kw_only=False)
    solver: str = "auto"
    class_weight: dict[Any, float] | str | None = None
    keep_sum: bool = False

    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Adds rows to those of earlier calls, of which only sums are kept; the answers are those of all rows so far.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Scaling, length scales and features are those of the first call, whose rows should be like all others.
        y : array of shape (n_samples,)
            Their classes.
        classes : array, default=None
            All classes there will be; only the first call heeds it. None: those of its rows.
        sample_weight : array of shape (n_samples,), default=None
            Weights of rows, up to four times the largest of the first call (up to 1 where that had none).

        Returns
        -------
        self
        """
        if self.class_weight == "balanced" and not self.keep_sum:
            raise ValueError("class_weight: found balanced, expected weights in a dict: partial_fit does not know how "
                             "many rows a class will have")
        if not hasattr(self, "sum_") and not hasattr(self, "online_"):
            self._known = None if classes is None else np.unique(classes)
        return self._add(X, y, sample_weight)

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        self._known = None
        return super().fit(X, y, sample_weight)

    fit.__doc__ = KernelMachine.fit.__doc__

    def _encode_targets(self, y):
        known = self.__dict__.get("_known")
        if known is None and not hasattr(self, "sum_"):
            return super()._encode_targets(y)
        return self._encode_as(y, self.classes_ if known is None else known)

    def _encode_known(self, y):
        return self._encode_as(y, self.classes_)

    def _encode_as(self, y, known):
        y = column_or_1d(y, warn=True)
        codes = np.searchsorted(known, y).clip(max=len(known) - 1)
        strange = known[codes] != y
        if strange.any():
            raise ValueError(f"y: found the class {y[strange][0]!r}, expected one of {list(known)}; name all classes in "
                             "the first call")
        self.classes_ = known
        return codes.astype(np.float64)

    def _total_weight(self, targets, weights):
        if not isinstance(self.class_weight, dict):
            return super()._total_weight(targets, weights)
        of_classes = np.array([self.class_weight.get(c, 1.0) for c in self.classes_])
        return float((of_classes[targets.astype(np.intp)] * (1.0 if weights is None else weights)).sum())
