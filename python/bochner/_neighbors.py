# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The nearest rows."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from bochner import _core, _data
from bochner._base import ModelEstimator
from bochner._docs import documented
from bochner._parameters import Drawn, parameters
from bochner._words import choice, count, execution_of, seed_of

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray
    from typing_extensions import Self


class _Index(ModelEstimator):
    """An index of rows in ``index_``; its file is not a model's."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Builds the index over X: array or sparse matrix of shape (n_samples, n_features). y is ignored."""
        X = self._inputs(X, reset=True)
        options = _core.IndexOptions()
        options.metric = choice(_core.Metric, "metric", self._metric())
        options.method = choice(_core.IndexOptions.Method, "method", self.method)
        options.recall = float(self.recall)
        options.k = count("n_neighbors", self.n_neighbors)
        options.spill = float(self._spill())
        options.seed = seed_of(self.random_state)
        options.execution = self._execution()
        schema = _data.schema_of(X.shape[1], self._feature_names(), sparse_rows=sparse.issparse(X))
        self.index_ = _core.NeighborIndex(_data.rows_of(X, schema), options)
        self.n_samples_fit_ = X.shape[0]
        self._fit_X = X
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the index, which ``bochner neighbors`` reads as well."""
        check_is_fitted(self, "index_")
        self.index_.save(str(path))

    def _metric(self):
        return self.metric

    def _spill(self):
        return 0

    def _query(self, X, k):
        X = self._inputs(X, reset=False)
        return self.index_.query(queries_for(self.index_, X), k, self._execution())

    def _graph(self, numbers, distances, mode):
        if mode not in ("connectivity", "distance"):
            raise ValueError(f"mode: found {mode!r}, expected connectivity or distance")
        k = numbers.shape[1]
        values = np.ones(numbers.size) if mode == "connectivity" else distances.ravel()
        offsets = np.arange(0, numbers.size + 1, k)
        return sparse.csr_array((values, numbers.ravel(), offsets), shape=(len(numbers), self.n_samples_fit_))

    def _checked(self, n_neighbors, most):
        k = count("n_neighbors", self.n_neighbors if n_neighbors is None else n_neighbors)
        if k > most:
            raise ValueError(f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = {most}")
        return k

    def __sklearn_is_fitted__(self):
        return hasattr(self, "index_")


@documented
@parameters
class NearestNeighbors(Drawn, _Index):
    """The nearest rows to each query: exact where rows are few, otherwise by random trees to a recall that is measured.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many, unless a query says otherwise.
    metric : {"euclidean", "cosine", "inner", "hamming", "jaccard"}, default="euclidean"
        What near means.
    method : {"auto", "exact", "project", "lsh", "forest"}, default="auto"
        How they are found.
    recall : float, default=0.95
        Where not every pair is compared: the share of the true neighbours to be found, measured on a sample of the rows.
    spill : float, default=0
        Forest: queries near a cut go to both sides, where this share of the rows on either side is as near. Fewer
        trees find as many, and queries are slower. At most 0.25.
    {draws}

    Attributes
    ----------
    {indexed}
    """

    n_neighbors: int | Sequence[int] | NDArray[Any] | None = field(default=5, kw_only=False)
    metric: str = "euclidean"
    method: str = "auto"
    recall: float = 0.95
    spill: float = 0

    def kneighbors(
        self, X: Any = None, n_neighbors: int | Sequence[int] | NDArray[Any] | None = None,
        return_distance: bool = True) -> Any:
        """Distances and numbers of the nearest rows. Without X: of the rows of the fit, themselves left out."""
        check_is_fitted(self, "index_")
        if X is not None:
            numbers, distances = self._query(X, self._checked(n_neighbors, self.n_samples_fit_))
        else:
            k = self._checked(n_neighbors, self.n_samples_fit_ - 1)
            numbers, distances = without_self(*self._query(self._fit_X, k + 1))
        return (distances, numbers) if return_distance else numbers

    def _spill(self):
        return self.spill

    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int | Sequence[int] | NDArray[Any] | None = None,
        mode: str = "connectivity") -> Any:
        """The same as a sparse matrix of queries by rows."""
        distances, numbers = self.kneighbors(X, n_neighbors)
        return self._graph(numbers, distances, mode)


def queries_for(index, X):
    """Rows to ask an index: sparse or dense as its own are, which are compared in one form."""
    schema = _core.Schema(index.schema)
    if sparse.issparse(X) != schema.sparse:
        X = sparse.csr_array(X) if schema.sparse else X.toarray()
    return _data.rows_of(X, schema)


def without_self(numbers, distances):
    """Less one place of each row: its own, or the last where equal rows hide it."""
    own = numbers == np.arange(len(numbers))[:, None]
    own[~own.any(axis=1), -1] = True
    keep = ~own
    shape = (len(numbers), numbers.shape[1] - 1)
    return numbers[keep].reshape(shape), distances[keep].reshape(shape)


@documented
@parameters
class KNNGraph(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Drawn, _Index):
    """The graph of nearest rows as a transformer, like scikit-learn's KNeighborsTransformer: what ``precomputed`` takes.

    Parameters
    ----------
    n_neighbors : int, default=5
        Neighbours of each row, besides itself if the mode is distance.
    mode : {"distance", "connectivity"}, default="distance"
        What the entries are.
    metric : {"euclidean", "cosine"}, default="euclidean"
        What near means.
    method : {"auto", "exact", "forest"}, default="auto"
        How they are found.
    recall : float, default=0.95
        Forest: the share of the true neighbours to be found.
    {draws}

    Attributes
    ----------
    {indexed}
    """

    n_neighbors: int | Sequence[int] | NDArray[Any] | None = field(default=5, kw_only=False)
    mode: str = "distance"
    metric: str = "euclidean"
    method: str = "auto"
    recall: float = 0.95

    def transform(self, X: Any) -> Any:
        """A sparse matrix of the rows of X by those of the fit."""
        check_is_fitted(self, "index_")
        k = count("n_neighbors", self.n_neighbors) + (self.mode == "distance")
        numbers, distances = self._query(X, self._checked(k, self.n_samples_fit_))
        return self._graph(numbers, distances, self.mode)

    @property
    def _n_features_out(self):
        return self.n_samples_fit_


@documented
def find_duplicates(
    X: Any, *, threshold: Any = None, metric: str | None = None, pairs: Any = False,
    n_jobs: int | None = None) -> Any:
    """Finds rows that are the same as earlier ones, or nearly, without comparing all pairs. None is missed.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Rows of numbers, or sparse ones such as word counts.
    threshold : float, default=None
        Similarity from which rows are duplicates; None: 0.8. Equality has none.
    metric : {"jaccard", "cosine"} or None, default=None
        What similarity is: Jaccard's of the inputs that are not 0, or the cosine. None: Jaccard's of a sparse matrix,
        and equality of all numbers of an array.
    pairs : bool, default=False
        All pairs; otherwise, for each row that has some, the most similar earlier one.
    n_jobs : int, default=None
        Threads; -1: all cores, -2: all but one. None: all cores, in joblib's workers what is left to them.

    Returns
    -------
    found : ndarray of shape (n_found, 2)
        Numbers of a row and of the earlier one.
    similarities : ndarray of shape (n_found,)
        Similarity of the two rows.
    """
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name="X")
    options = _core.DuplicateOptions()
    options.metric = None if metric is None else choice(_core.Metric, "metric", metric)
    options.threshold, options.pairs = None if threshold is None else float(threshold), bool(pairs)
    options.execution = execution_of(n_jobs)
    found, similarities = _core.find_duplicates(
        _data.rows_of(X, _data.schema_of(X.shape[1], sparse_rows=sparse.issparse(X))), options)
    return found.astype(np.int64), similarities
