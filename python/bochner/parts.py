# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Machines from parts of the rows that never meet: on workers, one after another, or with parts added later.

Kernel ridge in two rounds: each part is surveyed, and the surveys are merged; with the merged survey each part is
accumulated, and the sums are merged and solved. A factor likewise: moments, then sketches. Sums are exact: any order
and any tree of merges gives the same bytes. They are pickled as their own files' bytes, and a lost part is summed again
by whoever has its rows.
"""

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from bochner import _core, _data, _files
from bochner._components import RandomizedSVD
from bochner._machines import weights_of
from bochner._predictors import KernelClassifier, KernelRegressor
from bochner._ridge import KernelRidge
from bochner._words import numbers_of, seed_of

__all__ = ["accumulate", "merge", "moments", "sketch", "solve", "survey"]


def _rows(X, y, classes, schema=None, sample_weight=None):
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name="X")
    y = np.asarray(y)
    if classes is not None:
        classes = np.asarray(classes)
        codes = np.searchsorted(classes, y)
        if (np.diff(classes.argsort()) != 1).any() or not np.array_equal(classes[codes.clip(0, len(classes) - 1)], y):
            raise ValueError("classes: expected all classes of all parts, sorted")
        y = codes
    if schema is None:
        targets = 1 if y.ndim == 1 else y.shape[1]
        schema = _data.schema_of(X.shape[1], None, targets, None, classes, sparse.issparse(X))
    return _data.rows_of(X, schema, y, None if sample_weight is None else weights_of(X, sample_weight))


def survey(X, y, part, *, classes=None, sample_weight=None, random_state=0, execution=None):
    """The first round: ranges, counts and a sample of the rows of a part.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,) or (n_samples, n_targets)
    part : int
        The number of the part, which no other has.
    classes : array, default=None
        All classes of all parts, sorted; None: y are numbers.
    sample_weight : array of shape (n_samples,), default=None
        Weights of rows.
    random_state : int, default=0
        The seed, the same for all parts.
    """
    return _core.survey_part(
        _rows(X, y, classes, None, sample_weight), _core.PartName(f"part {part}", part), seed_of(random_state),
        execution or _core.Execution())


def accumulate(X, y, part, spec, *, machine=None, classes=None, sample_weight=None):
    """The second round: the sums of least squares over a part.

    Parameters
    ----------
    X, y, part, classes, sample_weight : as in survey()
    spec : Sum
        The merged survey of all parts, or the sums of another part: its choices are then taken rather than made again.
    machine : KernelRidge or KernelRidgeClassifier, default=None
        Its map, kernel, bandwidth, n_components, scale, class_weight, precision and random_state; the same for all
        parts.
    """
    machine = KernelRidge() if machine is None else machine
    options = _core.TrainOptions()
    machine._set_machine(options, 1.0)
    machine._set_class_weights(options)
    options.ridge.lambdas = []
    options.seed = options.ridge.seed = seed_of(machine.random_state)
    rows = _rows(X, y, classes, spec.schema, sample_weight)
    return _core.sum_part(rows, spec, _core.PartName(f"part {part}", part), options)


def _factor_rows(X, schema=None):
    X = check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name="X")
    if schema is None:
        schema = _data.schema_of(X.shape[1], sparse_rows=sparse.issparse(X))
        schema.missing = _core.Missing.error
    return _data.rows_of(X, schema)


def moments(X, part, *, execution=None):
    """The first round of a factor: how many rows a part has, their means and sizes."""
    return _core.moments_part(_factor_rows(X), _core.PartName(f"part {part}", part), execution or _core.Execution())


def sketch(X, part, spec, *, factor=None):
    """The second round of a factor: the covariance or a sketch of a part.

    Parameters
    ----------
    X, part : as in moments()
    spec : FactorSum
        The merged moments of all parts.
    factor : RandomizedSVD, default=None
        Its n_components, center and random_state; the same for all parts.
    """
    factor = RandomizedSVD() if factor is None else factor
    return _core.sketch_part(_factor_rows(X, spec.schema), spec, _core.PartName(f"part {part}", part),
                             factor._options(spec.rows, spec.schema.inputs, True))


def merge(sums):
    """The sum of sums, of which none is changed: all of one kind and round."""
    sums = list(sums)
    if not sums:
        raise ValueError("sums: found none, expected at least one")
    total = _files._from_bytes(type(sums[0]).__name__, _files.to_bytes(sums[0]))
    for other in sums[1:]:
        total.merge(other)
    return total


def solve(total, *, alpha=None, classes=None, total_weight=None):
    """The machine of the merged sums: a regressor, a classifier of the classes, or a RandomizedSVD.

    Parameters
    ----------
    total : Sum or FactorSum
        Merged.
    alpha : float, array of floats or None, default=None
        The penalty as in KernelRidge. None: by generalized cross-validation.
    classes : array, default=None
        As in survey(), for a classifier.
    total_weight : float, default=None
        The sum of all rows' weights, where they have some and alpha is given.
    """
    if isinstance(total, _core.FactorSum):
        return RandomizedSVD._of_model(_core.solve_factor(total, _core.Execution()))
    weight = total.rows if total_weight is None else float(total_weight)
    lambdas = [value / weight for value in numbers_of("alpha", alpha)]
    model = _core.solve(total, lambdas, _core.Execution())
    if model.output_kind != "scores":
        return KernelRegressor._of_model(model)
    machine = KernelClassifier._of_model(model)
    if classes is not None:
        machine.classes_ = np.asarray(classes)
    return machine
