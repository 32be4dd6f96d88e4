# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Rows that are unlike the others."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.base import OutlierMixin
from sklearn.utils.validation import check_is_fitted

from bochner import _core, _data
from bochner._base import ModelEstimator, set_features
from bochner._docs import documented
from bochner._machines import weighed_rows
from bochner._parameters import Mapped, parameters
from bochner._words import choice, count, seed_of

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self


@documented
@parameters
class AnomalyDetector(OutlierMixin, Mapped, ModelEstimator):
    """Learns which rows are unlike the others: by a kernel density, random bins, an isolation forest or a mixture.

    {all_at_once}

    Parameters
    ----------
    method : {"embedding", "bins", "isolation", "mixture"}, default="embedding"
        ``1 - <z(x), mean z>`` of random features; how full a row's bins are; how few random cuts part it from others;
        minus the log density of a mixture of Gaussians.
    contamination : float, default=0.01
        The share of rows like those of the fit that count as anomalies.
    map : str, default="fourier"
        The features of ``"embedding"``, in the command's words.
    kernel : str, default="gaussian"
        As for FourierFeatures.
    bandwidth : None, "median", "scale", float or array, default=None
        Length scales over the scaled inputs. None: the median distance.
    n_map_features : int, default=None
        Features, grids or trees. None: by the method and the number of rows.
    n_components : int, default=None
        Gaussians of ``"mixture"``. None: as many as BIC finds best.
    scale : {"none", "standardize", "minmax", "log", "quantile", "whiten"}, default=None
        Scaling of the inputs. None: by column.
    {common}

    Attributes
    ----------
    offset_ : float
        The threshold of score_samples(): rows below it are anomalies.
    {fitted}
    """

    method: str = field(default="embedding", kw_only=False)
    contamination: Any = 0.01
    n_map_features: int | None = None

    _least_rows = 2

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learns from X: array or sparse matrix of shape (n_samples, n_features). y is ignored."""
        X = self._inputs(X, reset=True)
        rows, _, weights = weighed_rows(X, None, sample_weight)
        options = _core.AnomalyOptions()
        options.method = choice(_core.AnomalyOptions.Method, "method", self.method)
        options.rate = float(self.contamination)
        options.components = 0 if self.n_components is None else count("n_components", self.n_components)
        set_features(options.features, self, seed_of(self.random_state), self.n_map_features)
        if self.method != "embedding":
            options.features.map = "none"
        schema = _data.schema_of(X.shape[1], self._feature_names(), sparse_rows=sparse.issparse(X))
        self.model_ = _core.anomaly(_data.rows_of(rows, schema, None, weights), options)
        return self

    @property
    def offset_(self):
        return -float(self._figure("threshold")[0])

    def score_samples(self, X: Any) -> NDArray[Any]:
        """How like the rows of the fit each row is: the smaller, the rarer."""
        check_is_fitted(self, "model_")
        X, rows = self._new_rows(X)
        return -self.model_.predict(rows, self._execution())[:, 0]

    def decision_function(self, X: Any) -> NDArray[Any]:
        """score_samples() above its threshold: below 0 for anomalies."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> NDArray[Any]:
        """-1 for anomalies, 1 for others."""
        return np.where(self.decision_function(X) < 0, -1, 1)
