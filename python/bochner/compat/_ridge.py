# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""sklearn.kernel_ridge."""

from bochner._docs import documented
from bochner._predictors import KernelRidge as _KernelRidge
from bochner.compat._approximation import kernel_of


@documented
class KernelRidge(_KernelRidge):
    """Kernel ridge regression with scikit-learn's parameters, by random features or landmarks instead of all rows.

    Parameters
    ----------
    alpha : float, default=1
        The penalty.
    kernel : {"rbf", "laplacian", "linear"}, default="linear"
        The kernel.
    gamma : float, default=None
        None: 1 / n_features.
    n_components : int, default=None
        Landmarks of the Nystroem map. None: all rows up to 2000, which is exact.
    {draws}

    Attributes
    ----------
    {fitted}
    """

    solver, fit_intercept, calibrate, scale, precision, verbose = "auto", False, False, "none", "double", False

    def __init__(self, alpha=1, *, kernel="linear", gamma=None, n_components=None, random_state=0, n_jobs=None):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    @property
    def partial_fit(self):
        """scikit-learn's has none."""
        raise AttributeError("KernelRidge of bochner.compat has no partial_fit; bochner.KernelRidge has")

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
