# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""sklearn.decomposition.TruncatedSVD and sklearn.utils.extmath.randomized_svd."""

import numpy as np
from scipy import sparse
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
        Either is the library's own method.
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
        return None if self.n_iter is None else self.n_iter + 2

    def fit(self, X, y=None):
        """Finds the factor of X: array or sparse matrix. y is ignored."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Finds the factor and gives the coordinates of the rows."""
        super().fit(X)
        Z = self.transform(X)
        X = check_array(X, accept_sparse="csr")
        squares = X.multiply(X).mean(axis=0) if sparse.issparse(X) else (X**2).mean(axis=0)
        total = float(np.sum(np.asarray(squares) - np.asarray(X.mean(axis=0)) ** 2))
        self.explained_variance_ = Z.var(axis=0)
        self.explained_variance_ratio_ = self.explained_variance_ / total
        return Z


def randomized_svd(M, n_components, *, n_iter=None, random_state=None):
    """U, singular values and V^T of M, array or sparse matrix: ``M ~ U @ diag(s) @ Vt``."""
    factor = RandomizedSVD(n_components, n_passes=None if n_iter in (None, "auto") else n_iter + 2,
                           random_state=random_state)
    scaled = factor.fit_transform(M)
    check_is_fitted(factor)
    s = factor.singular_values_
    return scaled / np.where(s > 0, s, 1), s, factor.components_
