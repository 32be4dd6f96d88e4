# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Kernel principal components and the kernel discriminant of digits, drawn from as many rows as there are."""

from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier

from bochner import KernelLDA, KernelPCA, RandomizedSVD

X, y = load_digits(return_X_y=True)
for name, method in {
    "svd": RandomizedSVD(9), "kernel pca": KernelPCA(9, n_map_features=500), "kernel lda": KernelLDA(n_map_features=500)
}.items():
    Z = method.fit(X[:1000], y[:1000]).transform(X)
    score = KNeighborsClassifier().fit(Z[:1000], y[:1000]).score(Z[1000:], y[1000:])
    print(f"{name:10s} {Z.shape[1]} coordinates, accuracy of 5 neighbours {score:.3f}")
    assert score > 0.8
