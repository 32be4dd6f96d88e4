# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Clusters and densities."""

from __future__ import annotations

import warnings
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, DensityMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from bochner import _core, _data
from bochner._base import ModelEstimator, choice_of_precision, set_features
from bochner._docs import documented
from bochner._machines import weighed_rows
from bochner._parameters import Common, OfMap, parameters
from bochner._words import count, seed_of

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self


@documented
@parameters
class KernelKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, OfMap, ModelEstimator):
    """Kernel k-means by random features: clusters of any shape, in time linear in the rows.

    {rounds}

    Parameters
    ----------
    n_clusters : int, default=8
        Clusters; the heaviest is number 0. At most as many as rows, with a warning.
    n_init : int, default=3
        Starts on a sample, of which the best goes on to all rows.
    max_iter : int, default=300
        Passes over all rows, at most.
    tol : float, default=1e-4
        The centres stand still.
    map : str, default="fourier"
        The features, in the command's words; ``"none"``: of the scaled inputs.
    {median}
    {common}

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row of the fit.
    inertia_ : float
        Sum of squared distances to the centres, in the features' space.
    n_iter_ : int
        Passes over all rows.
    {fitted}
    """

    n_clusters: int = field(default=8, kw_only=False)
    n_init: int = 3
    max_iter: int = 300
    tol: float | None = 0.0001

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Finds the clusters of X: array or sparse matrix of shape (n_samples, n_features). y is ignored."""
        X = self._inputs(X, reset=True)
        rows, _, weights = weighed_rows(X, None, sample_weight)
        options = self._options()
        if options.clusters > rows.shape[0]:
            warnings.warn(f"n_clusters={options.clusters}: more than the {rows.shape[0]} different rows; each is its own "
                          "cluster", ConvergenceWarning, stacklevel=2)
            options.clusters = rows.shape[0]
        schema = _data.schema_of(X.shape[1], self._feature_names(), sparse_rows=sparse.issparse(X))
        self.model_ = _core.kmeans(_data.rows_of(rows, schema, None, weights), options)
        self.labels_ = self._of_own(self.predict, X)
        return self

    def _options(self):
        options = _core.KMeansOptions()
        options.clusters = count("n_clusters", self.n_clusters)
        options.restarts = count("n_init", self.n_init)
        options.most_passes = count("max_iter", self.max_iter)
        options.tolerance = float(self.tol)
        set_features(options.features, self, seed_of(self.random_state), self.n_map_features)
        return options

    def _learning(self):
        return _core.learning(self._options())

    def _minus_squares(self, X):
        check_is_fitted(self, "model_")
        X, rows = self._new_rows(X)
        return self.model_.predict(rows, self._execution()), X.dtype

    def predict(self, X: Any) -> NDArray[Any]:
        """The cluster of each row."""
        return self._minus_squares(X)[0].argmax(axis=1)

    def transform(self, X: Any) -> Any:
        """Distances to the centres, in the features' space."""
        scores, dtype = self._minus_squares(X)
        return np.sqrt(np.maximum(0, -scores)).astype(dtype, copy=False)

    @property
    def inertia_(self):
        return float(self._figure("inertia")[-1])

    @property
    def n_iter_(self):
        return max(1, len(self._figure("inertia")) - 1)

    @property
    def _n_features_out(self):
        return self.model_.outputs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@documented
@parameters
class GaussianMixture(DensityMixin, Common, ModelEstimator):
    """A mixture of Gaussians by EM, which streams: its memory does not grow with the rows.

    {rounds}

    Parameters
    ----------
    n_components : int, "auto" or None, default=1
        Gaussians. ``"auto"`` and None: as many as BIC finds best on a sample.
    covariance_type : {"full", "tied", "diag", "spherical", "lowrank:R"}, default="full"
        What covariances may be; ``"lowrank:5"`` is a factor analyser of rank 5.
    tol : float, default=1e-4
        EM ends where a round gains less, in log-likelihood of a row.
    max_iter : int, default=200
        Rounds, at most.
    n_init : int, default=4
        Starts on a sample, of which the likeliest is kept.
    reg_covar : float or None, default=None
        Least variance, as a share of an input's. None: chosen on rows held out.
    warm_start : bool, default=False
        Begin where the last fit has ended instead of with new starts. Other estimators have no such parameter: what
        they minimise is convex, so that the answer is the same from anywhere, or they choose anew what it depends on.
    precision : {"float", "double"}, default="double"
        What densities are computed in.
    {draws}
    verbose : bool, default=False
        Print each choice as it is made.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Weights of the components.
    means_ : ndarray of shape (n_components, n_features)
        Means of the components.
    covariances_ : ndarray
        Covariances in scikit-learn's shape for the type; the full matrices for lowrank.
    converged_ : bool
        Whether EM ended by ``tol``.
    n_iter_ : int
        Rounds.
    {fitted}
    """

    n_components: int | str | None = field(default=1, kw_only=False)
    covariance_type: str = "full"
    tol: float | None = 0.0001
    max_iter: int = 200
    n_init: int = 4
    reg_covar: float | None = None
    warm_start: bool = False
    precision: str = "double"

    _least_rows = 2

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Fits the density of X: array of shape (n_samples, n_features). y is ignored."""
        last = self._last_mixture() if self.warm_start else []
        X = self._inputs(X, reset=True)
        rows, _, weights = weighed_rows(X, None, sample_weight)
        options = self._options()
        if last and last[0].gaussians.means().shape[1] == X.shape[1]:
            options.start = last
        if options.components > X.shape[0]:
            raise ValueError(f"n_components={options.components}: more than the rows, n_samples={X.shape[0]}")
        schema = _data.schema_of(X.shape[1], self._feature_names())
        self.model_ = _core.mixture(_data.rows_of(rows, schema, None, weights), options)
        self._take_facts()
        return self

    def _options(self):
        options = _core.MixtureOptions()
        chosen = self.n_components in (None, "auto")
        options.components = 0 if chosen else count("n_components", self.n_components)
        options.covariance = _core.CovarianceForm(self.covariance_type)
        options.tolerance = float(self.tol)
        options.rounds = count("max_iter", self.max_iter)
        options.restarts = count("n_init", self.n_init)
        options.floor = None if self.reg_covar is None else float(self.reg_covar)
        options.features.double_precision = choice_of_precision(self.precision)
        options.features.seed = seed_of(self.random_state)
        options.features.execution = self._execution()
        if self.verbose:
            options.features.say = print
        return options

    def _learning(self):
        return _core.learning(self._options())

    def _take_facts(self):
        mixture, facts = _core.mixtures_of(self.model_.head)[0], _core.mixture_facts(self.model_.head)
        self.weights_ = np.asarray(mixture.weights)
        self.means_ = _core.rows_of_features(self.model_, mixture.gaussians.means())
        self.covariances_ = self._covariances(mixture.gaussians)
        self.converged_, self.n_iter_ = facts.converged, max(1, facts.rounds)
        self.n_parameters_ = int(facts.parameters)
        self._fitted_as = self.n_components, self.covariance_type

    def _last_mixture(self):
        """The one of the last fit, if it has as many components and covariances of the same form."""
        if not hasattr(self, "model_"):
            return []
        count_asked, form = self.__dict__.get("_fitted_as", (None, None))
        return _core.mixtures_of(self.model_.head) if (count_asked, form) == (self.n_components, self.covariance_type) else []

    def _covariances(self, gaussians):
        if self.covariance_type == "diag":
            return gaussians.variances()
        if self.covariance_type == "spherical":
            return gaussians.variances()[:, 0]
        if self.covariance_type == "tied":
            return gaussians.covariance(0)
        return np.stack([gaussians.covariance(k) for k in range(len(self.weights_))])

    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Shares of the components in each row."""
        check_is_fitted(self, "model_")
        X, rows = self._new_rows(X)
        return self.model_.predict(rows, self._execution())

    def predict(self, X: Any) -> NDArray[Any]:
        """The component with the largest share in each row."""
        return self.predict_proba(X).argmax(axis=1)

    def fit_predict(self, X: Any, y: Any = None) -> NDArray[Any]:
        """The components of the rows of the fit."""
        return self.fit(X).predict(X)

    def score_samples(self, X: Any) -> NDArray[Any]:
        """Logarithms of the density at each row."""
        check_is_fitted(self, "model_")
        X, rows = self._new_rows(X)
        density = _core.log_density(self.model_)
        return density.transform_double(rows, self._execution())[:, 0]

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood of the rows."""
        return float(self.score_samples(X).mean())

    def bic(self, X: Any) -> float:
        """Bayes' information criterion on X: the lower the better."""
        n = X.shape[0]
        return -2 * self.score(X) * n + self.n_parameters_ * np.log(n)

    def aic(self, X: Any) -> float:
        """Akaike's information criterion on X: the lower the better."""
        return -2 * self.score(X) * X.shape[0] + 2 * self.n_parameters_

    def sample(
        self, n_samples: int = 1,
        random_state: int | np.random.RandomState | np.random.Generator | None = 0) -> tuple[NDArray[Any], NDArray[Any]]:
        """Rows drawn from the mixture, and the component of each."""
        check_is_fitted(self, "model_")
        mixture = _core.mixtures_of(self.model_.head)[0]
        drawn, components = mixture.sample(count("n_samples", n_samples), seed_of(random_state))
        return _core.rows_of_features(self.model_, drawn), components

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
