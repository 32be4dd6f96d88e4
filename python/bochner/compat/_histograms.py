# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The samplers of histograms' kernels in sklearn.kernel_approximation."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from bochner import _core
from bochner._docs import documented
from bochner._transformers import MapTransformer
from bochner._words import count, seed_of


@documented
class AdditiveChi2Sampler(MapTransformer):
    """Features of the additive chi2 kernel ``sum 2 x y / (x + y)``, with scikit-learn's parameters and numbers.

    Parameters
    ----------
    sample_steps : int, default=2
        Samples of the kernel's signature; each input becomes 2 * sample_steps - 1 features.
    sample_interval : float, default=None
        Distance of the samples. None: the best one for 1, 2 or 3 steps.

    Attributes
    ----------
    {fitted}
    """

    n_jobs = None

    def __init__(self, *, sample_steps=2, sample_interval=None):
        self.sample_steps = sample_steps
        self.sample_interval = sample_interval

    def _inputs(self, X, reset, names=None, allow_nan=False):
        X = super()._inputs(X, reset, names, allow_nan)
        if (X.data if sparse.issparse(X) else X).min(initial=0) < 0:
            raise ValueError(f"Negative values in data passed to {type(self).__name__}: X")
        return X

    def _make_map(self, X, schema):
        steps = count("sample_steps", self.sample_steps)
        if self.sample_interval is None and steps > 3:
            raise ValueError("If sample_steps is not in [1, 2, 3], you need to provide sample_interval")
        words = f"chi2:steps={steps},interval={self.sample_interval or 0}"
        return _core.map_of_words(words, X.shape[1], X.shape[1] * (2 * steps - 1), 0)

    def transform(self, X):
        """The features of rows: roots of all inputs, then cosines and sines of all; sparse rows stay sparse."""
        Z = super().transform(X)
        return sparse.csr_array(Z) if sparse.issparse(X) else Z

    def get_feature_names_out(self, input_features=None):
        """Names of the features, as scikit-learn's."""
        check_is_fitted(self, "model_")
        names = _check_feature_names_in(self, input_features, generate_names=True)
        kinds = ["sqrt"] + [f"{wave}{j}" for j in range(1, self.sample_steps) for wave in ("cos", "sin")]
        return np.asarray([f"additivechi2sampler_{name}_{kind}" for kind in kinds for name in names], dtype=object)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


@documented
class SkewedChi2Sampler(MapTransformer):
    """Random features of the skewed chi2 kernel, with scikit-learn's parameters.

    Parameters
    ----------
    skewedness : float, default=1.0
        What is added to each input; inputs are larger than minus that.
    n_components : int, default=100
        Features.
    random_state : int, RandomState or None, default=None
        An integer is the seed.

    Attributes
    ----------
    {fitted}
    """

    n_jobs = None

    def __init__(self, *, skewedness=1.0, n_components=100, random_state=None):
        self.skewedness = skewedness
        self.n_components = n_components
        self.random_state = random_state

    # The map takes inputs from 0 on and adds its own skew, so that it gets the skewed inputs and adds next to nothing.
    def _inputs(self, X, reset, names=None, allow_nan=False):
        X = super()._inputs(X, reset, names, allow_nan)
        if not reset and (X <= -self.skewedness).any():
            raise ValueError("X may not contain entries smaller than -skewedness.")
        return X + np.asarray(self.skewedness, X.dtype)

    def _make_map(self, X, schema):
        return _core.map_of_words("skewed-chi2:skew=1e-12", X.shape[1], count("n_components", self.n_components),
                                  seed_of(self.random_state))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
