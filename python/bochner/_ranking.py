# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Machines that put the answers to a query in order."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.utils.validation import _check_y, check_consistent_length, check_is_fitted, column_or_1d

from bochner import _core, _data
from bochner._base import ModelEstimator, set_features
from bochner._docs import documented
from bochner._parameters import OfMap, parameters
from bochner._words import choice, numbers_of, seed_of

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self


def _numbers(groups, rows):
    """The number of each row's group; None: all rows are of one."""
    if groups is None:
        return []
    found = np.unique(column_or_1d(groups), return_inverse=True)[1]
    if len(found) != rows:
        raise ValueError(f"groups: found {len(found)}, expected one for each of the {rows} rows")
    return found.tolist()


@documented
@parameters
class KernelRanker(OfMap, ModelEstimator):
    """Puts the rows of a group in the order of their grades: the squared hinge of pairs, on features of a kernel.

    {all_at_once}

    Parameters
    ----------
    pairs : {"chosen", "same", "ndcg"}, default="chosen"
        What a pair of rows weighs: the same, or what the order of the two matters for NDCG. "chosen": by groups held
        out.
    alpha : float, array of floats or None, default=None
        Penalty of the coefficients. None: searched; several: the best of them.
    map : str, default="nystroem"
        The features, in the command's words; ``"none"``: of the scaled inputs.
    {searched}
    {common}

    Attributes
    ----------
    alpha_ : float
        The penalty that was chosen.
    {fitted}
    """

    map: str = "nystroem"
    pairs: str = field(default="chosen", kw_only=False)
    alpha: Any = None

    _least_rows = 2

    def fit(self, X: Any, y: Any = None, groups: ArrayLike | None = None) -> Self:
        """Learns an order.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Grades: the larger, the earlier.
        groups : array of shape (n_samples,), default=None
            The query of each row. None: all rows are of one.

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        X = self._inputs(X, reset=True)
        y = _check_y(column_or_1d(y, warn=True), y_numeric=True, estimator=self).astype(np.float64)
        check_consistent_length(X, y)
        options = _core.RankingOptions()
        set_features(options.features, self, seed_of(self.random_state), self.n_map_features)
        options.groups = _numbers(groups, len(y))
        options.weights = choice(_core.RankingOptions.Weights, "pairs", self.pairs)
        options.lambdas = numbers_of("alpha", self.alpha)
        schema = _data.schema_of(X.shape[1], self._feature_names(), 1, sparse_rows=sparse.issparse(X))
        self.model_ = _core.ranking(_data.rows_of(X, schema, y), options)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Scores: rows of one query are put in order by them, the largest first."""
        check_is_fitted(self, "model_")
        held, rows = self._new_rows(X)
        return self.model_.predict(rows, self._execution())[:, 0]

    def score(self, X: Any, y: Any, groups: ArrayLike | None = None) -> float:
        """NDCG@10: the mean over groups whose rows are not all of one grade."""
        scores = self.predict(X)
        return float(_core.score_ranking(scores.tolist(), np.asarray(y, dtype=np.float64).tolist(),
                                         _numbers(groups, len(scores)), 10)[0])

    @property
    def alpha_(self) -> float:
        return float(self._figure("ranking")[0])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
