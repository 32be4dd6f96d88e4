# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Several labels of a row, fits that begin where the last one ended, and the precision of rows."""

import bochner
import numpy as np
import pandas as pd
import pytest
from bochner import _core
from scipy import sparse
from sklearn.metrics import f1_score, r2_score
from sklearn.model_selection import GridSearchCV

CLASSIFIERS = [
    bochner.KernelRidgeClassifier(n_components=32, bandwidth="median", calibrate=True),
    bochner.KernelSVC(1.0, n_components=32, bandwidth="median"),
    bochner.KernelLogistic(1.0, n_components=32, bandwidth="median"),
    bochner.KNeighborsClassifier(3),
    bochner.KernelClassifier("fast"),
]


def rows(count=150):
    X = np.random.default_rng(5).normal(size=(count, 3))
    return X, np.column_stack([X[:, 0] > 0, X[:, 1] + X[:, 2] > 0.3, X[:, 0] * X[:, 1] > 0]).astype(int)


@pytest.mark.parametrize("machine", CLASSIFIERS, ids=lambda one: type(one).__name__)
def test_each_label_is_answered_as_by_a_machine_of_its_own(machine):
    X, Y = rows()
    many = type(machine)(**machine.get_params()).fit(X[:100], Y[:100])
    found = many.predict(X[100:])
    assert found.shape == (50, 3) and found.dtype == Y.dtype
    shares = many.predict_proba(X[100:]) if hasattr(many, "predict_proba") else None
    for k in range(3):
        one = type(machine)(**machine.get_params()).fit(X[:100], Y[:100, k])
        np.testing.assert_array_equal(found[:, k], one.predict(X[100:]))
        if shares is not None:
            of_label = shares[k][:, 1] if isinstance(shares, list) else shares[:, k]
            np.testing.assert_array_equal(of_label, one.predict_proba(X[100:])[:, 1])
    assert f1_score(Y[100:], found, average="micro") > 0.75


@pytest.mark.parametrize("of", [list, sparse.csr_matrix, pd.DataFrame, lambda Y: Y.astype(float)])
def test_labels_may_come_in_any_form(of):
    X, Y = rows()
    machine = bochner.KernelRidgeClassifier(n_components=32, bandwidth="median")
    expected = machine.fit(X, Y).predict(X)
    labels = of(Y.tolist()) if of is list else of(Y)
    np.testing.assert_array_equal(machine.fit(X, labels).predict(X), expected)


def test_a_label_that_all_rows_have_or_none_is_answered_so():
    X, Y = rows()
    Y = np.column_stack([Y, np.zeros(len(Y), int), np.ones(len(Y), int)])
    machine = bochner.KernelLogistic(1.0, n_components=32, bandwidth="median").fit(X, Y)
    np.testing.assert_array_equal(machine.predict(X)[:, 3:], Y[:, 3:])
    np.testing.assert_array_equal(machine.predict_proba(X)[:, 3:], Y[:, 3:])
    np.testing.assert_array_equal(np.sign(machine.decision_function(X)[:, 3:]), 2 * Y[:, 3:] - 1)
    with pytest.raises(ValueError, match="found no label that some rows have"):
        machine.fit(X, Y[:, 3:])


def test_labels_of_tables_searches_and_later_fits():
    X, Y = rows()
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": np.where(X[:, 2] > 0, "high", "low")})
    search = GridSearchCV(bochner.KernelRidgeClassifier(n_components=32, bandwidth="median"), {"alpha": [0.01, 1.0]}, cv=3)
    best = search.fit(table, Y).best_estimator_
    assert list(best.feature_names_in_) == ["a", "b", "c"] and len(best.report_) == 3
    assert best.feature_importances_.shape == (3,) and search.best_score_ > 0.4
    for refused in (lambda: best.save("labels.model"), lambda: best.explain(table)):
        with pytest.raises(ValueError, match="estimators_"):
            refused()
    assert best.fit(X, Y[:, 0]).predict(X).shape == (len(X),) and not hasattr(best, "estimators_")


def test_a_first_part_after_labels_forgets_them():
    X, Y = rows()
    machine = bochner.KernelRidgeClassifier(n_components=16, bandwidth=1.0).fit(X, Y)
    machine.partial_fit(X, Y[:, 0], classes=[0, 1])
    assert not hasattr(machine, "estimators_") and machine.predict(X).shape == (len(X),)


def test_quantiles_are_scored_by_the_one_nearest_the_median():
    X, _ = rows()
    y = X[:, 0]
    machine = bochner.KernelQuantile(n_components=32, bandwidth=2.0, quantile=[0.1, 0.4, 0.95], C=1.0).fit(X, y)
    assert machine.score(X, y) == r2_score(y, machine.predict(X)[:, 1])
    for wrong in ([], None):
        with pytest.raises(ValueError, match="quantile: found"):
            bochner.KernelQuantile(quantile=wrong).fit(X, y)
    with pytest.raises(ValueError, match="power: found None"):
        bochner.KernelGLM(family="tweedie", power=None).fit(X, y ** 2)


def test_other_targets_of_several_columns_are_refused():
    X, Y = rows()
    for strange in (Y + 1, Y * [1, 2, 3]):
        with pytest.raises(ValueError):
            bochner.KernelRidgeClassifier().fit(X, strange)


def test_a_warm_mixture_begins_where_the_last_one_ended():
    draws = np.random.default_rng(1)
    X = np.concatenate([draws.normal(-2, 1, (200, 2)), draws.normal(2, 1, (200, 2))])
    machine = bochner.GaussianMixture(2, tol=1e-9, warm_start=True, max_iter=3)
    scores = [machine.fit(X).score(X) for _ in range(6)]
    assert scores == sorted(scores) and scores[-1] > scores[0]
    assert machine.set_params(max_iter=200).fit(X).n_iter_ < bochner.GaussianMixture(2, tol=1e-9).fit(X).n_iter_
    assert machine.set_params(n_components=3).fit(X).weights_.shape == (3,)
    assert machine.fit(X[:, :1]).means_.shape == (3, 1)


@pytest.mark.parametrize("make", [bochner.RandomProjection, bochner.RandomizedSVD])
def test_precision_of_rows_is_that_asked_for(make):
    X = np.random.default_rng(2).normal(size=(60, 5))
    for given, of in ((X, None), (X.astype(np.float32), None), (X, "float"), (X.astype(np.float32), "double")):
        model = make(2, precision=of).fit(given).model_
        assert model.double_precision == (of == "double" or (of is None and given is X))
    with pytest.raises(ValueError, match="precision"):
        make(2, precision="half").fit(X)


def test_an_unknown_class_may_be_a_float():
    X, Y = rows()
    y = np.where(np.arange(len(X)) % 5 == 0, Y[:, 0], -1)
    one, other = (bochner.SemiSupervisedClassifier(n_map_features=32).fit(X, labels) for labels in (y, y.astype(float)))
    np.testing.assert_array_equal(other.classes_, [0.0, 1.0])
    np.testing.assert_array_equal(one.transduction_, other.transduction_)


def test_threads_and_precision_are_parameters_where_the_library_has_them():
    """Every estimator takes n_jobs; every one whose command has --precision takes that, but the automatic ones: for the
    command the word chooses another machine."""
    without = {"FourierFeatures", "NystroemFeatures", "BinningFeatures", "TextProjection", "NearestNeighbors", "KNNGraph",
               "MMDTest", "HSICTest", "ReducedSet", "MeanEmbedding", "KernelRegressor", "KernelClassifier"}
    estimators = {name: getattr(bochner, name) for name in dir(bochner) if isinstance(getattr(bochner, name), type)
                  and hasattr(getattr(bochner, name), "get_params")}
    for name, kind in estimators.items():
        parameters = kind().get_params()
        assert "n_jobs" in parameters, name
        assert ("precision" in parameters) == (name not in without), name
    assert hasattr(_core.MixtureOptions(), "start")
