# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Drop-ins with scikit-learn's names, signatures and attributes: change the import, keep the rest.

Draws differ from scikit-learn's for the same random_state; their laws are the same.
"""

from sklearn.random_projection import johnson_lindenstrauss_min_dim

from bochner.compat._approximation import Nystroem, RBFSampler
from bochner.compat._decomposition import TruncatedSVD, randomized_svd
from bochner.compat._files import dump_svmlight_file, load_svmlight_file
from bochner.compat._histograms import AdditiveChi2Sampler, SkewedChi2Sampler
from bochner.compat._mixture import GaussianMixture
from bochner.compat._neighbors import NearestNeighbors
from bochner.compat._projection import GaussianRandomProjection, SparseRandomProjection
from bochner.compat._ridge import KernelRidge
from bochner.compat._uses import uses

__all__ = [
    "AdditiveChi2Sampler",
    "GaussianMixture",
    "GaussianRandomProjection",
    "KernelRidge",
    "NearestNeighbors",
    "Nystroem",
    "RBFSampler",
    "SkewedChi2Sampler",
    "SparseRandomProjection",
    "TruncatedSVD",
    "dump_svmlight_file",
    "johnson_lindenstrauss_min_dim",
    "load_svmlight_file",
    "randomized_svd",
    "uses",
]
