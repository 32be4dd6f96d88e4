# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Nearest neighbours for the recall you ask for, and their graph as input of a clustering."""

from sklearn.cluster import DBSCAN
from sklearn.datasets import load_digits, make_blobs
from sklearn.pipeline import make_pipeline

from bochner import KNNGraph, NearestNeighbors

X, y = load_digits(return_X_y=True)
index = NearestNeighbors(5).fit(X[:1500])
distances, numbers = index.kneighbors(X[1500:])
print(f"searched {index.index_.method}, same digit: {(y[:1500][numbers] == y[1500:, None]).mean():.3f}")
B, _ = make_blobs(n_samples=500, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)
labels = make_pipeline(KNNGraph(15), DBSCAN(eps=1.5, metric="precomputed")).fit_predict(B)
print(f"clusters over the graph: {labels.max() + 1}")
assert labels.max() + 1 == 3
