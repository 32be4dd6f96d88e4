# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""sklearn.mixture.GaussianMixture."""

import numpy as np

from bochner._clusters import GaussianMixture as _GaussianMixture
from bochner._docs import documented


@documented
class GaussianMixture(_GaussianMixture):
    """A mixture of Gaussians with scikit-learn's parameters.

    Parameters
    ----------
    n_components : int, default=1
        Gaussians.
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        What covariances may be.
    tol : float, default=1e-3
        EM ends where a round gains less, in log-likelihood of a row.
    reg_covar : float, default=1e-6
        Least variance, here as a share of an input's.
    max_iter : int, default=100
        Rounds, at most.
    n_init : int, default=1
        Starts, of which the likeliest is kept.
    random_state : int, RandomState or None, default=None
        An integer is the seed.

    Attributes
    ----------
    weights_, means_, covariances_, converged_, n_iter_, lower_bound_
        As in scikit-learn.
    {fitted}
    """

    precision, n_jobs, verbose = "double", None, False

    def __init__(
        self, n_components=1, *, covariance_type="full", tol=1e-3, reg_covar=1e-6, max_iter=100, n_init=1,
        random_state=None):
        self.n_components = n_components
        self.covariance_type = covariance_type
        self.tol = tol
        self.reg_covar = reg_covar
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X, y=None):
        """Fits the density of X. y is ignored."""
        super().fit(X)
        self.lower_bound_ = self.score(X)
        return self

    def sample(self, n_samples=1):
        """Rows drawn from the mixture, and the component that each is likeliest of."""
        rows = super().sample(n_samples, self.random_state)
        return rows, self.predict(rows)

    @property
    def precisions_(self):
        """The inverse covariances, in the shape of covariances_."""
        return np.linalg.inv(self.covariances_) if self.covariance_type in ("full", "tied") else 1 / self.covariances_
