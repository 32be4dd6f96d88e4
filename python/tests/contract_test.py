# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""scikit-learn's own checks of every estimator, none of them expected to fail."""

import bochner
from sklearn.utils.estimator_checks import parametrize_with_checks

ESTIMATORS = [
    bochner.KernelRidge(),
    bochner.KernelSVC(),
    bochner.KernelLogistic(),
    bochner.KernelSVR(),
    bochner.KernelHuber(),
    bochner.KernelQuantile(),
    bochner.KernelGLM(),
    bochner.KernelRidgeClassifier(),
    bochner.KNeighborsClassifier(),
    bochner.KNeighborsRegressor(),
    bochner.KernelRegressor(effort="fast"),
    bochner.KernelClassifier(effort="fast"),
    bochner.FourierFeatures(n_components=100),
    bochner.NystroemFeatures(n_components=20),
    bochner.BinningFeatures(n_grids=20),
    bochner.RandomProjection(),
    bochner.RandomizedSVD(),
    bochner.KernelPCA(),
    bochner.KernelLDA(),
    bochner.KernelCCA(),
    bochner.KernelRanker(n_map_features=32),
    bochner.SemiSupervisedClassifier(n_map_features=32),
    bochner.KernelKMeans(),
    bochner.AnomalyDetector(),
    bochner.AnomalyDetector("isolation"),
    bochner.MeanEmbedding(),
    bochner.GroupEmbedding(n_components=20),
    bochner.GaussianMixture(),
    bochner.NearestNeighbors(),
    bochner.KNNGraph(),
    bochner.HMMClassifier(),
    bochner.ReducedSet(n_points=3),
    bochner.MMDTest(permutations=20),
    bochner.HSICTest(permutations=20),
    bochner.TextProjection(n_components=8),
]


@parametrize_with_checks(ESTIMATORS)
def test_contract(estimator, check):
    check(estimator)
