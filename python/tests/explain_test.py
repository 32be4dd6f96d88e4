# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Explanations from Python: shapes, sums, and the value of every coalition."""

import itertools
import math

import bochner
import numpy as np
import pytest

draws = np.random.default_rng(0)
X = draws.normal(size=(400, 4))
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
CLASSES = (Y > 0.5).astype(int) + (Y > -0.5)


def of_all_coalitions(answer, background, row):
    """Shapley values by 2^d coalitions of whole background rows."""
    d = len(row)

    def worth(known):
        rows = background.copy()
        rows[:, list(known)] = row[list(known)]
        return answer(rows).mean()

    values = np.zeros(d)
    for j in range(d):
        others = [k for k in range(d) if k != j]
        for size in range(d):
            weight = math.factorial(size) * math.factorial(d - size - 1) / math.factorial(d)
            for known in itertools.combinations(others, size):
                values[j] += weight * (worth((*known, j)) - worth(known))
    return values


@pytest.mark.parametrize("map", ["fourier", "nystroem", "none"])
def test_values_are_those_of_all_coalitions(map):
    machine = bochner.KernelRidge(1e-3, n_components=None if map == "none" else 40, map=map, precision="double").fit(X, Y)
    found = machine.explain(X[:5], X[100:130], unknown="rows")
    for i in range(5):
        expected = of_all_coalitions(machine.predict, X[100:130], X[i])
        assert np.abs(found.values[i] - expected).max() < 1e-9
    assert found.bochner.errors is None


def test_one_score_has_two_axes_and_three_have_three():
    machine = bochner.KernelRidge(1e-3, n_components=64).fit(X, Y)
    found = machine.explain(X[:20], X)
    assert found.values.shape == (20, 4) and found.base_values.shape == (20,)
    assert np.allclose(found.values.sum(1) + found.base_values, machine.predict(X[:20]), atol=1e-4)
    assert np.array_equal(found.data, X[:20]) and len(found.feature_names) == 4
    machine = bochner.KernelLogistic(n_components=64).fit(X, CLASSES)
    found = machine.explain(X[:20], X, pairs=True)
    assert found.values.shape == (20, 4, 3) and found.base_values.shape == (20, 3)
    assert np.allclose(found.values.sum(1) + found.base_values, machine.decision_function(X[:20]), atol=1e-4)
    assert found.bochner.pairs.shape == (20, 4, 4, 3)
    assert np.allclose(found.bochner.pairs.sum(2), found.values, atol=1e-9)


def test_sampled_values_have_errors_and_add_up():
    machine = bochner.KNeighborsRegressor().fit(X, Y)
    found = machine.explain(X[:10], X, evaluations=200)
    assert found.bochner.errors.shape == (10, 4) and (found.bochner.errors > 0).any()
    assert np.allclose(found.values.sum(1) + found.base_values, found.bochner.scores, atol=1e-9)


def test_a_kept_background_is_used_and_travels(tmp_path):
    plain = bochner.KernelRidge(1e-3, n_components=64).fit(X, Y)
    machine = bochner.KernelRidge(1e-3, n_components=64, keep_background=True).fit(X, Y)
    assert np.array_equal(machine.predict(X), plain.predict(X))
    found = machine.explain(X[:20])
    assert np.allclose(found.values, plain.explain(X[:20], X).values, atol=1e-9)
    machine.save(tmp_path / "m")
    assert np.array_equal(bochner.load(tmp_path / "m").explain(X[:20]).values, found.values)
    assert bochner.KernelClassifier("fast", keep_background=True).fit(X, CLASSES).explain(X[:5]).values.shape == (5, 4, 3)
    with pytest.raises(ValueError, match="keep_background"):
        bochner.KernelRidge(keep_background=True, n_components=8).partial_fit(X, Y)
    with pytest.raises(ValueError, match="keep_background"):
        bochner.KernelRidge(keep_background=True, keep_sum=True, n_components=8).fit(X, Y)


def test_tables_keep_their_columns():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": X[:, 0], "city": np.where(X[:, 1] > 0, "Rome", "Oslo"), "b": X[:, 2]})
    machine = bochner.KernelRidge(1e-3, n_components=64).fit(table, Y)
    found = machine.explain(table[:7])
    assert list(found.feature_names) == ["a", "city", "b"] and found.values.shape == (7, 3)


def test_wrong_arguments_are_named():
    machine = bochner.KernelRidge(1e-3, n_components=16).fit(X, Y)
    for words, name in (({"unknown": "some"}, "unknown"), ({"evaluations": 0}, "evaluations"),
                        ({"background_rows": -1}, "background_rows")):
        with pytest.raises(ValueError, match=name):
            machine.explain(X[:2], X, **words)
    with pytest.raises(ValueError, match="batches"):
        machine.explain(iter([X]), X)
