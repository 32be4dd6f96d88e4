# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""sklearn.decomposition.TruncatedSVD and sklearn.utils.extmath.randomized_svd."""

import warnings

import numpy as np
from scipy import linalg, sparse
from sklearn.decomposition import TruncatedSVD as _Theirs
from sklearn.utils.extmath import svd_flip
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_array, check_is_fitted

from bochner._components import RandomizedSVD
from bochner._docs import documented


@documented
class TruncatedSVD(RandomizedSVD):
    """Truncated SVD with scikit-learn's parameters.

    Parameters
    ----------
    n_components : int, default=2
        The rank.
    algorithm : {"randomized", "arpack"}, default="randomized"
        arpack is scikit-learn's.
    n_iter : int, default=None
        Passes. None: until a further one would not help.
    n_oversamples : int, default=10
        Has no effect.
    power_iteration_normalizer : str, default="auto"
        Has no effect.
    random_state : int, RandomState or None, default=None
        An integer is the seed.
    tol : float, default=0.0
        Has no effect.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        The right singular vectors.
    singular_values_ : ndarray of shape (n_components,)
        Descending.
    explained_variance_ : ndarray of shape (n_components,)
        Variance of each coordinate of the rows of the fit.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        The same as a share of the rows' variance.
    {fitted}
    """

    center, n_jobs = False, None

    def __init__(
        self, n_components=2, *, algorithm="randomized", n_iter=None, n_oversamples=10,
        power_iteration_normalizer="auto", random_state=None, tol=0.0):
        self.n_components = n_components
        self.algorithm = algorithm
        self.n_iter = n_iter
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.tol = tol

    @property
    def n_passes(self):
        return None if self.n_iter is None else 2 * self.n_iter + 2

    @property
    def components_(self):
        check_is_fitted(self)
        return self.peer_.components_ if hasattr(self, "peer_") else super().components_ * self._signs[:, None]

    @property
    def singular_values_(self):
        check_is_fitted(self)
        return self._singular_values

    def fit(self, X, y=None):
        """Finds the factor of X: array or sparse matrix. y is ignored."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Finds the factor and gives the coordinates of the rows."""
        self.__dict__.pop("peer_", None)
        if self.algorithm not in ("randomized", "arpack"):
            raise ValueError(f"algorithm: found {self.algorithm!r}, expected randomized or arpack")
        if self.algorithm == "arpack":
            self.__dict__.pop("model_", None)
            self.peer_ = _Theirs(**{**self.get_params(), "n_iter": 5 if self.n_iter is None else self.n_iter})
            Z = self.peer_.fit_transform(X)
            for name in ("explained_variance_", "explained_variance_ratio_", "n_features_in_", "feature_names_in_"):
                if hasattr(self.peer_, name):
                    setattr(self, name, getattr(self.peer_, name))
            self._singular_values = self.peer_.singular_values_
            return Z
        self._signs = np.ones(1)
        super().fit(X)
        if self.n_components > self.n_features_in_:
            raise ValueError(f"n_components({self.n_components}) must be <= n_features({self.n_features_in_}).")
        # The largest entry of each direction is positive, as there.
        directions = super().components_
        largest = directions[np.arange(len(directions)), np.abs(directions).argmax(axis=1)]
        self._signs = np.where(largest < 0, -1.0, 1.0)
        Z = self.transform(X)
        X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        # Differences from the mean: those of squares lose all digits where columns lie far from zero.
        variances = mean_variance_axis(X, axis=0)[1] if sparse.issparse(X) else X.var(axis=0, dtype=np.float64)
        total = float(np.sum(variances, dtype=np.float64))
        self._singular_values = np.linalg.norm(Z, axis=0)
        self.explained_variance_ = Z.var(axis=0)
        # Equal rows have no variance to explain.
        self.explained_variance_ratio_ = self.explained_variance_ / total if total > 0 else 0 * self.explained_variance_
        return Z

    def transform(self, X):
        """The coordinates of rows."""
        check_is_fitted(self)
        if hasattr(self, "peer_"):
            return self.peer_.transform(X)
        Z = super().transform(X)
        return Z * self._signs.astype(Z.dtype)

    def inverse_transform(self, X):
        """Rows back from their coordinates."""
        check_is_fitted(self)
        if hasattr(self, "peer_"):
            return self.peer_.inverse_transform(X)
        return np.asarray(check_array(X)) @ self.components_

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_") or hasattr(self, "peer_")


def randomized_svd(
    M, n_components, *, n_oversamples=10, n_iter="auto", power_iteration_normalizer="auto", transpose="auto",
    flip_sign=True, random_state=None, svd_lapack_driver="gesdd"):
    """U, singular values and V^T of M, array or sparse matrix: ``M ~ U @ diag(s) @ Vt``.

    n_oversamples, power_iteration_normalizer and svd_lapack_driver have no effect.
    """
    if sparse.issparse(M) and M.format in ("lil", "dok"):
        warnings.warn(f"Calculating SVD of a {type(M).__name__} is expensive. CSR format is more efficient.",
                      sparse.SparseEfficiencyWarning)
    if transpose == "auto":
        transpose = M.shape[0] < M.shape[1]
    A = M.T if transpose else M
    passes = None if n_iter in (None, "auto") else 2 * n_iter + 2  # an iteration of power is two
    factor = RandomizedSVD(n_components, n_passes=passes, random_state=random_state)
    # The rows once more in the space that was found: its factor to the last digit.
    Q, _ = linalg.qr(factor.fit_transform(A), mode="economic")
    U, s, Vt = linalg.svd(np.asarray((A.T @ Q).T), full_matrices=False)
    U = Q @ U
    if transpose:
        U, Vt = Vt.T, U.T
    if flip_sign:
        U, Vt = svd_flip(U, Vt)
    return U, s, Vt
