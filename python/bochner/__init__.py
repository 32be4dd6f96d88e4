# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Kernel machines in linear time by random features, with scikit-learn's contract.

Estimators are imported when they are first used, so that `import bochner` itself is quick.
"""

from importlib import import_module

_MODULES = {
    "_predictors": ["KernelClassifier", "KernelGLM", "KernelHuber", "KernelLogistic", "KernelQuantile", "KernelRegressor",
                    "KernelSVC", "KernelSVR"],
    "_ridge": ["KernelRidge", "KernelRidgeClassifier"],
    "_local": ["KNeighborsClassifier", "KNeighborsRegressor"],
    "_transformers": ["BinningFeatures", "FourierFeatures", "NystroemFeatures", "RandomProjection"],
    "_components": ["KernelCCA", "KernelLDA", "KernelPCA", "RandomizedSVD"],
    "_clusters": ["GaussianMixture", "KernelKMeans"],
    "_anomaly": ["AnomalyDetector"],
    "_neighbors": ["KNNGraph", "NearestNeighbors", "find_duplicates"],
    "_ranking": ["KernelRanker"],
    "_semi": ["SemiSupervisedClassifier"],
    "_sequences": ["HMMClassifier"],
    "_embeddings": ["HSICTest", "MMDTest", "ReducedSet", "drift", "independence"],
    "_means": ["GroupEmbedding", "MeanEmbedding"],
    "_text": ["TextProjection"],
    "_load": ["load"],
    "_progress": ["progress"],
    "_watch": ["Watcher", "watch"],
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names}

__version__ = "0.2.0"
__all__ = sorted(_PLACES)


def __getattr__(name):
    if name not in _PLACES:
        raise AttributeError(f"module 'bochner' has no attribute {name!r}")
    return getattr(import_module(f"bochner.{_PLACES[name]}"), name)


def __dir__():
    return sorted([*globals(), *__all__])
