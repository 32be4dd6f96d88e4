# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Machines of Dask collections: ``pip install bochner[dask]``.

Each partition is summed where it lies, sums are merged in a tree and solved: two rounds of independent tasks, so that
workers come and go, and a lost one costs its partitions. The machine is that of ``bochner.parts`` over the same
partitions, to the byte, wherever and in whatever order they were summed.
"""

import numpy as np
from sklearn.base import clone

try:
    import dask
    import dask.array as da
except ImportError as missing:
    raise ImportError("bochner.dask needs the package dask: pip install bochner[dask]") from missing

from bochner import parts
from bochner._components import RandomizedSVD
from bochner._ridge import KernelRidge, KernelRidgeClassifier
from bochner._words import execution_of, numbers_of

__all__ = ["fit", "predict", "transform"]

_FAN = 8  # sums merged by one task


def _partitions(collection, name):
    """Delayed partitions of rows: of a Dask array, DataFrame or Series."""
    if not dask.is_dask_collection(collection):
        raise ValueError(f"{name}: found {type(collection).__name__}, expected a Dask array, DataFrame or Series")
    if isinstance(collection, da.Array):
        if collection.ndim == 2 and collection.numblocks[1] > 1:
            collection = collection.rechunk({1: -1})
        return list(collection.to_delayed().ravel())
    return list(collection.to_delayed())


def _merged(sums):
    """A tree of merges."""
    merge = dask.delayed(parts.merge, pure=False)
    while len(sums) > 1:
        sums = [merge(sums[k : k + _FAN]) for k in range(0, len(sums), _FAN)]
    return sums[0]


def _survey(X, y, weights, part, classes, seed):
    return parts.survey(X, y, part, classes=classes, sample_weight=weights, random_state=seed,
                        execution=execution_of(1))


def _moments(X, part):
    return parts.moments(X, part, execution=execution_of(1))


def fit(machine, X, y=None, *, classes=None, sample_weight=None):
    """The machine of all rows of a collection.

    Parameters
    ----------
    machine : KernelRidge, KernelRidgeClassifier or RandomizedSVD
        What to fit; it stays as it is. With ``n_jobs=None`` each task takes one core.
    X : Dask array or DataFrame of numbers
        One partition of rows a task; it is read twice, so persist what is dear to compute.
    y : Dask array, Series or DataFrame
        Targets in the partitions of X, for KernelRidge and KernelRidgeClassifier.
    classes : array or "auto", default=None
        Classes of y, sorted, for a classifier by ridge; "auto" finds them in one more round, as KernelRidgeClassifier
        does by itself. None: y are numbers.
    sample_weight : Dask array or Series, default=None
        Weights of rows, in the partitions of X.

    Returns
    -------
    machine : fitted regressor, classifier or RandomizedSVD
    """
    machine = clone(machine)
    if machine.n_jobs is None:
        machine.set_params(n_jobs=1)
    rows = _partitions(X, "X")
    if isinstance(machine, RandomizedSVD):
        if sample_weight is not None:
            raise ValueError("sample_weight: found with RandomizedSVD, expected None: its rows weigh the same")
        first = dask.delayed(_moments, pure=False)
        spec = _merged([first(x, k) for k, x in enumerate(rows)])
        second = dask.delayed(parts.sketch, pure=False)
        return parts.solve(_merged([second(x, k, spec, factor=machine) for k, x in enumerate(rows)]).compute())
    if not isinstance(machine, (KernelRidge, KernelRidgeClassifier)):
        raise ValueError(f"machine: found {type(machine).__name__}, expected KernelRidge, KernelRidgeClassifier or "
                         "RandomizedSVD, whose sums merge")
    if y is None:
        raise ValueError("y: found None, expected the targets as a Dask collection")
    return _fit_ridge(machine, rows, y, classes, sample_weight)


def _fit_ridge(machine, rows, y, classes, sample_weight):
    targets = _beside(y, "y", rows)
    weights = [None] * len(rows) if sample_weight is None else _beside(sample_weight, "sample_weight", rows)
    if classes is None and isinstance(machine, KernelRidgeClassifier):
        classes = "auto"
    if isinstance(classes, str):
        if classes != "auto":
            raise ValueError(f"classes: found {classes!r}, expected auto or the classes")
        found = dask.compute(*[dask.delayed(np.unique, pure=False)(t) for t in targets])
        classes = np.unique(np.concatenate(found))
    parts_of = list(zip(rows, targets, weights))
    first = dask.delayed(_survey, pure=False)
    spec = _merged([first(x, t, w, k, classes, machine.random_state) for k, (x, t, w) in enumerate(parts_of)])
    second = dask.delayed(parts.accumulate, pure=False)

    def sum_of(k, chosen):
        x, t, w = parts_of[k]
        return second(x, t, k, chosen, machine=machine, classes=classes, sample_weight=w)

    plan = sum_of(0, spec)  # length scales and features are searched once; the other parts take those of its map
    sums = [plan, *(sum_of(k, plan) for k in range(1, len(parts_of)))]
    alphas = machine.alpha if machine.alpha is None else numbers_of("alpha", machine.alpha)
    total_weight = None
    if alphas is not None and sample_weight is not None:
        total_weight = sum(dask.compute(*[dask.delayed(np.sum, pure=False)(w) for w in weights]))
    return parts.solve(_merged(sums).compute(), alpha=alphas, classes=classes, total_weight=total_weight)


def _beside(collection, name, rows):
    """Its partitions, as many as there are of rows."""
    found = _partitions(collection, name)
    if len(found) != len(rows):
        raise ValueError(f"{name}: found {len(found)} partitions, expected the {len(rows)} of X")
    return found


def _mapped(call, X, one):
    """call(partition) of each partition, lazily; one: whether it gives one number a row."""
    if isinstance(X, da.Array):
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        sample = call(np.zeros((1, X.shape[1]), dtype=X.dtype))
        if one:
            return X.map_blocks(call, drop_axis=1, dtype=sample.dtype)
        return X.map_blocks(call, chunks=(X.chunks[0], (sample.shape[1],)), dtype=sample.dtype)
    arrays = [dask.delayed(call, pure=True)(x) for x in _partitions(X, "X")]
    sample = call(np.zeros((1, len(X.columns))))
    blocks = [da.from_delayed(a, (np.nan, *sample.shape[1:]), sample.dtype) for a in arrays]
    return da.concatenate(blocks)


def predict(machine, X):
    """The fitted machine's answers for a collection, as a lazy Dask array."""
    return _mapped(machine.predict, X, getattr(machine, "_one_target", True))


def transform(machine, X):
    """The fitted transformer's coordinates for a collection, as a lazy Dask array."""
    return _mapped(machine.transform, X, False)
