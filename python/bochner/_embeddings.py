# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Mean embeddings: whether two samples are of one law, whether targets depend on inputs, few points in the place of many."""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, validate_data

from bochner import _core, _data, _tables
from bochner._docs import documented
from bochner._parameters import Drawn, parameters
from bochner._words import bandwidth_words, choice, count, execution_of, seed_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray
    from typing_extensions import Self


@contextlib.contextmanager
def _file_of(X, name):
    if _data.is_path(X):
        yield os.fspath(X)
    elif hasattr(X, "columns"):
        with _data.table_file(X) as path:
            yield path
    else:
        X = check_array(X, dtype=[np.float64, np.float32], input_name=name)
        with tempfile.TemporaryDirectory(prefix="bochner-") as folder:
            path = os.path.join(folder, "rows.npy")
            np.save(path, np.ascontiguousarray(X))
            yield path


@documented
def drift(
    reference: Any, new: Any, *, permutations: int = 500, kernel: str = "gaussian", n_components: int | None = None,
    random_state: int | np.random.RandomState | np.random.Generator | None = 0, n_jobs: int | None = None) -> Any:
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
    widths = [np.shape(X)[1] for X in (reference, new) if isinstance(X, np.ndarray) and X.ndim == 2]
    if len(widths) == 2 and widths[0] != widths[1]:
        raise ValueError(f"new: found {widths[1]} columns, expected {widths[0]} as in the reference")
    with _file_of(reference, "reference") as first, _file_of(new, "new") as second:
        return _core.drift(first, second, options)


@documented
@parameters
class MMDTest(Drawn, BaseEstimator):
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

    permutations: int = 500
    kernel: str = "gaussian"
    n_components: int | None = None

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keeps the reference: a path, table or array. y is ignored."""
        if _data.is_path(X) or _tables.is_mixed(_tables.collected(X)):
            self.reference_ = X
        else:
            self.reference_ = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        return self

    def test(self, X: Any) -> Any:
        """What drift(reference, X) finds: ``p_value``, ``statistic`` and each column."""
        check_is_fitted(self, "reference_")
        if isinstance(self.reference_, np.ndarray):
            X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return drift(self.reference_, X, **self.get_params())

    def score(self, X: Any, y: Any = None) -> float:
        """The p-value: near 0 where X is of another law."""
        return self.test(X).p_value


@contextlib.contextmanager
def _pairs_of(X, y, estimator=None):
    """Rows with targets: text, booleans and categories are classes, other targets numbers."""
    reading = _core.RowsOptions()
    if _data.is_path(X):
        reading.targets = [str(name) for name in ([y] if isinstance(y, (str, int)) else y)]
        yield _core.open_rows(os.fspath(X), reading)
        return
    y = np.asarray(y)
    classes = y.dtype.kind not in "iuf"
    if _tables.is_mixed(_tables.collected(X)):
        X, labels = _tables.collected(X), None
        check_consistent_length(X, y)
        if classes:
            labels, y = np.unique(y, return_inverse=True)
            labels = [_data.label_of(value) for value in labels]
        yield _tables.training_rows(X, y, None, labels)
        return
    checks = dict(dtype=[np.float64, np.float32], ensure_min_samples=2)
    X = check_array(X, input_name="X", **checks) if estimator is None else validate_data(estimator, X, **checks)
    check_consistent_length(X, y)
    labels = None
    if classes:
        labels, y = np.unique(y, return_inverse=True)
    else:
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
    names = getattr(estimator, "feature_names_in_", None)
    schema = _data.schema_of(X.shape[1], names, 1 if y.ndim == 1 else y.shape[1], None, labels)
    yield _data.rows_of(X, schema, y)


@documented
def independence(
    X: Any, y: Any, *, permutations: int = 500, kernel: str = "gaussian", n_components: int | None = 64,
    random_state: int | np.random.RandomState | np.random.Generator | None = 0, n_jobs: int | None = None) -> Any:
    """Tests whether targets depend on inputs, in any way: the Hilbert-Schmidt independence criterion, and each column.

    Parameters
    ----------
    X : array, table or path
        The inputs.
    y : array, or for a path the name or names of the target columns
        Text and booleans are classes, other targets numbers.
    {dependence}
    {draws}

    Returns
    -------
    Independence
        ``p_value`` and ``statistic`` of all inputs together, ``exact`` (by permutations, or by the limit law of many
        rows), and ``columns`` with ``name``, ``p_value`` (corrected for their number), ``p_value_alone`` and
        ``statistic``.
    """
    return HSICTest(permutations=permutations, kernel=kernel, n_components=n_components, random_state=random_state,
                    n_jobs=n_jobs)._found(X, y)


@documented
@parameters
class HSICTest(Drawn, BaseEstimator):
    """The test of independence() as an estimator: fit(X, y) asks whether y depends on X.

    Parameters
    ----------
    {dependence}
    {draws}

    Attributes
    ----------
    p_value_ : float
        Near 0 where y depends on X.
    statistic_ : float
        The criterion, a mean over bandwidths.
    columns_ : list of dict
        One per column: ``name``, ``p_value``, ``p_value_alone`` and ``statistic``.
    n_features_in_ : int
        Columns of X, where it is an array or a table of numbers.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where they are all strings.
    """

    permutations: int = 500
    kernel: str = "gaussian"
    n_components: int | None = 64

    def fit(self, X: Any, y: Any) -> Self:
        """Tests X against y, as independence() does."""
        if y is None:
            raise ValueError("This HSICTest estimator requires y to be passed, but the target y is None.")
        found = self._found(X, y, self)
        self.p_value_, self.statistic_ = found.p_value, found.statistic
        kept = ("name", "p_value", "p_value_alone", "statistic")
        self.columns_ = [{key: getattr(column, key) for key in kept} for column in found.columns]
        return self

    def _found(self, X, y, estimator=None):
        options = _core.IndependenceOptions()
        options.permutations = count("permutations", self.permutations)
        options.kernel = _core.Kernel(self.kernel)
        options.features = count("n_components", self.n_components) + self.n_components % 2
        options.seed = seed_of(self.random_state)
        options.execution = execution_of(self.n_jobs)
        with _pairs_of(X, y, estimator) as rows:
            return _core.independence(rows, options)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


@documented
@parameters
class ReducedSet(Drawn, BaseEstimator):
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
        Distance of the two embeddings.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where they are all strings.
    """

    n_points: Any = field(default=20, kw_only=False)
    method: str = "joint"
    kernel: str = "gaussian"
    bandwidth: str | float | Sequence[float] | NDArray[Any] | None = "median"

    def fit(self, X: Any, y: Any = None) -> Self:
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
