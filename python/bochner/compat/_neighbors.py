# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""sklearn.neighbors.NearestNeighbors."""

import numbers

import numpy as np
from sklearn.neighbors import NearestNeighbors as _Theirs
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from bochner._neighbors import NearestNeighbors as _Ours
from bochner._neighbors import queries_for
from bochner._words import execution_of

_METRICS = {"euclidean": "euclidean", "l2": "euclidean", "cosine": "cosine"}


class NearestNeighbors(_Theirs):
    """scikit-learn's search for neighbours, exact and its own unless a recall below 1 is asked for.

    Parameters and attributes are scikit-learn's, and one more. With ``recall`` below 1 or ``algorithm="forest"``
    (random trees) euclidean and cosine distances are searched by the library's index, which is quicker if queries are
    many; other metrics and searches by a radius are scikit-learn's own even then.

    Parameters
    ----------
    recall : float, default=1
        The share of the true neighbours to be found, measured on a sample of the rows. 1: all of them.

    Attributes
    ----------
    index_ : NeighborIndex
        What is searched, where it is the library's.
    """

    _parameter_constraints = {
        **_Theirs._parameter_constraints, "algorithm": [StrOptions({"auto", "ball_tree", "kd_tree", "brute", "forest"})],
        "recall": [Interval(numbers.Real, 0, 1, closed="right")]}

    def __init__(self, *, n_neighbors=5, radius=1.0, algorithm="auto", leaf_size=30, metric="minkowski", p=2,
                 metric_params=None, n_jobs=None, recall=1):
        super().__init__(n_neighbors=n_neighbors, radius=radius, algorithm=algorithm, leaf_size=leaf_size, metric=metric,
                         p=p, metric_params=metric_params, n_jobs=n_jobs)
        self.recall = recall

    def _metric(self):
        """The library's name of the metric; None where it is not there."""
        if self.metric_params is not None or not (
                self.algorithm == "forest" or self.algorithm == "auto" and self.recall < 1):
            return None
        if self.metric == "minkowski":
            return "euclidean" if self.p == 2 else None
        return _METRICS.get(self.metric) if isinstance(self.metric, str) else None

    def fit(self, X, y=None):
        """Builds the index over X: array or sparse matrix of shape (n_samples, n_features). y is ignored."""
        self._validate_params()
        self.__dict__.pop("index_", None)
        metric = self._metric()
        if metric is None or not hasattr(X, "__len__") and not hasattr(X, "shape"):
            if self.algorithm == "forest":
                raise ValueError(f"algorithm: found forest with the metric {self.metric!r}, expected euclidean or cosine")
            return super().fit(X)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
        ours = _Ours(metric=metric, method=self.algorithm, n_neighbors=min(self.n_neighbors, X.shape[0]),
                     recall=0.95 if self.recall == 1 else self.recall, n_jobs=self.n_jobs)
        self.index_ = ours.fit(X).index_
        # What scikit-learn's own searches by a radius look at.
        self._fit_X, self._fit_method, self._tree, self.n_samples_fit_ = X, "brute", None, X.shape[0]
        self.effective_metric_, self.effective_metric_params_ = metric, {}
        return self

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        """Distances and numbers of the nearest rows. Without X: of the rows of the fit, themselves left out."""
        check_is_fitted(self)
        if not hasattr(self, "index_"):
            return super().kneighbors(X, n_neighbors, return_distance)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, numbers.Integral):
            raise TypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
        if k <= 0:
            raise ValueError(f"Expected n_neighbors > 0. Got {k}")
        itself = X is None
        queries = self._fit_X if itself else validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
        if k + itself > self.n_samples_fit_:
            sign = "<" if itself else "<="
            raise ValueError(f"Expected n_neighbors {sign} n_samples_fit, but n_neighbors = {k}, "
                             f"n_samples_fit = {self.n_samples_fit_}, n_samples = {queries.shape[0]}")
        found, distances = self.index_.query(queries_for(self.index_, queries), int(k) + itself, execution_of(self.n_jobs))
        if itself:
            # Less its own place; where equal rows hide it the first, as there.
            kept = found != np.arange(len(found))[:, None]
            kept[kept.all(axis=1), 0] = False
            found, distances = (values[kept].reshape(len(kept), int(k)) for values in (found, distances))
        found = found.astype(np.intp, copy=False)
        return (distances, found) if return_distance else found

    def save(self, path):
        """Writes the index, which ``bochner neighbors`` reads as well."""
        check_is_fitted(self, "index_")
        self.index_.save(str(path))
