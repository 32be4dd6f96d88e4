# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""sklearn.neighbors.NearestNeighbors."""

from bochner._docs import documented
from bochner._neighbors import NearestNeighbors as _NearestNeighbors


@documented
class NearestNeighbors(_NearestNeighbors):
    """The nearest rows with scikit-learn's parameters. Searches by a radius are not there.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many, unless a query says otherwise.
    algorithm : {"auto", "brute", "forest"}, default="auto"
        ``"brute"`` compares all rows; ``"auto"`` takes random trees where rows are many, to a recall of 0.95.
    metric : {"euclidean", "minkowski", "cosine"}, default="minkowski"
        minkowski is euclidean (p=2).
    p : float, default=2
        Has to be 2.
    n_jobs : int, default=None
        Threads; None and -1: all cores.

    Attributes
    ----------
    effective_metric_ : str
        The metric.
    n_samples_fit_ : int
        Rows of the fit.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where they are all strings.
    """

    recall, random_state = 0.95, 0

    def __init__(self, *, n_neighbors=5, algorithm="auto", metric="minkowski", p=2, n_jobs=None):
        self.n_neighbors = n_neighbors
        self.algorithm = algorithm
        self.metric = metric
        self.p = p
        self.n_jobs = n_jobs

    @property
    def method(self):
        return {"brute": "exact"}.get(self.algorithm, self.algorithm)

    def _metric(self):
        if self.metric != "minkowski":
            return self.metric
        if self.p != 2:
            raise ValueError(f"p: found {self.p}, expected 2")
        return "euclidean"

    def fit(self, X, y=None):
        """Builds the index over X. y is ignored."""
        super().fit(X)
        self.effective_metric_ = self._metric()
        return self
