#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""A stranger's estimator (nearest_mean.py) against NumPy. `bochner` and `bochner-nearest-mean` are on PATH."""

import pickle

import bochner
import numpy as np
from nearest_mean import NearestMeanClassifier
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

BANDWIDTH = 1.5
LABELS = np.array(["red", "green", "blue"])


def some_rows(classes, rows=400):
    """Rows of each class around a centre of its own, and inputs of different sizes."""
    draws = np.random.default_rng(classes)
    y = draws.integers(0, classes, rows)
    X = draws.normal(size=(rows, 5)) + 1.5 * draws.normal(size=(classes, 5))[y]
    return X * [1, 10, 0.1, 3, 1] + 2, LABELS[y]


def scores_by_means(features, y, new):
    """m_c . z - |m_c|^2 / 2 for the classes in their order."""
    means = np.array([features[y == label].mean(axis=0) for label in np.unique(y)])
    return new @ means.T - (means**2).sum(axis=1) / 2


def scores_by_kernel(X, y, new):
    """The limit of many features: mean kernels instead of products with means."""
    def kernel(a, b):
        return np.exp(-((a[:, None] - b[None]) ** 2).sum(axis=2) / (2 * BANDWIDTH**2))
    groups = [X[y == label] for label in np.unique(y)]
    return np.stack([kernel(new, group).mean(axis=1) - kernel(group, group).mean() / 2 for group in groups], axis=1)


def as_decisions(scores):
    """One number for two classes, as scikit-learn has it."""
    return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores


def check_numbers(classes):
    X, y = some_rows(classes)
    seen = X[:300], y[:300]
    estimator = NearestMeanClassifier(20000, bandwidth=BANDWIDTH, random_state=7).fit(*seen)
    standard = (X - seen[0].mean(axis=0)) / seen[0].std(axis=0)
    z = bochner.FourierFeatures(20000, bandwidth=BANDWIDTH, random_state=7).fit_transform(standard)

    scores = scores_by_means(z[:300], seen[1], z)
    np.testing.assert_allclose(estimator.decision_function(X), as_decisions(scores), rtol=0, atol=1e-5)
    assert (estimator.predict(X) == np.unique(y)[scores.argmax(axis=1)]).all()
    # Kernel values by 20000 features have standard deviations of at most 1 / sqrt(20000), which is 0.007.
    limit = as_decisions(scores_by_kernel(standard[:300], seen[1], standard))
    np.testing.assert_allclose(estimator.decision_function(X), limit, rtol=0, atol=0.03)
    assert np.abs(limit).max() > 0.3
    assert estimator.score(X[300:], y[300:]) > 0.9


def check_contract():
    X, y = some_rows(3)
    estimator = NearestMeanClassifier(64, random_state=3)
    assert estimator.get_params() == {"n_components": 64, "bandwidth": None, "random_state": 3}
    estimator.fit(X, y)
    again = clone(estimator)
    assert again.get_params() == estimator.get_params() and not hasattr(again, "model_")
    expected = estimator.decision_function(X)
    assert (again.fit(X, y).decision_function(X) == expected).all()
    assert (pickle.loads(pickle.dumps(estimator)).decision_function(X) == expected).all()
    assert (clone(estimator).set_params(random_state=4).fit(X, y).decision_function(X) != expected).any()
    assert make_pipeline(StandardScaler(), clone(estimator)).fit(X, y).score(X, y) > 0.9
    check_estimator(NearestMeanClassifier(100))


def check_refusals():
    X, y = some_rows(2)
    one_class = np.full(len(y), "red")
    for options, labels, message in (
        ({"bandwidth": -1}, y, "bochner: kernel gaussian: length scale -1, expected a positive number"),
        ({"bandwidth": "wide"}, y, "bochner: --bandwidth: found 'wide', expected a number"),
        ({"n_components": 0}, y, "bochner: fourier map: no features, expected at least 1"),
        ({}, one_class, "found one class, expected at least two in the target"),
    ):
        estimator = NearestMeanClassifier(**options)
        try:
            estimator.fit(X, labels)
        except ValueError as error:
            assert message in str(error) and "\n" not in str(error), str(error)
        else:
            raise AssertionError(f"{options} with {len(set(labels))} classes was not refused")
        assert not hasattr(estimator, "model_")


def main():
    for classes in (2, 3):
        check_numbers(classes)
    check_contract()
    check_refusals()
    print("own estimator: as NumPy has it")


if __name__ == "__main__":
    main()
