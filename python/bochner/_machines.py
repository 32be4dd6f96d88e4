# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""How machines are trained and asked, whichever they are: arrays, tables with text, and files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.utils.validation import (
    _check_sample_weight, _check_y, check_consistent_length, check_is_fitted, column_or_1d)

from bochner import _core, _data, _importance, _streams, _tables
from bochner._base import ModelEstimator, set_features
from bochner._explain import explain_rows
from bochner._words import seed_of

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

FEW_ROWS = 256  # up to which equal rows are joined
LEAST_ROWS = 5  # the library trains on


def weights_of(X, sample_weight):
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        raise ValueError(f"sample_weight: found {weights.min()}, expected no weight below 0")
    if not weights.any():
        raise ValueError("sample_weight: every weight is zero, expected some above")
    return weights


def weighed_rows(X, y, sample_weight):
    """Checked rows, targets and weights; few rows are joined, so that a weight of two is the row twice to the bit."""
    weights = None if sample_weight is None else weights_of(X, sample_weight)
    return _data.joined_rows(X, y, weights) if X.shape[0] <= FEW_ROWS else (X, y, weights)


class KernelMachine(ModelEstimator):
    """fit() for all; subclasses say what the machine is and what targets are."""

    _least_rows = LEAST_ROWS
    _joins_rows = True
    _allows_nan = True

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Trains the machine.

        Parameters
        ----------
        X : array, sparse matrix, tensor, table, path or iterator of batches
            Numbers in memory are read where they are; NaN is a missing cell. Columns of tables (pandas, Polars,
            Arrow, DuckDB) are what their types say: text and categories become indicators, dates days. Files (CSV,
            svmlight, .npy) are read as ``bochner train`` reads them. Batches of an iterator are (X, y) or
            (X, y, sample_weight).
        y : array, or for a path the name or names of the target columns
            What to predict.
        sample_weight : array of shape (n_samples,), default=None
            Weights of rows; for a path the name of their column.

        Returns
        -------
        self
        """
        self.__dict__.pop("sum_", None)  # left by partial_fit
        self.__dict__.pop("online_", None)
        self.__dict__.pop("_kept", None)
        self.__dict__.pop("estimators_", None)
        if _data.is_path(X):
            return self._fit_path(os.fspath(X), y, sample_weight)
        if _tables.is_whole(X) and y is not None:
            X = _tables.arrow_table(X)
            if X.num_rows > FEW_ROWS or _tables.is_mixed(X):
                return self._fit_table(X, y, sample_weight)
        if _streams.is_stream(X):
            return self._fit_stream(X, y, sample_weight)
        X, y = _tables.collected(_streams.from_tensor(X)), _streams.from_tensor(y)
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        by_columns = _tables.is_polars(X) and len(X) > FEW_ROWS  # as an array it would be a copy
        if by_columns or _tables.is_mixed(X) or _tables.has_text(X):
            return self._fit_table(X, y, sample_weight)
        return self._fit_numbers(X, y, sample_weight)

    def _fit_numbers(self, X, y, sample_weight, names=None):
        X = self._inputs(X, reset=True, names=names, allow_nan=self._allows_nan)
        targets = self._encode_targets(y)
        check_consistent_length(X, targets)
        if sample_weight is not None:
            sample_weight = weights_of(X, sample_weight)
        target_names = self._target_names(y)
        total = self._total_weight(targets, sample_weight)
        if X.shape[0] <= FEW_ROWS and self._joins_rows:
            joined = _data.joined_rows(X, targets, sample_weight)
            if joined[0].shape[0] >= LEAST_ROWS:
                X, targets, sample_weight = joined
        names = self._feature_names()
        if not sparse.issparse(X) and _tables.has_nan(X):
            rows = _tables.training_rows(X, targets, target_names, self._labels(), sample_weight, names)
        else:
            schema = _data.schema_of(
                X.shape[1], names, 1 if targets.ndim == 1 else targets.shape[1], target_names,
                getattr(self, "classes_", None), sparse.issparse(X))
            if names is not None and schema.columns:
                _data.fill_by_means(schema, X)
            rows = _data.rows_of(X, schema, targets, sample_weight)
        self._train(rows, total)
        self._kept = None if sparse.issparse(X) else _importance.Kept(X)
        return self

    @property
    def feature_importances_(self):
        """How much the answers hear each column: shares of one, in the order of the columns.

        A column's share is that of the squared change of the answers if its values are shuffled among up to 200 rows of
        the training; the levels of a text column are shuffled together. Rows of paths, batches and sparse matrices are
        not kept for it.
        """
        check_is_fitted(self, "model_")
        kept = self.__dict__.get("_kept")
        if kept is None:
            raise AttributeError("feature_importances_ needs rows of the training, which are kept of dense arrays and "
                                 "tables; fit on one")
        return _importance.importances(self, kept)

    def _refuse_labels(self, what):
        if hasattr(self, "estimators_"):
            raise ValueError(f"{what}: found a machine for each label, expected one; take those in estimators_")

    def _labels(self):
        return [_data.label_of(c) for c in self.classes_] if hasattr(self, "classes_") else None

    def _fit_path(self, path, target, weights):
        if weights is not None and getattr(self, "alpha", None) is not None:
            raise ValueError("alpha: found with weights in a file, expected None or arrays: it is relative to their sum")
        rows = _core.open_rows(path, self._reading(target, weights))
        self._train(rows, float(rows.size))
        schema = self.model_.schema
        fitted = type(self)._of_model(self.model_)
        for name in ("n_features_in_", "feature_names_in_", "classes_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))
        self._one_target = self.model_.outputs == 1
        return self

    def _fit_stream(self, X, y, sample_weight):
        """Batches, through a file."""
        with _streams.spooled(X, None if y is None else np.asarray(y), sample_weight) as spool:
            if spool.y is None:
                raise ValueError(
                    f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
            if spool.table is None:
                return self._fit_numbers(spool.X, spool.y, spool.weights, spool.names)
            return self._fit_table(spool.table, spool.y, spool.weights)

    def _fit_table(self, X, y, sample_weight):
        targets = self._encode_targets(y)
        names = self._target_names(y)
        weights = None if sample_weight is None else weights_of(targets, sample_weight)
        if not isinstance(X, _tables.Gathered):
            check_consistent_length(X.columns[0] if _tables.is_arrow(X) else X, targets)
        if len(targets) < LEAST_ROWS:
            raise ValueError(f"Found array with {len(targets)} sample(s) while a minimum of {LEAST_ROWS} is required by "
                             f"{type(self).__name__}.")
        several = 1 if targets.ndim == 1 else targets.shape[1]
        if names is not None and len(names) != several:
            names = None
        rows = _tables.training_rows(X, targets, names, self._labels(), weights)
        self._train(rows, self._total_weight(targets, weights))
        self._kept = None if isinstance(X, _tables.Gathered) else _importance.Kept(X)
        schema = self.model_.schema
        inputs = [column for column in schema.columns if column.kind != _core.Column.Kind.target]
        self.n_features_in_ = len(inputs)
        self.__dict__.pop("feature_names_in_", None)
        if schema.header:
            self.feature_names_in_ = np.asarray([column.name for column in inputs], dtype=object)
        _tables.warn_of_ignored(schema)
        return self

    def _reading(self, targets, weights):
        reading = _core.RowsOptions()
        if targets is not None:
            targets = [targets] if isinstance(targets, (str, int)) else list(targets)
            if not all(isinstance(target, (str, int)) for target in targets):
                raise ValueError("y: found values, expected the name of the target's column, since X is a path")
            reading.targets = [str(target) for target in targets]
        if weights is not None:
            reading.weights = str(weights)
        reading.task = self._task
        return reading

    def _train(self, rows, total_weight):
        self.model_ = _core.train(rows, self._options(total_weight))

    def _learning(self):
        if getattr(self, "keep_sum", False):
            raise ValueError("keep_sum: found True, expected False: rounds of sums keep none of them")
        return _core.learning(self._options(1.0), True)

    def _options(self, total_weight):
        options = _core.TrainOptions()
        self._set_machine(options, total_weight)
        options.keep_background = bool(getattr(self, "keep_background", False))
        options.seed = options.ridge.seed = options.learner.seed = seed_of(self.random_state)
        self._set_class_weights(options)
        return options

    @property
    def report_(self):
        """What the training did and found."""
        check_is_fitted(self, "model_")
        return self.model_.report

    def _set_machine(self, options, total_weight):
        set_features(options, self, 0, self.n_components)
        options.calibrate = bool(self.calibrate)
        self._set_learner(options, total_weight)

    def _set_class_weights(self, options):
        pass

    def _total_weight(self, targets, weights):
        """What a penalty is relative to."""
        return float(len(targets) if weights is None else weights.sum())

    @staticmethod
    def _target_names(y):
        names = getattr(y, "columns", None) if getattr(y, "ndim", 1) == 2 else [getattr(y, "name", None)]
        return [str(name) for name in names] if names is not None and all(n is not None for n in names) else None

    def _answers(self, X, deviations=False):
        """The model's numbers for new rows: values of targets, with their deviations behind, or scores of classes."""
        check_is_fitted(self, "model_")
        schema = self.model_.schema
        if _data.is_path(X):
            reading = _core.RowsOptions()
            reading.target_required = False
            return self.model_.predict(_core.open_rows(os.fspath(X), schema, reading), self._execution(), deviations)
        if _streams.is_stream(X):
            return np.concatenate([self._answers_of_batch(batch, deviations) for batch in _streams.inputs_of(X)])
        X = _tables.collected(X)
        if _tables.has_text(X) or (_tables.is_table(X) and (_data.needs_reader(schema) or _tables.is_mixed(X))):
            self._check_width(X)
            return self.model_.predict(_tables.new_rows(X, schema), self._execution(), deviations)
        blocks = _streams.frame_blocks(X)
        if blocks is not None:
            return _streams.stacked((self._answers(block, deviations) for block in blocks), len(X))
        X, rows = self._new_rows(X)
        return self.model_.predict(rows, self._execution(), deviations)

    def explain(self, X, background=None, *, unknown="auto", background_rows=None, evaluations=None, pairs=False,
                random_state=0):
        """What each column adds to the score of each row: Shapley values, exact if the machine has a closed form.

        Values of a row and the base value add up to the score: a value of a target, or a score of a class.

        Parameters
        ----------
        X : array, sparse matrix, table or path
            Rows to explain.
        background : array, sparse matrix, table or path, default=None
            Rows such as those of training, which an unknown column takes its values from; None: those that the machine
            has kept (``keep_background=True``), otherwise X.
        unknown : {"auto", "columns", "rows"}, default="auto"
            Whether an unknown column takes values of its own or those of a whole row; "auto": columns if the machine
            has a closed form for them.
        background_rows : int or None, default=None
            Rows drawn from the background; None: 2000, or 100 whole rows.
        evaluations : int or None, default=None
            Predictions that each row takes if the machine has no closed form; None: as many, up to 20,000, as bring
            standard errors below 2.5 % of the spread of the background's scores.
        pairs : bool, default=False
            Find interactions of pairs of columns as well.
        random_state : int, RandomState or None, default=0
            An integer is the seed.

        Returns
        -------
        explanation : shap.Explanation, or an object like it where shap is not installed
            With ``values`` (n_samples, n_columns), ``base_values`` (n_samples,), ``data`` and ``feature_names``; of
            several scores with one axis more. ``bochner`` has, besides, ``scores``, ``errors`` (standard errors, None
            where values are exact) and ``pairs``.
        """
        return explain_rows(self, X, background, unknown, background_rows, evaluations, pairs, random_state)

    def _check_width(self, X):
        """An array of other columns than the training's, in scikit-learn's words; tables are matched by name."""
        if not _tables.is_table(X) and len(X[0]) != self.n_features_in_:
            raise ValueError(f"X has {len(X[0])} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                             "features as input")

    def _answers_of_batch(self, batch, deviations):
        """Arrow's batches are written where they hold text or missing cells; others are arrays, tables or tensors."""
        if not hasattr(batch, "num_rows"):
            return self._answers(batch, deviations)
        if (_data.needs_reader(self.model_.schema) or not _tables.is_plain(batch)
                or any(column.null_count for column in batch.columns)):
            return self.model_.predict(_tables.new_rows(batch, self.model_.schema), self._execution(), deviations)
        numbers, names = _streams.numbers_of(batch)
        X, rows = self._new_rows(numbers, names)
        return self.model_.predict(rows, self._execution(), deviations)


class RegressorMachine(KernelMachine):
    _task = _core.Task.regression

    def _encode_targets(self, y):
        multi = self.__sklearn_tags__().target_tags.multi_output
        y = y if multi else column_or_1d(y, warn=True)
        try:
            y = _check_y(y, multi_output=multi, y_numeric=True, estimator=self)
            y = y.astype(np.float64, copy=False)
        except ValueError as refusal:
            if "could not convert" not in str(refusal):
                raise
            raise ValueError(f"y: {refusal}; {type(self).__name__} learns numbers, classifiers learn classes") from refusal
        if np.isnan(y).any():  # None among objects
            raise ValueError("y: Input y contains NaN or None, expected a number for every row; leave such rows out")
        self._one_target = y.ndim == 1
        return y

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Values of the targets for new rows: array, sparse matrix, table or path.

        ``return_std`` adds the standard deviation of each, in the same shape. It needs ``deviation=True``, or intervals,
        whose residuals of rows held out then give it.
        """
        if not return_std:
            values = self._answers(X)
            return values[:, 0] if self._one_target else values
        check_is_fitted(self, "model_")
        if not self.model_.has_deviation:
            raise AttributeError("the model has no deviations; fit with deviation=True, or with calibrate=True")
        values, deviations = np.split(self._answers(X, True), 2, axis=1)
        return (values[:, 0], deviations[:, 0]) if self._one_target else (values, deviations)

    def predict_interval(self, X: Any, level: float = 0.9) -> NDArray[Any]:
        """Lower and upper values between which a share ``level`` of rows like the training's lie, from rows held out.

        The model must have learnt them: the automatic one does, others with ``calibrate=True``. Shape (n_samples, 2) for
        one target, (n_samples, n_targets, 2) for several.
        """
        values = self._answers(X)
        if not self.model_.has_intervals:
            raise AttributeError("the model has no intervals; fit with calibrate=True and enough rows to hold some out")
        found = [self.model_.intervals(np.ascontiguousarray(values[:, k]), level, k) for k in range(values.shape[1])]
        return found[0] if self._one_target else np.stack(found, axis=1)

    @classmethod
    def _of_model(cls, model):
        machine = super()._of_model(model)
        machine._one_target = model.outputs == 1
        return machine
