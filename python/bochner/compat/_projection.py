# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""sklearn.random_projection."""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from bochner import _data
from bochner._docs import documented
from bochner._transformers import RandomProjection, mapped, mapped_back


class _Projection(RandomProjection):
    n_jobs = None
    _may_keep_dimension = False

    def fit(self, X, y=None):
        super().fit(X, y)
        if self.compute_inverse_components:
            rank = self.model_.outputs
            self.inverse_components_ = np.ascontiguousarray(mapped_back(self, np.eye(rank)).T)
        return self

    fit.__doc__ = RandomProjection.fit.__doc__

    @property
    def components_(self):
        """The matrix, n_components x n_features, drawn from its seed when it is asked for."""
        check_is_fitted(self, "model_")
        schema = _data.schema_of(self.n_features_in_)
        rows = _data.rows_of(np.eye(self.n_features_in_), schema)
        matrix = mapped(self.model_.map, rows, np.dtype(float), self._execution())
        return np.ascontiguousarray(matrix.T, dtype=np.float64 if self.model_.double_precision else np.float32)


@documented
class GaussianRandomProjection(_Projection):
    """A projection by a Gaussian matrix, with scikit-learn's parameters.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Outputs; ``"auto"``: by eps and the number of rows.
    eps : float, default=0.1
        For ``"auto"``.
    compute_inverse_components : bool, default=False
        Keep the matrix of the way back.
    random_state : int, RandomState or None, default=None
        An integer is the seed.

    Attributes
    ----------
    n_components_ : int
        The number of outputs.
    components_ : ndarray of shape (n_components, n_features)
        The matrix.
    {fitted}
    """

    kind, density = "gaussian", None

    def __init__(self, n_components="auto", *, eps=0.1, compute_inverse_components=False, random_state=None):
        self.n_components = n_components
        self.eps = eps
        self.compute_inverse_components = compute_inverse_components
        self.random_state = random_state


@documented
class SparseRandomProjection(_Projection):
    """A projection by a sparse matrix of signs, with scikit-learn's parameters.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Outputs; ``"auto"``: by eps and the number of rows.
    density : float or "auto", default="auto"
        Share of entries that are not 0; ``"auto"``: 1 / sqrt(n_features).
    eps : float, default=0.1
        For ``"auto"`` outputs.
    dense_output : bool, default=False
        Whether sparse rows become an array; otherwise they become a sparse matrix.
    compute_inverse_components : bool, default=False
        Keep the matrix of the way back.
    random_state : int, RandomState or None, default=None
        An integer is the seed.

    Attributes
    ----------
    n_components_ : int
        The number of outputs.
    density_ : float
        The share of entries that are not 0.
    components_ : sparse matrix of shape (n_components, n_features)
        The matrix.
    {fitted}
    """

    def __init__(
        self, n_components="auto", *, density="auto", eps=0.1, dense_output=False, compute_inverse_components=False,
        random_state=None):
        self.n_components = n_components
        self.density = density
        self.eps = eps
        self.dense_output = dense_output
        self.compute_inverse_components = compute_inverse_components
        self.random_state = random_state

    @property
    def components_(self):
        """The matrix, drawn from its seed when it is asked for."""
        return sparse.csr_matrix(super().components_)

    def transform(self, X):
        """Rows projected: sparse ones to a sparse matrix unless dense_output says otherwise."""
        Z = super().transform(X)
        return sparse.csr_matrix(Z) if sparse.issparse(X) and not self.dense_output else Z

    @property
    def kind(self):
        return "verysparse" if self.density == "auto" else "sparse"

    def _density(self):
        return None if self.density == "auto" else self.density

    @property
    def density_(self):
        check_is_fitted(self, "model_")
        return 1 / np.sqrt(self.n_features_in_) if self.density == "auto" else self.density


