# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Clusters that are no balls, and a density with its samples."""

from sklearn.datasets import make_circles
from sklearn.metrics import adjusted_rand_score

from bochner import GaussianMixture, KernelKMeans

X, rings = make_circles(n_samples=3000, noise=0.03, factor=0.3, random_state=0)
found = KernelKMeans(2, bandwidth=0.7, n_map_features=500, scale="none").fit(X)
print(f"rings: {adjusted_rand_score(rings, found.labels_):.3f} of 1")
mixture = GaussianMixture(n_components=None, covariance_type="full").fit(X)
print(f"mixture: {len(mixture.weights_)} components by BIC, log-likelihood of a row {mixture.score(X):.3f}")
print("drawn:", mixture.sample(2, random_state=1)[0].round(2).tolist())
