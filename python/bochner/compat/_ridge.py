# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""sklearn.kernel_ridge."""

import numbers

import numpy as np
from sklearn.kernel_ridge import KernelRidge as _Theirs
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted

from bochner._docs import documented
from bochner._ridge import KernelRidge as _KernelRidge
from bochner.compat._approximation import kernel_of


@documented
class KernelRidge(_KernelRidge):
    """Kernel ridge regression with scikit-learn's parameters and answers, or by landmarks if ``n_components`` says so.

    The linear kernel is the library's, in time linear in the rows. So are rbf and laplacian with ``n_components``; else
    they and other kernels are scikit-learn's own.

    Parameters
    ----------
    alpha : float or array of shape (n_targets,), default=1
        The penalty.
    kernel : str or callable, default="linear"
        The kernel.
    gamma : float, default=None
        None: 1 / n_features.
    degree, coef0, kernel_params : as in scikit-learn
        Parameters of other kernels.
    n_components : int, default=None
        Landmarks of the Nystroem map, an approximation in time linear in the rows. None: exact.
    {draws}

    Attributes
    ----------
    dual_coef_, X_fit_ : ndarray
        Those of scikit-learn's estimator; not with ``n_components``.
    {fitted}
    """

    solver, fit_intercept, calibrate, deviation, keep_sum = "auto", False, False, False, False
    scale, precision, verbose = "none", "double", False
    _allows_nan = False

    def __init__(self, alpha=1, *, kernel="linear", gamma=None, degree=3, coef0=1, kernel_params=None,
                 n_components=None, random_state=0, n_jobs=None):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def partial_fit(self):
        """scikit-learn's has none."""
        raise AttributeError("KernelRidge of bochner.compat has no partial_fit; bochner.KernelRidge has")

    def fit(self, X, y=None, sample_weight=None):
        """Trains the machine on X, y and weights of rows."""
        self.__dict__.pop("peer_", None)
        for name in ("dual_coef_", "X_fit_"):
            self.__dict__.pop(name, None)
        approximate = self.kernel in ("rbf", "laplacian") and self.n_components is not None
        ours = (self.kernel == "linear" or approximate) and self.kernel_params is None
        if ours and isinstance(self.alpha, numbers.Real) and self.alpha > 0:
            super().fit(X, y, sample_weight)
            return self if approximate else self._with_dual(X, y, sample_weight)
        self.__dict__.pop("model_", None)
        self.peer_ = _Theirs(self.alpha, kernel=self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0,
                             kernel_params=self.kernel_params).fit(X, y, sample_weight)
        for name in ("dual_coef_", "X_fit_", "n_features_in_", "feature_names_in_"):
            if hasattr(self.peer_, name):
                setattr(self, name, getattr(self.peer_, name))
        return self

    def _with_dual(self, X, y, sample_weight):
        """The coefficients of the rows, a = w (y - f) / alpha, of (K + alpha / w) a = y."""
        self.X_fit_ = check_array(X, accept_sparse="csr")
        y = np.asarray(y, dtype=np.float64)
        left = y - self.predict(X)
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, self.X_fit_)
            left = left * (weights if left.ndim == 1 else weights[:, None])
        self.dual_coef_ = left / self.alpha
        return self

    def predict(self, X):
        """Values of the targets for new rows."""
        check_is_fitted(self)
        return self.peer_.predict(X) if hasattr(self, "peer_") else super().predict(X)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_") or hasattr(self, "peer_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _set_machine(self, options, total_weight):
        machine = _KernelRidge(
            self.alpha, scale="none", fit_intercept=False, precision="double", n_jobs=self.n_jobs, map="none")
        if self.kernel != "linear":
            kernel = kernel_of(self.kernel, 1 / self.n_features_in_ if self.gamma is None else self.gamma)
            machine.set_params(
                map="nystroem:landmarks=uniform", kernel=kernel.name, bandwidth=kernel.length_scales[0],
                n_components=self.n_components or min(self._rows, 2000))
        machine._set_machine(options, total_weight)

    def _train(self, rows, total_weight):
        self._rows = rows.size or 2000
        super()._train(rows, total_weight)
