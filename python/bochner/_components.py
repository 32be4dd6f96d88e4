# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Components: of the rows themselves, of their features, and those that tell classes apart."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted

from bochner import _core, _data
from bochner._base import ModelEstimator, set_features
from bochner._classifiers import ClassifierMachine
from bochner._docs import documented
from bochner._machines import weighed_rows
from bochner._parameters import Drawn, OfMap, parameters
from bochner._ridge import KernelRidge
from bochner._transformers import TransformsByModel, in_double, mapped_back
from bochner._words import count, numbers_of, seed_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self


@documented
@parameters
class RandomizedSVD(TransformsByModel, Drawn, ModelEstimator):
    """The leading right singular vectors of the rows, in a few passes over them.

    Parameters
    ----------
    n_components : int, default=2
        The rank.
    center : bool, default=False
        Principal components: rows lose their mean first.
    n_passes : int or None, default=None
        Passes over the rows, besides one that finds their means. None: until a further one would not help.
    {precision_of_rows}
    {draws}

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The right singular vectors.
    singular_values_ : ndarray of shape (n_components,)
        Descending.
    relative_error_ : float
        ``|A - A V V^T| / |A|`` of the rows A.
    {fitted}
    """

    n_components: int | None = field(default=2, kw_only=False)
    center: Any = False
    n_passes: Any = None
    precision: str | None = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Finds the factor of X: array or sparse matrix of shape (n_samples, n_features). y is ignored."""
        X = self._inputs(X, reset=True)
        schema = _data.schema_of(X.shape[1], self._feature_names(), sparse_rows=sparse.issparse(X))
        self.model_ = _core.svd(_data.rows_of(X, schema), self._options(*X.shape, in_double(self, X)))
        return self

    def _options(self, rows, inputs, double_precision):
        options = _core.SvdOptions()
        options.rank = min(count("n_components", self.n_components), rows, inputs)
        options.center = bool(self.center)
        options.passes = None if self.n_passes is None else count("n_passes", self.n_passes)
        options.seed = seed_of(self.random_state)
        options.double_precision = bool(double_precision)
        options.execution = self._execution()
        return options

    def _learning(self):
        most = np.iinfo(np.int32).max  # rows and columns are not known yet
        return _core.learning(self._options(most, most, False))

    def inverse_transform(self, X: Any) -> Any:
        """Rows back from their coordinates."""
        check_is_fitted(self, "model_")
        return mapped_back(self, X)

    @property
    def components_(self):
        check_is_fitted(self, "model_")
        rank = self.model_.outputs
        units = np.vstack([np.eye(rank), np.zeros((1, rank))])
        back = mapped_back(self, units)
        return back[:-1] - back[-1]

    @property
    def singular_values_(self):
        check_is_fitted(self, "model_")
        return np.asarray(_core.factor_of(self.model_.map).singular_values)

    @property
    def relative_error_(self):
        check_is_fitted(self, "model_")
        return _core.factor_of(self.model_.map).error


@documented
@parameters
class KernelPCA(TransformsByModel, OfMap, ModelEstimator):
    """Kernel principal components by random features, in time linear in the rows.

    {all_at_once}

    Parameters
    ----------
    n_components : int, default=2
        The components.
    map : str, default="fourier"
        The features, in the command's words; ``"none"``: of the scaled inputs.
    fit_inverse_transform : bool, default=False
        Also learn the way back from components to inputs, by kernel ridge regression, for ``inverse_transform``.
    {median}
    {common}

    Attributes
    ----------
    explained_variance_ : ndarray of shape (n_components,)
        Variance of each component, in the features' space.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The same as a share of all.
    {fitted}
    """

    n_components: int | None = field(default=2, kw_only=False)
    fit_inverse_transform: bool = False

    _least_rows = 2

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Finds the components of X: array or sparse matrix of shape (n_samples, n_features). y is ignored."""
        X = self._inputs(X, reset=True)
        rows, _, weights = weighed_rows(X, None, sample_weight)
        schema = _data.schema_of(X.shape[1], self._feature_names(), sparse_rows=sparse.issparse(X))
        self.model_ = _core.pca(_data.rows_of(rows, schema, None, weights), self._options())
        self.__dict__.pop("way_back_", None)
        if self.fit_inverse_transform:
            self.way_back_ = KernelRidge(random_state=self.random_state, n_jobs=self.n_jobs)
            features = self._of_own(self.transform, X)
            self.way_back_.fit(features, X.toarray() if sparse.issparse(X) else X, sample_weight)
        return self

    def _options(self):
        options = _core.PcaOptions()
        options.rank = count("n_components", self.n_components)
        set_features(options.features, self, seed_of(self.random_state), self.n_map_features)
        return options

    def _learning(self):
        return _core.learning(self._options())

    @available_if(lambda self: self.fit_inverse_transform or self.map == "none")
    def inverse_transform(self, X: Any) -> Any:
        """Rows whose components are about X: exact of linear components, learnt if ``fit_inverse_transform``."""
        check_is_fitted(self, "model_")
        return self.way_back_.predict(X) if hasattr(self, "way_back_") else mapped_back(self, X)

    @property
    def explained_variance_(self):
        return self._figure("explained_variance")

    @property
    def explained_variance_ratio_(self):
        return self._figure("explained_variance_ratio")


@documented
@parameters
class KernelLDA(TransformsByModel, OfMap, ClassifierMachine):
    """The kernel discriminant by random features: directions in which classes lie farthest apart for their scatter.

    {all_at_once}

    Parameters
    ----------
    shrinkage : float, array of floats or None, default=None
        Penalty of ``S_w / n + shrinkage I``. None: searched; several: the best of them.
    map : str, default="fourier"
        The features, in the command's words; ``"none"``: of the scaled inputs.
    {searched}
    {common}

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    ratios_ : ndarray
        Scatter between by scatter within classes, of each direction.
    {fitted}
    """

    shrinkage: Any = field(default=None, kw_only=False)

    _takes_labels = False

    def _train(self, rows, total_weight):
        self.model_ = _core.lda(rows, self._discriminant())

    def _discriminant(self):
        options = _core.LdaOptions()
        options.lambdas = numbers_of("shrinkage", self.shrinkage)
        set_features(options.features, self, seed_of(self.random_state), self.n_map_features)
        return options

    def _learning(self):
        return _core.learning(self._discriminant())

    @property
    def ratios_(self):
        return self._figure("ratios")


@documented
@parameters
class KernelCCA(TransformsByModel, OfMap, ModelEstimator):
    """Kernel canonical correlations by random features: what the inputs and other numbers have in common.

    {all_at_once}

    Parameters
    ----------
    n_components : int, default=None
        Pairs of directions. None: as many as y has columns.
    alpha : float, array of floats or None, default=None
        Penalty of ``C_xx + alpha I``. None: searched; several: the best of them.
    map : str, default="fourier"
        The features of X, in the command's words; ``"none"``: of the scaled inputs.
    {searched}
    {common}

    Attributes
    ----------
    correlations_ : ndarray of shape (n_components,)
        Correlations over the rows of the fit.
    y_directions_ : ndarray of shape (n_components, n_targets)
        The directions of y.
    y_mean_ : ndarray of shape (n_targets,)
        Which they are about.
    {fitted}
    """

    n_components: int | None = field(default=None, kw_only=False)
    alpha: float | Sequence[float] | NDArray[Any] | None = None

    _least_rows = 5

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Finds the directions.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples, n_targets)
            The other view: numbers.
        sample_weight : array of shape (n_samples,), default=None
            Weights of rows.

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError("This KernelCCA estimator requires y to be passed, but the target y is None.")
        X = self._inputs(X, reset=True)
        y = self._other_view(y)
        check_consistent_length(X, y)
        rows, y, weights = weighed_rows(X, y, sample_weight)
        options = _core.CcaOptions()
        options.rank = 0 if self.n_components is None else count("n_components", self.n_components)
        options.lambdas = numbers_of("alpha", self.alpha)
        set_features(options.features, self, seed_of(self.random_state), self.n_map_features)
        schema = _data.schema_of(X.shape[1], self._feature_names(), y.shape[1], sparse_rows=sparse.issparse(X))
        self.model_ = _core.cca(_data.rows_of(rows, schema, y, weights), options)
        return self

    @staticmethod
    def _other_view(y):
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        return y.reshape(len(y), -1)

    def transform_y(self, y: Any) -> Any:
        """The coordinates of the other view, which correlate with those of transform(X)."""
        check_is_fitted(self, "model_")
        return (self._other_view(y) - self.y_mean_) @ self.y_directions_.T

    @property
    def correlations_(self):
        return self._figure("correlations")

    @property
    def y_directions_(self):
        return self._figure("target_directions").reshape(len(self.correlations_), -1)

    @property
    def y_mean_(self):
        return self._figure("target_means")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags
