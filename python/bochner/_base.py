# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What estimators share: input to rows, and the model file."""

from __future__ import annotations

import html
import os

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from bochner import _core, _data, _files, _streams, _tables  # noqa: F401  (_files: pickling)
from bochner._progress import CallbackSupportMixin, reported
from bochner._words import bandwidth_words, choice, count, execution_of

MOST_LINES, MOST_CHARACTERS = 30, 160  # what a notebook shows of a report


class ModelEstimator(CallbackSupportMixin, BaseEstimator):
    """An estimator whose state is a model of the library, in ``model_``. Its fit() reports how far it is."""

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if "fit" in cls.__dict__:
            cls.fit = reported(cls.fit)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model, which the command and C++ read as well."""
        check_is_fitted(self, "model_")
        self.model_.save(os.fspath(path))

    def _inputs(self, X, reset, names=None, allow_nan=False):
        """X as numbers: float32 or float64 in any order, or CSR. names: of the columns of an array, if they are known."""
        if "_own" in self.__dict__ and X is self._own:
            return X
        X = _tables.collected(X)
        takes_sparse = self.__sklearn_tags__().input_tags.sparse
        if _data.is_path(X):
            raise ValueError(f"X: found the path {os.fspath(X)!r}, expected rows; only machines with a target read files")
        if _streams.is_stream(X):
            with _streams.spooled(X) as spool:
                X, names = spool.X, spool.names
            if X is None:
                raise ValueError("X: found text columns, expected numbers")
        elif _tables.is_table(X):
            _tables.check_names(_tables.names_of(X))
        checks = dict(accept_sparse="csr" if takes_sparse else False, dtype=[np.float64, np.float32],
                      ensure_min_samples=self._least_rows if reset else 1,
                      ensure_all_finite="allow-nan" if allow_nan else True)
        if names is None or not (reset or hasattr(self, "feature_names_in_")):
            try:
                X = validate_data(self, _streams.from_tensor(X), reset=reset, **checks)
            except (TypeError, ValueError) as refusal:
                of_shape = str(refusal).startswith(("Found array", "Feature names"))
                strange = None if of_shape or not _tables.is_table(X) else _tables.strange_column(X, allow_nan)
                if strange is None:
                    raise
                raise ValueError(f"X: found {strange}, expected finite numbers. {refusal}") from refusal
        else:
            if not reset and list(self.feature_names_in_) != names:
                raise ValueError(f"The feature names should match those that were passed during fit: found {names}")
            X = check_array(X, estimator=self, input_name="X", **checks)
            self.n_features_in_, self.feature_names_in_ = X.shape[1], np.asarray(names, dtype=object)
        if sparse.issparse(X):
            self._check_sparse(X)
            if allow_nan and np.isnan(X.data).any():
                raise ValueError("X: found NaN among sparse rows, expected numbers; missing cells need dense rows")
        return X

    _least_rows = 1
    _allows_nan = False  # NaN is a missing cell

    def _of_own(self, ask, X):
        """ask(X) of the rows of fit(), which were checked and have lost the names of their columns."""
        self._own = X
        try:
            return ask(X)
        finally:
            del self._own

    @staticmethod
    def _check_sparse(X):
        if X.shape[1] > np.iinfo(np.uint32).max:
            raise ValueError(f"X: found {X.shape[1]} columns, expected fewer than 2^32")

    def _new_rows(self, X, names=None):
        """(context, rows): rows for the fitted model. The context must live as long as they do."""
        X = self._inputs(X, reset=False, names=names, allow_nan=self._allows_nan)
        schema = _core.Schema(self.model_.schema)
        if not sparse.issparse(X) and _tables.has_nan(X):
            _data.refuse_unlearnt_gaps(X, schema)
            return X, _tables.new_rows(X, schema)
        schema.targets = 0
        return X, _data.rows_of(X, schema)

    def _execution(self):
        execution = execution_of(self.n_jobs)
        reporter = self.__dict__.get("_reporter")
        if reporter is not None and reporter.listens:
            execution.progress = reporter
        return execution

    def _figure(self, name):
        """What the method measured, by its name."""
        check_is_fitted(self, "model_")
        return np.asarray(dict(self.model_.figures)[name])

    def _feature_names(self):
        return getattr(self, "feature_names_in_", None)

    def _html_repr(self):
        """scikit-learn's picture of an estimator, and below it what the training chose and its score."""
        picture = estimator_html_repr(self)
        report = getattr(self.__dict__.get("model_"), "report", None)
        lines = [] if report is None else str(report).splitlines()[:MOST_LINES]
        if not any(lines):
            return picture
        cut = [line if len(line) <= MOST_CHARACTERS else line[:MOST_CHARACTERS] + " ..." for line in lines]
        score = f"<p><b>{html.escape(report.score)}</b></p>" if report.score else ""
        return (f"{picture}{score}<details><summary>What was chosen</summary><pre>{html.escape(chr(10).join(cut))}</pre>"
                "</details>")

    def _repr_html_inner(self):
        return self._html_repr()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._allows_nan
        return tags

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_")

    # Estimators read from files are made without fit.
    @classmethod
    def _of_model(cls, model):
        estimator = cls()
        estimator.model_ = model
        schema = model.schema
        inputs = [c for c in schema.columns if c.kind in (_core.Column.Kind.numeric, _core.Column.Kind.category)]
        estimator.n_features_in_ = len(inputs) if inputs else schema.inputs
        if schema.header and inputs:
            estimator.feature_names_in_ = np.asarray([c.name for c in inputs], dtype=object)
        return estimator


def set_features(options, estimator, seed, features):
    """The choices of a map that all estimators have, into TrainOptions or FeatureOptions."""
    options.map = estimator.map
    set_kernel(options, estimator)
    options.features = 0 if features is None else count("number of features", features)
    options.seed = seed


def set_kernel(options, estimator):
    """The choices that estimators without a map have as well."""
    options.kernel = estimator.kernel
    options.bandwidth = bandwidth_words(estimator.bandwidth)
    options.scale = None if estimator.scale is None else choice(_core.Scaling, "scale", estimator.scale)
    options.double_precision = choice_of_precision(estimator.precision)
    options.execution = estimator._execution()
    if estimator.verbose:
        options.say = print


def choice_of_precision(precision):
    if precision not in ("float", "double"):
        raise ValueError(f"precision: found {precision!r}, expected float or double")
    return precision == "double"
