# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Explanations of predictions: rows in, shap's Explanation out."""

import contextlib
import dataclasses
import os

import numpy as np
from sklearn.utils.validation import check_is_fitted

from bochner import _core, _data, _streams
from bochner._words import choice, count, seed_of


@dataclasses.dataclass
class Explanation:
    """What shap.Explanation holds, where shap is not installed."""

    values: np.ndarray
    base_values: np.ndarray
    data: object = None
    feature_names: list = None
    output_names: list = None


@dataclasses.dataclass
class Details:
    """What shap.Explanation has no place for."""

    scores: np.ndarray
    errors: np.ndarray  # standard errors of the values; None: they are exact
    pairs: np.ndarray  # (n_samples, n_columns, n_columns), as shap's interaction values; None: not asked for


@contextlib.contextmanager
def _opened(machine, X):
    """Rows of X for the machine's model while the context lasts."""
    schema = machine.model_.schema
    if _streams.is_stream(X):
        raise ValueError("X: found an iterator of batches, expected an array, a table or a path")
    if _data.is_path(X):
        reading = _core.RowsOptions()
        reading.target_required = False
        yield _core.open_rows(os.fspath(X), schema, reading)
    elif hasattr(X, "columns") and (_data.needs_reader(schema) or _data.is_mixed_table(X)):
        with _data.table_file(X) as path, _opened(machine, path) as rows:
            yield rows
    else:
        held, rows = machine._new_rows(X)  # held: what the rows look at
        yield rows
        del held


def explain_rows(machine, X, background, unknown, background_rows, evaluations, pairs, random_state):
    check_is_fitted(machine, "model_")
    options = _core.ExplainOptions()
    options.unknown = choice(_core.Unknown, "unknown", unknown)
    options.background_rows = 0 if background_rows is None else count("background_rows", background_rows)
    options.evaluations = 0 if evaluations is None else count("evaluations", evaluations)
    options.pairs = bool(pairs)
    options.seed = seed_of(random_state)
    kept = background is None and machine.model_.has_background
    against = contextlib.nullcontext() if kept else _opened(machine, X if background is None else background)
    with _opened(machine, X) as rows, against as held_against:
        found = _core.explain(machine.model_, rows, held_against, options, machine._execution())
    columns, outputs = len(found.columns), len(found.outputs)

    def shaped(array, *axes):
        """One axis for the outputs, behind the others; none if there is one output."""
        if array.shape[0] == 0 and found.scores.shape[0] > 0:
            return None
        return np.moveaxis(array.reshape(-1, outputs, *axes), 1, -1) if outputs > 1 else array.reshape(-1, *axes)

    values, base = shaped(found.values, columns), np.asarray(found.base)
    base = np.tile(base, (len(values), 1)) if outputs > 1 else np.full(len(values), base[0])
    names = list(found.columns)
    data = None if _data.is_path(X) else np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    outputs_named = list(found.outputs) if outputs > 1 else None
    try:
        import shap
        explanation = shap.Explanation(values, base, data, feature_names=names, output_names=outputs_named)
    except ImportError:
        explanation = Explanation(values, base, data, names, outputs_named)
    scores = found.scores if outputs > 1 else found.scores[:, 0]
    explanation.bochner = Details(scores, shaped(found.errors, columns), shaped(found.pairs, columns, columns))
    return explanation
