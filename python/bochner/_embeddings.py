# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Mean embeddings: whether two samples are of one law, and few points in the place of many."""

import contextlib
import os
import tempfile

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from bochner import _core, _data
from bochner._docs import documented
from bochner._words import bandwidth_words, choice, count, execution_of, seed_of


@contextlib.contextmanager
def _file_of(X):
    if _data.is_path(X):
        yield os.fspath(X)
    elif hasattr(X, "columns"):
        with _data.table_file(X) as path:
            yield path
    else:
        X = check_array(X, dtype=[np.float64, np.float32])
        with tempfile.TemporaryDirectory(prefix="bochner-") as folder:
            path = os.path.join(folder, "rows.npy")
            np.save(path, np.ascontiguousarray(X))
            yield path


@documented
def drift(reference, new, *, permutations=500, kernel="gaussian", n_components=None, random_state=0, n_jobs=None):
    """Tests whether two samples of rows come from one law: the maximum mean discrepancy, and each column.

    Parameters
    ----------
    reference, new : path, table or array
        The samples; both of one kind. Columns of tables and files meet by name.
    {discrepancy}
    {draws}

    Returns
    -------
    Drift
        ``p_value`` and ``statistic`` of all, and ``columns`` with ``name``, ``p_value`` (corrected for their number),
        ``distance`` (0 the same, 1 apart), ``mean_reference`` and ``mean_new``.
    """
    options = _core.DriftOptions()
    options.permutations = count("permutations", permutations)
    options.kernel = _core.Kernel(kernel)
    options.features = 0 if n_components is None else count("n_components", n_components)
    options.seed = seed_of(random_state)
    options.execution = execution_of(n_jobs)
    with _file_of(reference) as first, _file_of(new) as second:
        return _core.drift(first, second, options)


@documented
class MMDTest(BaseEstimator):
    """The test of drift() with its reference kept: fit on one sample, ask of others whether they are of its law.

    Parameters
    ----------
    {discrepancy}
    {draws}

    Attributes
    ----------
    reference_ : path, table or ndarray
        The sample of the fit.
    n_features_in_ : int
        Columns of X, where it is an array or a table.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where they are all strings.
    """

    def __init__(self, *, permutations=500, kernel="gaussian", n_components=None, random_state=0, n_jobs=None):
        self.permutations = permutations
        self.kernel = kernel
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Keeps the reference: a path, table or array. y is ignored."""
        if _data.is_path(X) or _data.is_mixed_table(X):
            self.reference_ = X
        else:
            self.reference_ = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        return self

    def test(self, X):
        """What drift(reference, X) finds: ``p_value``, ``statistic`` and each column."""
        check_is_fitted(self, "reference_")
        if isinstance(self.reference_, np.ndarray):
            X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return drift(self.reference_, X, **self.get_params())

    def score(self, X, y=None):
        """The p-value: near 0 where X is of another law."""
        return self.test(X).p_value


@documented
class ReducedSet(BaseEstimator):
    """A few weighted points whose mean embedding is near that of all rows.

    Parameters
    ----------
    n_points : int, default=20
        Points.
    method : {"joint", "rsrf", "fixed_point", "herding", "thinning", "kmeans"}, default="joint"
        How they are found; herding and thinning choose among the rows.
    kernel : str, default="gaussian"
        As for FourierFeatures.
    bandwidth : "median", "scale", float or array, default="median"
        Length scales of the inputs as they are.
    {draws}

    Attributes
    ----------
    points_ : ndarray of shape (n_points, n_features)
        The points.
    weights_ : ndarray of shape (n_points,)
        Their weights.
    rkhs_distance_ : float
        Of the two embeddings.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where they are all strings.
    """

    def __init__(
        self, n_points=20, *, method="joint", kernel="gaussian", bandwidth="median", random_state=0, n_jobs=None):
        self.n_points = n_points
        self.method = method
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Finds the points for X: array of shape (n_samples, n_features). y is ignored."""
        X = validate_data(self, X, dtype=[np.float64, np.float32])
        options = _core.ReduceRowsOptions()
        options.kernel = _core.Kernel(self.kernel)
        options.bandwidth = bandwidth_words(self.bandwidth)
        reduce = options.reduce
        reduce.points = count("n_points", self.n_points)
        reduce.method = choice(_core.ReduceOptions.Method, "method", self.method)
        reduce.seed = seed_of(self.random_state)
        reduce.execution = execution_of(self.n_jobs)
        found = _core.reduce(_data.rows_of(X, _data.schema_of(X.shape[1])), options)
        self.points_, self.weights_ = found.points(), found.weights()
        self.rkhs_distance_ = found.rkhs_distance
        return self
