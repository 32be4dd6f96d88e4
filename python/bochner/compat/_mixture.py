# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""sklearn.mixture.GaussianMixture."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as _Theirs
from sklearn.mixture._gaussian_mixture import _compute_precision_cholesky
from sklearn.utils.validation import check_is_fitted, validate_data

from bochner._clusters import GaussianMixture as _Ours

_USUAL_FLOOR = 1e-6


class GaussianMixture(_Theirs):
    """scikit-learn's mixture of Gaussians, fitted by the library's EM.

    Parameters and attributes are scikit-learn's. A fit that is begun from given values (``weights_init``,
    ``means_init``, ``precisions_init``, ``warm_start``), by another ``init_params`` than kmeans, with another
    ``reg_covar`` than 1e-6, ``max_iter`` below 2 or ``verbose`` is scikit-learn's own: the library's floor of a variance
    is a share of an input's.

    Attributes
    ----------
    model_ : Model
        What the library learnt; ``save(path)`` writes the file that the command reads.
    """

    def _is_ours(self):
        given = (self.weights_init, self.means_init, self.precisions_init)
        return (all(values is None for values in given) and self.init_params == "kmeans" and not self.warm_start
                and not self.verbose and self.max_iter > 1 and self.reg_covar == _USUAL_FLOOR)

    def fit_predict(self, X, y=None):
        """Fits the density of X and gives the component of each row. y is ignored."""
        self._validate_params()
        self.__dict__.pop("model_", None)
        if not self._is_ours():
            return super().fit_predict(X, y)
        X = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        if X.shape[0] < self.n_components:
            raise ValueError(f"Expected n_samples >= n_components but got n_components = {self.n_components}, "
                             f"n_samples = {X.shape[0]}")
        ours = _Ours(self.n_components, covariance_type=self.covariance_type, tol=self.tol, max_iter=self.max_iter,
                     n_init=self.n_init, reg_covar=self.reg_covar,
                     random_state=self.random_state).fit(X)
        if np.abs(ours.covariances_).max() > np.finfo(X.dtype).max:
            raise ValueError(f"X: found a covariance beyond the range of {X.dtype}, expected smaller numbers; divide the "
                             "columns by their units")
        self.model_ = ours.model_
        self.weights_, self.means_ = ours.weights_.astype(X.dtype), ours.means_.astype(X.dtype)
        self.covariances_ = ours.covariances_.astype(X.dtype)
        root = self.precisions_cholesky_ = _compute_precision_cholesky(self.covariances_, self.covariance_type)
        matrices = self.covariance_type in ("full", "tied")
        self.precisions_ = root @ np.swapaxes(root, -1, -2) if matrices else root**2
        self.converged_, self.n_iter_ = ours.converged_, ours.n_iter_
        self.lower_bound_ = self.score(X)
        self.lower_bounds_ = [self.lower_bound_]
        if not self.converged_:
            warnings.warn("Best performing initialization did not converge. Try different init parameters, or increase "
                          "max_iter, tol, or check for degenerate data.", ConvergenceWarning)
        return self.predict(X)

    def _estimate_log_prob(self, X, *rest, **named):
        """As there; a row so far from all components that its densities are no numbers is refused."""
        with np.errstate(over="ignore", invalid="ignore"):
            found = super()._estimate_log_prob(X, *rest, **named)
        lost = ~np.isfinite(np.max(np.asarray(found), axis=1))
        if lost.any():
            raise ValueError(f"X: row {lost.argmax()} is too far from all components for its density to be a number; "
                             "correct it, or divide the columns by their units")
        return found

    def save(self, path):
        """Writes the model, which the command and C++ read as well."""
        check_is_fitted(self, "model_")
        self.model_.save(str(path))
