# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What estimators share: input to rows, and the model file."""

import os

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from bochner import _core, _data, _files  # noqa: F401  (_files: pickling)
from bochner._words import bandwidth_words, choice, count, execution_of


class ModelEstimator(BaseEstimator):
    """An estimator whose state is a model of the library, in ``model_``."""

    def save(self, path):
        """Writes the model, which the command and C++ read as well."""
        check_is_fitted(self, "model_")
        self.model_.save(os.fspath(path))

    def _inputs(self, X, reset):
        """X as numbers: float32 or float64 in any order, or CSR."""
        takes_sparse = self.__sklearn_tags__().input_tags.sparse
        X = validate_data(
            self, X, reset=reset, accept_sparse="csr" if takes_sparse else False, dtype=[np.float64, np.float32],
            ensure_min_samples=self._least_rows if reset else 1)
        if sparse.issparse(X):
            self._check_sparse(X)
        return X

    _least_rows = 1

    @staticmethod
    def _check_sparse(X):
        if X.shape[1] > np.iinfo(np.uint32).max:
            raise ValueError(f"X: found {X.shape[1]} columns, expected fewer than 2^32")

    def _new_rows(self, X):
        """(context, rows): rows for the fitted model. The context must live as long as they do."""
        X = self._inputs(X, reset=False)
        schema = _core.Schema(self.model_.schema)
        schema.targets = 0
        return X, _data.rows_of(X, schema)

    def _execution(self):
        return execution_of(self.n_jobs)

    def _figure(self, name):
        """What the method measured, by its name."""
        check_is_fitted(self, "model_")
        return np.asarray(dict(self.model_.figures)[name])

    def _feature_names(self):
        return getattr(self, "feature_names_in_", None)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
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
    options.kernel = estimator.kernel
    options.bandwidth = bandwidth_words(estimator.bandwidth)
    options.features = 0 if features is None else count("number of features", features)
    options.scale = None if estimator.scale is None else choice(_core.Scaling, "scale", estimator.scale)
    options.double_precision = choice_of_precision(estimator.precision)
    options.seed = seed
    options.execution = estimator._execution()
    if estimator.verbose:
        options.say = print


def choice_of_precision(precision):
    if precision not in ("float", "double"):
        raise ValueError(f"precision: found {precision!r}, expected float or double")
    return precision == "double"
