# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What users of scikit-learn expect without having read our pages."""

import doctest
import importlib
import pickle

import bochner
import joblib
import numpy as np
import pytest
import sklearn.kernel_ridge
import sklearn.mixture
import sklearn.neighbors
from bochner import compat
from bochner._words import seed_of, threads_of
from sklearn.datasets import load_iris, make_classification, make_friedman1
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.model_selection import cross_val_score

X, Y = make_friedman1(400, 8, random_state=0)


@pytest.mark.parametrize("rows", [8, 20, 29, 31, 60, 119])
def test_probabilities_are_there_for_any_number_of_rows(rows):
    A, y = make_classification(rows, 4, n_informative=3, n_redundant=0, random_state=1)
    machine = bochner.KernelClassifier("fast")
    assert hasattr(machine, "predict_proba")
    sure = machine.fit(A, y).predict_proba(A)
    assert np.allclose(sure.sum(axis=1), 1) and np.all((sure > 0) & (sure < 1))
    assert np.array_equal(sure.argmax(axis=1), machine.predict(A))


def test_probabilities_of_iris_are_worth_something():
    A, y = load_iris(return_X_y=True)
    losses = -cross_val_score(bochner.KernelClassifier("fast"), A, y, scoring="neg_log_loss")
    assert losses.max() < 0.35
    assert cross_val_score(bochner.KernelSVC(C=1.0, calibrate=True), A, y, scoring="neg_log_loss").min() > -0.6
    assert hasattr(bochner.KernelSVC(calibrate=True), "predict_proba") and not hasattr(bochner.KernelSVC(), "predict_proba")


def test_intervals_of_few_rows():
    machine = bochner.KernelRidge(calibrate=True).fit(X[:60], Y[:60])
    lower, upper = machine.predict_interval(X[60:], 0.8).T
    assert 0.55 < np.mean((lower <= Y[60:]) & (Y[60:] <= upper)) < 0.98


@pytest.mark.parametrize("precision", ["float", "double"])
def test_weights_are_repetitions_of_many_rows(precision):
    twice = np.arange(500) < 250
    A = np.random.default_rng(3).normal(size=(500, 3)) * [1, 10, 100]
    A[:250, 1] += 15
    y = np.sin(A[:, 0]) + A[:, 1] / 10
    for words in (dict(bandwidth=1.0), dict(bandwidth="median"), dict(bandwidth="scale")):
        machine = bochner.KernelRidge(1.0, n_components=50, precision=precision, **words)
        weighted = machine.fit(A, y, np.where(twice, 2.0, 1.0)).predict(A)
        repeated = machine.fit(np.vstack([A, A[twice]]), np.append(y, y[twice])).predict(A)
        assert np.abs(weighted - repeated).max() < (1e-4 if words["bandwidth"] == 1.0 else 0.1)


def test_importances_tell_which_columns_count():
    machine = bochner.KernelRidge(n_components=200).fit(X, Y)
    found = machine.feature_importances_
    assert found.shape == (8,) and abs(found.sum() - 1) < 1e-12 and found[:5].min() > found[5:].max()
    assert np.array_equal(pickle.loads(pickle.dumps(machine)).feature_importances_, found)
    chosen = RFE(bochner.KernelRidge(n_components=100), n_features_to_select=5).fit(X, Y)
    assert list(np.flatnonzero(chosen.support_)) == [0, 1, 2, 3, 4]
    assert SelectFromModel(bochner.KernelRidge(n_components=100), max_features=3).fit(X, Y).transform(X).shape == (400, 3)
    with pytest.raises(AttributeError):
        bochner.KernelRidge().feature_importances_


def test_importances_of_columns_of_text():
    pandas = pytest.importorskip("pandas")
    draws = np.random.default_rng(0)
    frame = pandas.DataFrame({"noise": draws.normal(size=300), "word": draws.choice(list("abcd"), 300),
                              "gap": np.where(draws.random(300) < 0.3, np.nan, 1.0)})
    y = frame.word.map({"a": 0, "b": 1, "c": 5, "d": 2}) + 2.0 * frame.gap.isna()
    found = bochner.KernelRidge(n_components=64).fit(frame, y).feature_importances_
    assert np.argmax(found) == 1 and np.argmin(found) == 0


def test_jobs_are_counted_as_there():
    cores = joblib.cpu_count()
    assert threads_of(None) == 0 and threads_of(-1) == 0 and threads_of(3) == 3
    assert threads_of(-2) == max(1, cores - 1) and threads_of(-1000) == 1
    with joblib.parallel_config(n_jobs=2):
        assert threads_of(None) == 2
    for backend in ("loky", "threading"):
        inside = joblib.Parallel(n_jobs=cores + 1, backend=backend)(joblib.delayed(threads_of)(None) for _ in range(2))
        assert inside == [1, 1]
    for wrong in (0, 1.5, "all", True):
        with pytest.raises(ValueError, match="n_jobs"):
            bochner.KernelRidge(n_jobs=wrong).fit(X, Y)


def test_generators_are_random_states():
    assert seed_of(np.random.default_rng(5)) == seed_of(np.random.default_rng(5))
    generator = np.random.default_rng(5)
    assert seed_of(generator) != seed_of(generator)
    bochner.FourierFeatures(4, bandwidth=1.0, random_state=generator).fit(X)


def test_a_loaded_model_has_the_classes_as_they_were(tmp_path):
    for classes in ([0, 1], [-3, 40], ["no", "yes"], ["01", "1"]):
        y = np.asarray(classes)[(Y > 14).astype(int)]
        machine = bochner.KernelRidgeClassifier(n_components=64).fit(X, y)
        machine.save(tmp_path / "k.model")
        loaded = bochner.load(tmp_path / "k.model")
        assert loaded.classes_.dtype.kind == y.dtype.kind and loaded.score(X, y) == machine.score(X, y)


def test_targets_without_a_value_are_value_errors():
    names = np.where(Y > 14, "a", "b").astype(object)
    for y in (np.where(Y > 14, names, None), np.where(Y > 14, names, np.nan)):
        with pytest.raises(ValueError, match="y: .*NaN or None.*leave such rows out"):
            bochner.KernelRidgeClassifier().fit(X, y)
    with pytest.raises(ValueError, match="y: found classes of the types int, str"):
        bochner.KernelRidgeClassifier().fit(X, np.where(Y > 14, names, 1))
    with pytest.raises(ValueError, match="NaN"):
        bochner.KernelRidge().fit(X, np.where(Y > 14, Y, None))
    with pytest.raises(ValueError, match=r"found one class, 0\.0, expected"):
        bochner.KernelClassifier().fit(X, np.zeros(len(X)))


def test_samples_come_with_their_components():
    rows = np.vstack([X[:, :2], X[:, :2] + 20])
    mixture = bochner.GaussianMixture(2).fit(rows)
    drawn, components = mixture.sample(50)
    assert np.array_equal(mixture.predict(drawn), components) and set(components) == {0, 1}


def test_drop_ins_are_exact_unless_asked():
    many = np.random.default_rng(0).normal(size=(6000, 20))
    own, theirs = compat.NearestNeighbors(n_neighbors=10).fit(many), sklearn.neighbors.NearestNeighbors(n_neighbors=10).fit(many)
    assert np.array_equal(own.kneighbors(many[:300])[1], theirs.kneighbors(many[:300])[1])
    assert compat.uses(own) == "scikit-learn"
    rough = compat.NearestNeighbors(n_neighbors=10, recall=0.9).fit(many)
    assert compat.uses(rough) == "bochner"
    found, true = rough.kneighbors(many[:300])[1], own.kneighbors(many[:300])[1]
    assert np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found, true)]) > 0.8
    y = np.sin(X[:, 0])
    weights = np.random.default_rng(1).uniform(0.5, 2, len(y))
    for kernel, whose in (("linear", "bochner"), ("rbf", "scikit-learn"), ("laplacian", "scikit-learn")):
        for w in (None, weights):
            a = compat.KernelRidge(0.5, kernel=kernel).fit(X, y, w)
            b = sklearn.kernel_ridge.KernelRidge(alpha=0.5, kernel=kernel).fit(X, y, w)
            assert compat.uses(a) == whose and np.allclose(a.predict(X), b.predict(X), atol=1e-6)
            assert np.allclose(a.dual_coef_, b.dual_coef_, atol=1e-5) and np.array_equal(a.X_fit_, b.X_fit_)
    assert compat.uses(compat.KernelRidge(kernel="rbf", n_components=50).fit(X, y)) == "bochner"


def test_mixtures_take_rounds_and_floors_as_there():
    rows = np.vstack([X[:, :2], X[:, 2:4] + 3])
    with pytest.warns(Warning, match="converge"):
        assert compat.GaussianMixture(2, max_iter=1, random_state=0).fit(rows).n_iter_ == 1
    own = compat.GaussianMixture(2, reg_covar=0.1, random_state=0).fit(rows)
    theirs = sklearn.mixture.GaussianMixture(2, reg_covar=0.1, random_state=0).fit(rows)
    assert np.allclose(own.covariances_, theirs.covariances_) and compat.uses(own) == "scikit-learn"
    assert compat.uses(compat.GaussianMixture(2, random_state=0).fit(rows)) == "bochner"


def test_a_notebook_shows_score_and_choices():
    machine = bochner.KernelRidge(n_components=64)
    assert "What was chosen" not in machine._repr_html_()
    shown = machine.fit(X, Y)._repr_html_()
    assert machine.report_.score.split(",")[0] in shown and "bandwidth" in shown and "KernelRidge" in shown
    assert machine._repr_mimebundle_()["text/html"].count("<pre>") >= 1
    assert max(map(len, bochner.KernelRegressor("fast").fit(X, Y)._repr_html_().split("<summary>What")[-1].splitlines())) < 200


@pytest.mark.parametrize("name", ["_predictors", "_ridge", "compat._uses"])
def test_examples_of_docstrings_run(name):
    found = doctest.testmod(importlib.import_module(f"bochner.{name}"))
    assert found.attempted > 0 and found.failed == 0

