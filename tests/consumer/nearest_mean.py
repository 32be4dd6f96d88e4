# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""A stranger's own estimator over a stranger's own command, by what is public in Python: `bochner.load`."""

import pathlib
import subprocess
import tempfile

import bochner
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data


class NearestMeanClassifier(ClassifierMixin, BaseEstimator):
    """The class whose mean of Fourier features is nearest, learnt by `bochner nearest-mean` (nearest_mean.cc).

    bandwidth: a length scale of the standardized inputs; None: the root of their number.
    """

    def __init__(self, n_components=1000, *, bandwidth=None, random_state=0):
        self.n_components = n_components
        self.bandwidth = bandwidth
        self.random_state = random_state

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        self.classes_, numbers = np.unique(y, return_inverse=True)
        options = {"--features": self.n_components, "--seed": self.random_state}
        if self.bandwidth is not None:
            options["--bandwidth"] = self.bandwidth
        with tempfile.TemporaryDirectory() as folder:
            rows, model = pathlib.Path(folder, "rows.npy"), pathlib.Path(folder, "model")
            np.save(rows, np.column_stack([X, numbers]))  # the class is the last column, by its number
            words = [str(word) for option in options.items() for word in option]
            done = subprocess.run(["bochner", "nearest-mean", rows, "--target", "-1", "-o", model, *words],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                raise ValueError(done.stderr.strip())
            self.model_ = bochner.load(model)
        return self

    def decision_function(self, X):
        """A score for each class; one score, above 0 for the second class, if there are two."""
        check_is_fitted(self)
        return self.model_.decision_function(validate_data(self, X, reset=False))

    def predict(self, X):
        check_is_fitted(self)
        return self.classes_[self.model_.predict(validate_data(self, X, reset=False)).astype(int)]
