# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""sklearn.kernel_approximation."""

import math

import numpy as np

from bochner import _core
from bochner._docs import documented
from bochner._transformers import MapTransformer, sample_of
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
        options = _core.FourierOptions()
        options.seed = seed_of(self.random_state)
        options.features = count("n_components", self.n_components)
        options.form = _core.FourierOptions.Form.shifted
        options.kernel = gaussian(gamma)
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

    Features differ from scikit-learn's by a rotation, since the root of the landmarks' kernel is a Cholesky factor
    here: inner products are the same.

    Parameters
    ----------
    kernel : {"rbf", "laplacian"}, default="rbf"
        The kernel.
    gamma : float, default=None
        None: 1 / n_features.
    n_components : int, default=100
        Landmarks.
    random_state : int, RandomState or None, default=None
        An integer is the seed.
    n_jobs : int, default=None
        Threads; None and -1: all cores.

    Attributes
    ----------
    {fitted}
    """

    def __init__(self, kernel="rbf", *, gamma=None, n_components=100, random_state=None, n_jobs=None):
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _make_map(self, X, schema):
        options = _core.NystroemOptions()
        options.seed = seed_of(self.random_state)
        options.kernel = kernel_of(self.kernel, 1 / X.shape[1] if self.gamma is None else self.gamma)
        options.landmarks = min(count("n_components", self.n_components), X.shape[0])
        options.choice = _core.NystroemOptions.Choice.uniform
        options.tolerance = 1e-6 if X.dtype == np.float32 else 1e-12
        return _core.nystroem(sample_of(X, options.landmarks, options.seed), options, self._execution())


def kernel_of(name, gamma):
    if name in ("rbf", "gaussian"):
        return gaussian(gamma)
    if name == "laplacian":
        kernel = _core.Kernel("laplacian")
        kernel.length_scales = [1 / gamma]
        return kernel
    raise ValueError(f"kernel: found {name!r}, expected rbf or laplacian; bochner.NystroemFeatures has others")


