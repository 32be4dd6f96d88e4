# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Machines in scikit-learn's searches: the features and the penalty by cross-validation."""

from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from bochner import FourierFeatures

X, y = load_digits(return_X_y=True)
pipeline = make_pipeline(FourierFeatures(500), RidgeClassifier())
grid = {"fourierfeatures__bandwidth": [15.0, 30.0, 60.0], "ridgeclassifier__alpha": [0.01, 0.1]}
search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
print(search.best_params_, f"accuracy {search.best_score_:.4f}")
assert search.best_score_ > 0.9
