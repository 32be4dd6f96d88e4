# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Kernel means: of all rows, and of groups of them."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted

from bochner import _core, _data
from bochner._base import ModelEstimator, set_features
from bochner._docs import documented
from bochner._machines import weights_of
from bochner._parameters import Drawn, OfKernel, parameters
from bochner._transformers import FeaturesOfModel, FourierFeatures, mapped
from bochner._words import seed_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self

_BLOCK = 1 << 16  # rows whose features are in memory at a time


@documented
@parameters
class MeanEmbedding(Drawn, ModelEstimator):
    """The kernel mean of rows by random Fourier features: a sum that merges, to the same bits in any order.

    Means of parts made with the same numbers for ``bandwidth`` and ``random_state`` merge; a rule for the bandwidth
    would find other numbers in other rows.

    Parameters
    ----------
    kernel : str, default="gaussian"
        As for FourierFeatures.
    bandwidth : "median", "scale", float or array, default="median"
        Length scales of the inputs as they are.
    n_components : int, default=512
        Features.
    largest_weight : float or None, default=None
        Largest weight of any row; means that shall merge have the same. None: 1, or the next power of two above the
        weights of the first rows if some exceed 1.
    {draws}

    Attributes
    ----------
    embedding_ : MeanEmbedding
        The library's sums.
    mean_ : ndarray of shape (n_components,)
        The mean of the features.
    n_samples_seen_ : int
        Rows.
    {fitted}
    """

    kernel: str = field(default="gaussian", kw_only=False)
    bandwidth: str | float | Sequence[float] | NDArray[Any] | None = "median"
    n_components: int | None = 512
    largest_weight: float | None = None

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """The mean of X: array or sparse matrix of shape (n_samples, n_features). y is ignored."""
        self.__dict__.pop("embedding_", None)
        return self.partial_fit(X, y, sample_weight)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Adds the rows of X to the mean; length scales are those of the first rows."""
        first = not hasattr(self, "embedding_")
        X = self._inputs(X, reset=first)
        weights = None if sample_weight is None else weights_of(X, sample_weight)
        _check_digits(X)
        if first:
            features = FourierFeatures(self.n_components, kernel=self.kernel, bandwidth=self.bandwidth,
                                       random_state=seed_of(self.random_state), n_jobs=self.n_jobs)
            self.model_ = features.fit(X).model_
            largest = self.largest_weight
            if largest is None:
                largest = 1.0 if weights is None else max(1.0, 2.0 ** np.ceil(np.log2(weights.max())))
            embedding = _core.MeanEmbedding(self.model_.map, float(largest))
        else:
            embedding = self.embedding_
        embedding.add(_data.rows_of(X, self.model_.schema, None, weights), self._execution())
        self.embedding_ = embedding
        return self

    def merge(self, other: Any) -> Self:
        """Adds the rows of another mean of the same features. Returns self."""
        check_is_fitted(self, "embedding_")
        check_is_fitted(other, "embedding_")
        self.embedding_.merge(other.embedding_)
        return self

    def subtract(self, other: Any) -> Self:
        """Takes away the rows of another mean, which are in this one. Returns self."""
        check_is_fitted(self, "embedding_")
        check_is_fitted(other, "embedding_")
        self.embedding_.subtract(other.embedding_)
        return self

    def score_samples(self, X: Any) -> NDArray[Any]:
        """The mean of kernel values k(x, y) over the rows y: a density up to its scale."""
        check_is_fitted(self, "embedding_")
        X = self._inputs(X, reset=False)
        X = X.toarray() if sparse.issparse(X) else X
        return self.embedding_.at(np.ascontiguousarray(X, dtype=np.float64))

    def squared_mmd(self, other: Any, unbiased: bool = True) -> Any:
        """The squared maximum mean discrepancy to another mean of the same features."""
        biased, corrected = _core.squared_mmd(self.embedding_, other.embedding_)
        return corrected if unbiased else biased

    @property
    def mean_(self):
        check_is_fitted(self, "embedding_")
        return self.embedding_.mean()

    @property
    def n_samples_seen_(self):
        check_is_fitted(self, "embedding_")
        return self.embedding_.rows

    def __sklearn_is_fitted__(self):
        return hasattr(self, "embedding_")


def _check_digits(X):
    """Refuses columns whose differences are lost in float32, in which rows are added."""
    if sparse.issparse(X) or X.dtype == np.float32:
        return
    with np.errstate(over="ignore"):
        errors, ranges = np.abs(X - X.astype(np.float32)).max(axis=0), X.max(axis=0) - X.min(axis=0)
    lost = np.isfinite(errors) & (errors > 2.0**-10 * ranges) & (ranges > 0)
    if lost.any():
        raise ValueError(f"X: column {lost.argmax()} lies so far from zero that its differences are lost in float32, "
                         "expected columns near zero; subtract an offset first")


@documented
@parameters
class GroupEmbedding(FeaturesOfModel, OfKernel, ModelEstimator):
    """Distribution regression: one row for each group of rows, the mean of their features, which stands for their law.

    What is learnt from it may depend on spread and shape of a group, not on its mean alone.

    Parameters
    ----------
    n_components : int, default=256
        Features of the map.
    map : str, default="fourier"
        The features, in the command's words.
    kernel : str, default="gaussian"
        As for FourierFeatures.
    bandwidth : None, "median", "scale", float or array, default=None
        Length scales over the scaled inputs. None: the median distance.
    scale : {"none", "standardize", "minmax", "log", "quantile", "whiten"}, default=None
        Scaling of the inputs. None: by column.
    {common}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> patients, Z = GroupEmbedding().fit(visits).group_means(visits, patient_of_visit)  # doctest: +SKIP
    >>> KernelRegressor().fit(Z, age[patients])  # doctest: +SKIP
    """

    n_components: int | None = field(default=256, kw_only=False)
    map: str = "fourier"

    _least_rows = 2

    def fit(self, X: Any, y: Any = None) -> Self:
        """Makes the map from the rows of X: array or sparse matrix of shape (n_samples, n_features). y is ignored."""
        X = self._inputs(X, reset=True)
        options = _core.FeatureOptions()
        set_features(options, self, seed_of(self.random_state), self.n_components)
        schema = _data.schema_of(X.shape[1], self._feature_names(), sparse_rows=sparse.issparse(X))
        self.model_ = _core.feature_model(_data.rows_of(X, schema), options)
        return self

    def transform(self, X: Any, groups: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """The means of groups, in the order of np.unique(groups); without groups each row is one of its own."""
        if groups is None and sample_weight is None:
            check_is_fitted(self, "model_")
            X, rows = self._new_rows(X)
            found = mapped(self.model_.transform_map, rows, X.dtype, self._execution())
            return found.toarray() if sparse.issparse(found) else found
        return self.group_means(X, groups, sample_weight)[1]

    def group_means(self, X: Any, groups: Any, sample_weight: ArrayLike | None = None) -> Any:
        """(names of the groups, sorted; the means of their rows' features), rows by their weights.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        groups : array of shape (n_samples,)
            The group of each row: numbers or texts.
        sample_weight : array of shape (n_samples,), default=None
            Weights of rows.
        """
        check_is_fitted(self, "model_")
        X = self._inputs(X, reset=False)
        groups = np.arange(X.shape[0]) if groups is None else np.asarray(groups)
        check_consistent_length(X, groups)
        names, members = np.unique(groups, return_inverse=True)
        weights = np.ones(X.shape[0]) if sample_weight is None else weights_of(X, sample_weight)
        totals = np.bincount(members, weights, len(names))
        if (totals == 0).any():
            raise ValueError(f"sample_weight: the group {names[totals == 0][0]!r} weighs nothing, expected more than 0")
        map = self.model_.transform_map
        sums = np.zeros((len(names), map.outputs))
        schema = _core.Schema(self.model_.schema)
        schema.targets = 0
        for begin in range(0, X.shape[0], _BLOCK):
            some = slice(begin, begin + _BLOCK)
            features = mapped(map, _data.rows_of(X[some], schema), np.float64, self._execution())
            share = sparse.csr_array((weights[some], (members[some], np.arange(len(members[some])))),
                                     shape=(len(names), len(members[some])))
            part = share @ features
            sums += part.toarray() if sparse.issparse(part) else part
        return names, (sums / totals[:, None]).astype(check_array(X[:1], accept_sparse=True).dtype, copy=False)
