# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Maps of rows whose inner products are a kernel, or that keep distances."""

from __future__ import annotations

import warnings
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.random_projection import johnson_lindenstrauss_min_dim
from sklearn.utils.validation import check_array, check_is_fitted

from bochner import _core, _data, _streams
from bochner._base import ModelEstimator, choice_of_precision
from bochner._docs import documented
from bochner._parameters import Drawn, parameters
from bochner._words import choice, count, numbers_of, seed_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray
    from typing_extensions import Self

SAMPLE_ROWS = 2000  # for rules of a bandwidth
LANDMARK_ROWS = 20000  # that landmarks are chosen among


class FeaturesOfModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """What comes out has the type of X, and a column for each output of the model."""

    @property
    def _n_features_out(self):
        return self.model_.transform_map.outputs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class TransformsByModel(FeaturesOfModel):
    """transform() by what the model makes of rows."""

    def transform(self, X: Any) -> Any:
        """The features or coordinates of rows, in the type of X: float32 or float64."""
        check_is_fitted(self, "model_")
        if _streams.is_stream(X):
            return _streams.stacked(map(self._map_batch, _streams.inputs_of(X)), getattr(X, "num_rows", None))
        blocks = _streams.frame_blocks(X)
        return self._map_rows(X) if blocks is None else _streams.stacked(map(self._map_rows, blocks), len(X))

    def _map_batch(self, batch):
        return self._map_rows(*_streams.numbers_of(batch)) if hasattr(batch, "num_rows") else self._map_rows(batch)

    def _map_rows(self, X, names=None):
        X, rows = self._new_rows(X, names)
        return mapped(self.model_.transform_map, rows, X.dtype, self._execution())

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """fit(X) and transform(X). Batches that come only once are kept in a file in between."""
        if _streams.is_iterator(X):
            with _streams.spooled(X) as spool:
                X = spool.X
        return super().fit_transform(X, y, **fit_params)


class MapTransformer(TransformsByModel, ModelEstimator):
    """A transformer whose model is one map of the inputs."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Makes the map.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Rows like those to be mapped.
        y : ignored

        Returns
        -------
        self
        """
        X = self._inputs(X, reset=True)
        schema = _data.schema_of(X.shape[1], self._feature_names(), sparse_rows=sparse.issparse(X))
        self.model_ = _core.Model(schema, self._make_map(X, schema), in_double(self, X), "components")
        return self


def in_double(estimator, X):
    """Whether rows are summed and files compute in double: as `precision` says, otherwise as X is."""
    precision = getattr(estimator, "precision", None)
    return X.dtype == np.float64 if precision is None else choice_of_precision(precision)


def mapped(map, rows, dtype, execution):
    """Rows through a map: an array, or CSR where the map puts that out."""
    name = "float" if dtype == np.float32 else "double"
    if not map.nonzeros:
        return getattr(map, f"transform_{name}")(rows, execution)
    values, columns, offsets = getattr(map, f"transform_csr_{name}")(rows, execution)
    wide = np.int32 if max(len(values), map.outputs) <= np.iinfo(np.int32).max else np.int64
    columns = columns.view(np.int32) if wide == np.int32 else columns.astype(wide)
    return sparse.csr_array((values, columns, offsets.astype(wide)), shape=(len(offsets) - 1, map.outputs))


def drawn_rows(X, most, seed):
    """Numbers of rows, drawn without repetition, in random order."""
    return np.random.RandomState(seed % 2**32).permutation(X.shape[0])[:most]


def sample_of(X, most, seed):
    """Those rows, dense and float64."""
    sample = X[drawn_rows(X, most, seed)]
    return np.ascontiguousarray(sample.toarray() if sparse.issparse(sample) else sample, dtype=np.float64)


def kernel_of(words, bandwidth, X, seed):
    """The kernel with its length scales: by a rule from a sample of the rows, or as given."""
    kernel = _core.Kernel(words)
    rules = {"median": _core.median_bandwidth, "scale": _core.scale_bandwidth}
    if isinstance(bandwidth, str):
        if bandwidth not in rules:
            raise ValueError(f"bandwidth: found {bandwidth!r}, expected median, scale, or length scales")
        kernel.length_scales = [rules[bandwidth](kernel, sample_of(X, SAMPLE_ROWS, seed))]
    else:
        scales = numbers_of("bandwidth", bandwidth)
        if len(scales) not in (1, X.shape[1]) or min(scales) <= 0:
            raise ValueError(f"bandwidth: expected one length scale above 0, or one for each of {X.shape[1]} inputs")
        kernel.length_scales = scales
    return kernel


@documented
@parameters
class FourierFeatures(Drawn, MapTransformer):
    """Random Fourier features: ``z(x) . z(y)`` is about ``k(x - y)``. Rahimi & Recht 2007.

    Parameters
    ----------
    n_components : int, default=1000
        Features.
    kernel : str, default="gaussian"
        ``"gaussian"``, ``"laplacian"``, ``"cauchy"``, ``"matern:nu=1.5"``, ``"rational-quadratic:alpha=2"``, ...
    bandwidth : "median", "scale", float or array, default="median"
        Length scales of the inputs as they are: by a rule, one for all, or one each.
    form : {"cossin", "shifted"} or None, default=None
        Pairs of cosine and sine, or cosines with random shifts. None: pairs where n_components is even.
    draw : {"independent", "orthogonal", "structured", "quasi"}, default="independent"
        How frequencies are drawn.
    {draws}

    Attributes
    ----------
    bandwidth_ : list of float
        The length scales.
    {fitted}
    """

    n_components: int | str | None = field(default=1000, kw_only=False)
    kernel: str = "gaussian"
    bandwidth: str | float | Sequence[float] | NDArray[Any] | None = "median"
    form: Any = None
    draw: Any = "independent"

    def _make_map(self, X, schema):
        options = _core.FourierOptions()
        options.seed = seed_of(self.random_state)
        options.kernel = kernel_of(self.kernel, self.bandwidth, X, options.seed)
        options.features = count("n_components", self.n_components)
        form = self.form or ("shifted" if options.features % 2 else "cossin")
        options.form = choice(_core.FourierOptions.Form, "form", form)
        options.draw = choice(_core.FourierOptions.Draw, "draw", self.draw)
        self.bandwidth_ = options.kernel.length_scales
        return _core.fourier(X.shape[1], options)


@documented
@parameters
class NystroemFeatures(Drawn, MapTransformer):
    """The Nystroem map: kernel values against landmarks, whitened. Williams & Seeger 2000.

    Parameters
    ----------
    n_components : int, default=100
        Landmarks; those that others explain are left out.
    kernel : str, default="gaussian"
        As for FourierFeatures.
    bandwidth : "median", "scale", float or array, default="median"
        Length scales of the inputs as they are.
    landmarks : {"rpcholesky", "leverage", "uniform"}, default="rpcholesky"
        How landmarks are chosen among the rows.
    {draws}

    Attributes
    ----------
    bandwidth_ : list of float
        The length scales.
    {fitted}
    """

    n_components: int | str | None = field(default=100, kw_only=False)
    kernel: str = "gaussian"
    bandwidth: str | float | Sequence[float] | NDArray[Any] | None = "median"
    landmarks: Any = "rpcholesky"

    def _make_map(self, X, schema):
        options = _core.NystroemOptions()
        options.seed = seed_of(self.random_state)
        options.kernel = kernel_of(self.kernel, self.bandwidth, X, options.seed)
        options.landmarks = min(count("n_components", self.n_components), X.shape[0])
        options.choice = choice(_core.NystroemOptions.Choice, "landmarks", self.landmarks)
        options.tolerance = 1e-6 if X.dtype == np.float32 else 1e-12
        self.bandwidth_ = options.kernel.length_scales
        sample = sample_of(X, max(LANDMARK_ROWS, options.landmarks), options.seed)
        return _core.nystroem(sample, options, self._execution())


@documented
@parameters
class BinningFeatures(Drawn, MapTransformer):
    """Random binning features, sparse: rows share a bin as often as the kernel says. Rahimi & Recht 2007.

    Parameters
    ----------
    n_grids : int, default=100
        Random partitions of the inputs; each has a feature for every bin that a row of the fit fell into.
    law : {"laplacian", "reciprocal", "hat", "log-uniform"}, default="laplacian"
        Law of the grids' pitches; the kernel's shape.
    bandwidth : "median", "scale", float or array, default="median"
        Length scales of the inputs as they are.
    order : int or None, default=None
        Inputs that a grid looks at, drawn at random. None: all.
    min_rows : int, default=1
        Bins of fewer rows are forgotten.
    sparse_output : bool, default=True
        transform() gives a CSR array; otherwise a dense one, as ``set_output`` needs.
    {draws}

    Attributes
    ----------
    bandwidth_ : list of float
        The length scales.
    {fitted}
    """

    n_grids: int | None = field(default=100, kw_only=False)
    law: Any = "laplacian"
    bandwidth: str | float | Sequence[float] | NDArray[Any] | None = "median"
    order: Any = None
    min_rows: Any = 1
    sparse_output: bool = True

    def _map_rows(self, X, names=None):
        features = super()._map_rows(X, names)
        return features if self.sparse_output else features.toarray()

    def _make_map(self, X, schema):
        options = _core.BinningOptions()
        options.seed = seed_of(self.random_state)
        options.grids = count("n_grids", self.n_grids)
        options.law = self.law
        options.min_rows = count("min_rows", self.min_rows)
        if self.order is not None:
            options.order_low = options.order_high = count("order", self.order)
        self.bandwidth_ = kernel_of("laplacian", self.bandwidth, X, options.seed).length_scales
        options.length_scales = self.bandwidth_
        make = _core.binning_float if X.dtype == np.float32 else _core.binning_double
        return make(_data.rows_of(X, schema), options, self._execution())


@documented
@parameters
class RandomProjection(Drawn, MapTransformer):
    """A random projection that about keeps distances. Nothing of it is stored but the seed.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Outputs. ``"auto"``: as many as keep all distances of the rows within eps (Johnson & Lindenstrauss), at most as
        many as columns.
    kind : {"sign", "gaussian", "sparse", "verysparse", "fastjl", "srht", "hash"}, default="sign"
        The law of the matrix.
    eps : float, default=0.1
        For ``"auto"``.
    density : float or None, default=None
        Share of entries that are not 0, for the sparse kinds.
    {precision_of_rows}
    {draws}

    Attributes
    ----------
    n_components_ : int
        The number of outputs.
    {fitted}
    """

    n_components: int | str | None = field(default="auto", kw_only=False)
    kind: str = "sign"
    eps: float = 0.1
    density: float | None = None
    precision: str | None = None

    _may_keep_dimension = True

    def _make_map(self, X, schema):
        options = _core.ProjectOptions()
        options.kind = choice(_core.ProjectOptions.Kind, "kind", self.kind)
        options.seed = seed_of(self.random_state)
        options.density = (numbers_of("density", self._density()) or [0])[0]
        if self.n_components == "auto":
            dims = int(johnson_lindenstrauss_min_dim(n_samples=X.shape[0], eps=self.eps))
            if dims <= 0:
                raise ValueError(f"eps={self.eps:f} and n_samples={X.shape[0]} lead to a target dimension of {dims} "
                                 "which is invalid; give n_components")
            if dims > X.shape[1] and self._may_keep_dimension:
                warnings.warn(
                    f"n_components='auto': {dims} outputs would keep all distances within eps={self.eps:g}, more than the "
                    f"{X.shape[1]} columns; {X.shape[1]} are made, the dimensionality is not reduced",
                    DataDimensionalityWarning)
                dims = X.shape[1]
            if dims > X.shape[1]:
                raise ValueError(
                    f"eps={self.eps:f} and n_samples={X.shape[0]} lead to a target dimension of {dims} which is larger "
                    f"than the original space with n_features={X.shape[1]}; give n_components or a larger eps")
        else:
            dims = count("n_components", self.n_components)
            if dims > X.shape[1]:
                warnings.warn(
                    "The number of components is higher than the number of features: n_features < n_components "
                    f"({X.shape[1]} < {dims}).The dimensionality of the problem will not be reduced.",
                    DataDimensionalityWarning)
        options.dims = self.n_components_ = dims
        return _core.project(X.shape[1], options)

    def _density(self):
        return self.density

    def inverse_transform(self, X: Any) -> Any:
        """Rows back in the inputs' space, as near as least squares gets."""
        check_is_fitted(self, "model_")
        return mapped_back(self, X)


def mapped_back(estimator, X):
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
    if X.shape[1] != estimator.model_.outputs:
        raise ValueError(f"X has {X.shape[1]} features, expected the {estimator.model_.outputs} that transform gives")
    back = estimator.model_.map.inverse()
    return mapped(back, _data.rows_of(X, _data.schema_of(X.shape[1], sparse_rows=sparse.issparse(X))), X.dtype,
                  estimator._execution())
