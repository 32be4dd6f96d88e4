# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Which columns a machine's answers hear, found on rows of its training that are kept for it."""

import numpy as np

from bochner import _tables

MOST_ROWS, MOST_CELLS = 200, 1 << 20


class Kept:
    """Some rows of the training, evenly over it, column by column."""

    def __init__(self, X):
        if _tables.is_arrow(X):
            X = _tables.arrow_table(X)
        rows = X.num_rows if hasattr(X, "num_rows") else len(X)
        if _tables.is_pandas(X) or _tables.is_polars(X) or hasattr(X, "num_rows"):
            width = X.num_columns if hasattr(X, "num_columns") else X.shape[1]
        else:
            width = np.shape(X)[1]
        most = max(2, min(MOST_ROWS, MOST_CELLS // max(1, width)))
        take = np.unique(np.linspace(0, rows - 1, min(rows, most)).round().astype(np.intp))
        if _tables.is_pandas(X):
            X = X.iloc[take]
        elif _tables.is_polars(X):
            X = X[take.tolist()]
        elif hasattr(X, "num_rows"):
            X = X.take(take)
        else:
            X = np.asarray(X)[take] if isinstance(X, np.ndarray) else [X[i] for i in take]
        self.columns, self.rows, self.named = _tables.columns_of(X), len(take), _tables.is_table(X)


def importances(machine, kept):
    """Shares of the squared change of the answers if the values of one column are shuffled."""
    def answers(columns):
        table = columns, kept.rows, kept.named
        return machine.model_.predict(_tables.new_rows(table, machine.model_.schema), machine._execution())

    expected = answers(kept.columns)
    spread = expected.std(axis=0)
    spread[spread == 0] = 1
    order = np.random.default_rng(0).permutation(kept.rows)
    found = np.empty(len(kept.columns))
    for j, column in enumerate(kept.columns):
        others = list(kept.columns)
        others[j] = _tables.shuffled(column, order)
        found[j] = np.mean(((answers(others) - expected) / spread) ** 2)
    return found / found.sum() if found.sum() > 0 else found
