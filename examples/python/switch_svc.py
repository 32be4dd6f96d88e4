# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""A slow SVC pipeline, switched in two lines: the import and the class. Times and scores of both."""

import time

from sklearn.datasets import make_circles
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bochner import KernelSVC  # line one

X, y = make_circles(n_samples=12000, noise=0.2, factor=0.5, random_state=0)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
scores = {}
for machine in (SVC(C=1.0), KernelSVC(C=1.0, bandwidth=0.7, n_components=200)):  # line two
    pipeline = make_pipeline(StandardScaler(), machine)
    start = time.perf_counter()
    pipeline.fit(X_train, y_train)
    fitted = time.perf_counter()
    score = scores[type(machine).__name__] = pipeline.score(X_test, y_test)
    print(f"{type(machine).__name__:10s} fit {fitted - start:6.2f} s, predict {time.perf_counter() - fitted:6.2f} s, "
          f"accuracy {score:.4f}")
assert scores["KernelSVC"] > scores["SVC"] - 0.01
