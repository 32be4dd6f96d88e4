# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""sklearn.kernel_approximation."""

import math
import warnings

import numpy as np
from sklearn.kernel_approximation import Nystroem as _Nystroem
from sklearn.utils.validation import check_is_fitted

from bochner import _core
from bochner._docs import documented
from bochner._transformers import MapTransformer, drawn_rows, sample_of
from bochner._words import count, seed_of


@documented
class RBFSampler(MapTransformer):
    """Random Fourier features of ``exp(-gamma |x - y|^2)``, with scikit-learn's parameters.

    Parameters
    ----------
    gamma : "scale" or float, default=1.0
        ``"scale"``: 1 / (n_features * X.var()).
    n_components : int, default=100
        Features.
    random_state : int, RandomState or None, default=None
        An integer is the seed.

    Attributes
    ----------
    random_weights_ : ndarray of shape (n_features, n_components)
        Frequencies.
    random_offset_ : ndarray of shape (n_components,)
        Shifts of the cosines.
    {fitted}
    """

    n_jobs = None

    def __init__(self, *, gamma=1.0, n_components=100, random_state=None):
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    def _make_map(self, X, schema):
        gamma = self.gamma
        if isinstance(gamma, str):
            if gamma != "scale":
                raise ValueError(f"gamma: found {gamma!r}, expected scale or a number")
            variance = X.multiply(X).mean() - X.mean() ** 2 if hasattr(X, "multiply") else X.var()
            gamma = 1.0 / (X.shape[1] * variance) if variance != 0 else 1.0
        self._gamma = gamma
        options = _core.FourierOptions()
        options.seed = seed_of(self.random_state)
        options.features = count("n_components", self.n_components)
        options.form = _core.FourierOptions.Form.shifted
        options.kernel = gaussian(gamma)
        drawn = _core.drawn_frequencies(X.shape[1], options)
        self.random_weights_ = np.ascontiguousarray(drawn.omega().T, dtype=X.dtype)
        self.random_offset_ = np.array(drawn.phase, dtype=X.dtype)
        return _core.fourier(X.shape[1], options)


def gaussian(gamma):
    if not gamma > 0:
        raise ValueError(f"gamma: found {gamma!r}, expected a number above 0")
    kernel = _core.Kernel("gaussian")
    kernel.length_scales = [1 / math.sqrt(2 * gamma)]
    return kernel


@documented
class Nystroem(MapTransformer):
    """The Nystroem map with scikit-learn's parameters; landmarks are drawn uniformly, as there.

    Features of the rbf and laplacian kernels differ from scikit-learn's by a rotation, since the root of the landmarks'
    kernel is a Cholesky factor here: inner products are the same. Other kernels are scikit-learn's own.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        The kernel.
    gamma : float, default=None
        None: 1 / n_features.
    coef0, degree, kernel_params : as in scikit-learn
        Parameters of other kernels.
    n_components : int, default=100
        Landmarks.
    random_state : int, RandomState or None, default=None
        An integer is the seed.
    n_jobs : int, default=None
        Threads; None and -1: all cores.

    Attributes
    ----------
    components_ : ndarray or sparse matrix of shape (n_components, n_features)
        Landmarks.
    component_indices_ : ndarray of shape (n_components,)
        Which rows they are.
    {fitted}
    """

    def __init__(self, kernel="rbf", *, gamma=None, coef0=None, degree=None, kernel_params=None, n_components=100,
                 random_state=None, n_jobs=None):
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Makes the map from rows like those to be mapped. y is ignored."""
        self.__dict__.pop("peer_", None)
        given = (self.coef0, self.degree, self.kernel_params)
        if self.kernel in ("rbf", "laplacian") and all(value is None for value in given):
            return super().fit(X)
        self.__dict__.pop("model_", None)
        self.peer_ = _Nystroem(**self.get_params()).fit(X)
        for name in ("components_", "component_indices_", "normalization_", "n_features_in_", "feature_names_in_"):
            if hasattr(self.peer_, name):
                setattr(self, name, getattr(self.peer_, name))
        return self

    def transform(self, X):
        """The features of rows."""
        check_is_fitted(self)
        return self.peer_.transform(X) if hasattr(self, "peer_") else super().transform(X)

    def _make_map(self, X, schema):
        options = _core.NystroemOptions()
        options.seed = seed_of(self.random_state)
        options.kernel = kernel_of(self.kernel, 1 / X.shape[1] if self.gamma is None else self.gamma)
        options.landmarks = count("n_components", self.n_components)
        if options.landmarks > X.shape[0]:
            warnings.warn("n_components > n_samples. This is not possible.\nn_components was set to n_samples, which "
                          "results in inefficient evaluation of the full kernel.")
            options.landmarks = X.shape[0]
        options.choice = _core.NystroemOptions.Choice.uniform
        options.tolerance = 1e-6 if X.dtype == np.float32 else 1e-12
        self.component_indices_ = drawn_rows(X, options.landmarks, options.seed)
        self.components_ = X[self.component_indices_]
        return _core.nystroem(sample_of(X, options.landmarks, options.seed), options, self._execution())

    @property
    def _n_features_out(self):
        return self.components_.shape[0] if hasattr(self, "peer_") else super()._n_features_out

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_") or hasattr(self, "peer_")


def kernel_of(name, gamma):
    if name in ("rbf", "gaussian"):
        return gaussian(gamma)
    if name == "laplacian":
        kernel = _core.Kernel("laplacian")
        kernel.length_scales = [1 / gamma]
        return kernel
    raise ValueError(f"kernel: found {name!r}, expected rbf or laplacian; bochner.NystroemFeatures has others")
