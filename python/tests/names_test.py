# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What the command has, by the names a user of scikit-learn would guess: against the command, scikit-learn and formulas."""

import pickle

import bochner
import numpy as np
import pytest
from bochner import compat
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.neighbors import KNeighborsRegressor

draws = np.random.default_rng(0)
X = draws.normal(size=(600, 4))
Y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * draws.normal(size=600)
CLASSES = np.array(["low", "middle", "high"])[np.digitize(Y, [0.3, 1.3])]


def test_neighbours_are_those_of_scikit_learn():
    ours = bochner.KNeighborsRegressor(7, weights="uniform", scale="none").fit(X, Y)
    theirs = KNeighborsRegressor(7).fit(X, Y)
    assert np.allclose(ours.predict(X[:100] + 0.01), theirs.predict(X[:100] + 0.01), atol=1e-5)
    chosen = bochner.KNeighborsRegressor().fit(X[:500], Y[:500])
    many = bochner.KNeighborsRegressor(100, weights="uniform").fit(X[:500], Y[:500])
    assert chosen.score(X[500:], Y[500:]) > many.score(X[500:], Y[500:]) + 0.1
    classifier = bochner.KNeighborsClassifier([1, 5, 9]).fit(X[:500], CLASSES[:500])
    assert classifier.score(X[500:], CLASSES[500:]) > 0.6
    assert np.allclose(classifier.predict_proba(X[500:]).sum(axis=1), 1, atol=1e-6)
    two = bochner.KNeighborsClassifier(5).fit(X, Y > 1)
    assert two.decision_function(X).ndim == 1
    with pytest.raises(ValueError, match="n_neighbors"):
        bochner.KNeighborsClassifier(0).fit(X, CLASSES)
    with pytest.raises(ValueError, match="weights.*uniform"):
        bochner.KNeighborsClassifier(weights="distance").fit(X, CLASSES)


def test_a_budget_goes_less_far():
    machine = bochner.KernelRegressor(budget="1s", n_jobs=1).fit(X, Y)
    assert machine.score(X, Y) > 0.8
    for wrong in ("soon", -1, "5 days", True):
        with pytest.raises(ValueError, match="budget.*30s"):
            bochner.KernelRegressor(budget=wrong).fit(X, Y)


def test_the_ridge_classifier_is_that_of_scikit_learn():
    """Both give the same classes where they are sure, without a map; with weights of rows and classes too."""
    weights = draws.uniform(0.5, 2, 600)
    for class_weight in (None, {True: 3.0}):
        words = dict(alpha=5.0, class_weight=class_weight)
        ours = bochner.KernelRidgeClassifier(map="none", scale="none", **words).fit(X, Y > 1, weights)
        theirs = RidgeClassifier(**words).fit(X, Y > 1, weights)
        scores = theirs.decision_function(X)
        assert np.corrcoef(ours.decision_function(X), scores)[0, 1] > 0.9999
        assert (ours.predict(X) == theirs.predict(X))[np.abs(scores) > 0.05].all()


def test_partial_fit_takes_weights_and_classes():
    weights = draws.uniform(0.5, 2, 600)
    words = dict(n_components=128, bandwidth=2.0, scale="none")
    machine = bochner.KernelRidge(1.0, **words)
    for cut in (slice(0, 300), slice(300, 600)):
        machine.partial_fit(X[cut], Y[cut], weights[cut])
    whole = bochner.KernelRidge(1.0, **words).fit(X, Y, weights)
    assert np.abs(machine.predict(X) - whole.predict(X)).max() < 0.02
    assert np.abs(machine.predict(X) - bochner.KernelRidge(1.0, **words).fit(X, Y).predict(X)).max() > 0.02
    with pytest.raises(ValueError, match="sample_weight.*at most"):
        machine.partial_fit(X[:10], Y[:10], np.full(10, 100.0))
    classifier = bochner.KernelRidgeClassifier(1.0, class_weight={"high": 2.0}, **words)
    first = CLASSES != "middle"
    classifier.partial_fit(X[first], CLASSES[first], classes=["low", "middle", "high"])
    classifier = pickle.loads(pickle.dumps(classifier)).partial_fit(X[~first], CLASSES[~first])
    whole = bochner.KernelRidgeClassifier(1.0, class_weight={"high": 2.0}, **words).fit(X, CLASSES)
    assert list(classifier.classes_) == ["high", "low", "middle"]
    assert (classifier.predict(X) == whole.predict(X)).mean() > 0.97
    with pytest.raises(ValueError, match="class .*strange"):
        classifier.partial_fit(X[:10], ["strange"] * 10)
    with pytest.raises(ValueError, match="balanced"):
        bochner.KernelRidgeClassifier(class_weight="balanced").partial_fit(X, CLASSES)
    assert classifier.set_params(class_weight=None).fit(X, Y > 1).classes_.dtype == bool  # begins anew


def test_huber_heeds_outliers_less():
    spoilt = Y.copy()
    spoilt[::20] += 50
    robust = bochner.KernelHuber(1.0, n_components=100).fit(X, spoilt)
    assert robust.score(X, Y) > bochner.KernelRidge(1.0, n_components=100).fit(X, spoilt).score(X, Y) + 0.1


def test_anomalies():
    far = np.vstack([X, draws.normal(size=(6, 4)) + 8])
    for method in ("embedding", "bins", "isolation", "mixture"):
        detector = bochner.AnomalyDetector(method, contamination=0.01, n_components=1).fit(far)
        assert (detector.predict(far[-6:]) == -1).all(), method
        assert (detector.predict(X) == 1).mean() > 0.98
        assert np.array_equal(detector.decision_function(far) < 0, detector.predict(far) == -1)


def test_canonical_correlations():
    other = np.column_stack([X[:, 0] ** 2 + 0.05 * draws.normal(size=600), draws.normal(size=600)])
    machine = bochner.KernelCCA(1, n_map_features=200).fit(X, other)
    assert machine.correlations_[0] > 0.9
    found = np.corrcoef(machine.transform(X)[:, 0], machine.transform_y(other)[:, 0])[0, 1]
    assert abs(found) == pytest.approx(machine.correlations_[0], abs=0.05)
    assert bochner.KernelCCA(1, map="none").fit(X, other).correlations_[0] < 0.5


def test_independence(tmp_path):
    found = bochner.independence(X, Y, permutations=200)
    assert found.p_value < 0.01 and found.exact
    assert [c.p_value < 0.05 for c in found.columns] == [True, True, False, False]
    assert bochner.independence(X[:, 2:], Y).p_value > 0.05
    assert bochner.independence(X, CLASSES, permutations=200).p_value < 0.01
    np.savetxt(tmp_path / "rows.csv", np.column_stack([X, Y]), delimiter=",", header="a,b,c,d,y", comments="")
    same = bochner.independence(tmp_path / "rows.csv", "y", permutations=200)
    assert same.p_value == found.p_value and same.statistic == pytest.approx(found.statistic, rel=1e-3)
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=list("abcd")).assign(color=CLASSES)
    test = bochner.HSICTest(permutations=100).fit(table, Y)
    assert test.p_value_ < 0.05
    assert {c["name"] for c in test.columns_ if c["p_value"] < 0.05} >= {"color"}


def test_means_merge_to_the_bit():
    words = dict(bandwidth=1.5, n_components=64)
    whole = bochner.MeanEmbedding(**words).fit(X)
    parts = [bochner.MeanEmbedding(**words).fit(X[cut]) for cut in (slice(0, 200), slice(200, 600))]
    assert np.array_equal(parts[1].merge(parts[0]).mean_, whole.mean_)
    assert np.array_equal(bochner.MeanEmbedding(**words).fit(X[:100]).partial_fit(X[100:]).mean_, whole.mean_)
    assert np.array_equal(pickle.loads(pickle.dumps(whole)).mean_, whole.mean_)
    assert whole.n_samples_seen_ == 600
    squares = ((X[:5, None] - X[None]) ** 2).sum(axis=2)
    exact = np.exp(-squares / (2 * 1.5**2)).mean(axis=1)
    many = bochner.MeanEmbedding(bandwidth=1.5, n_components=8192).fit(X)
    assert np.allclose(many.score_samples(X[:5]), exact, atol=0.05)
    other = bochner.MeanEmbedding(**words).fit(X + 1)
    assert whole.squared_mmd(other) > 0.05 > whole.squared_mmd(whole, unbiased=False) + 0.04
    assert np.array_equal(whole.merge(other).subtract(other).mean_, bochner.MeanEmbedding(**words).fit(X).mean_)


def test_distribution_regression():
    """The spread of a group, which no mean of its rows tells."""
    spreads = draws.uniform(0.5, 2, 80)
    groups = np.repeat([f"g{k:03}" for k in range(80)], 50)
    rows = draws.normal(size=(4000, 2)) * np.repeat(spreads, 50)[:, None]
    shuffled = draws.permutation(4000)
    embedding = bochner.GroupEmbedding(64).fit(rows)
    names, Z = embedding.group_means(rows[shuffled], groups[shuffled])
    assert names[3] == "g003" and Z.shape == (80, 64)
    assert np.allclose(Z[3], embedding.transform(rows[groups == "g003"]).mean(axis=0), atol=1e-6)
    assert np.array_equal(Z, embedding.transform(rows[shuffled], groups[shuffled]))
    ridge = bochner.KernelRidge(map="none").fit(Z[:60], spreads[:60])
    assert ridge.score(Z[60:], spreads[60:]) > 0.8
    plain = rows.reshape(80, 50, 2).mean(axis=1)
    assert Ridge().fit(plain[:60], spreads[:60]).score(plain[60:], spreads[60:]) < 0.3
    weights = (groups != "g003").astype(float)
    with pytest.raises(ValueError, match="g003"):
        embedding.group_means(rows, groups, weights)


def test_duplicates():
    rows = sparse.csr_array(sparse.random(200, 500, density=0.05, random_state=1, format="csr"))
    rows.data[:] = 1
    rows = sparse.vstack([rows, rows[:7]]).tocsr()
    found, similarities = bochner.find_duplicates(rows, threshold=0.9)
    assert sorted(map(tuple, found)) == [(200 + k, k) for k in range(7)] and (similarities == 1).all()
    table = 1e9 + np.random.default_rng(2).normal(size=(50, 3))  # rows that float could not tell apart
    assert len(bochner.find_duplicates(table)[0]) == 0
    found, similarities = bochner.find_duplicates(np.vstack([table, table[:7]]))
    assert sorted(map(tuple, found)) == [(50 + k, k) for k in range(7)] and (similarities == 1).all()
    with pytest.raises(ValueError, match="equality"):
        bochner.find_duplicates(table, threshold=0.9)


@pytest.mark.parametrize("precision", ["float", "double"])
def test_mixtures_have_the_units_of_their_rows(precision):
    """Also inputs that never vary, and those whose offset is taken off before they are rounded to float."""
    rows = np.column_stack([np.full(400, 3.3), 1e9 + np.random.default_rng(1).normal(size=400)])
    mixture = bochner.GaussianMixture(1, precision=precision).fit(rows)
    assert np.allclose(mixture.means_, rows.mean(axis=0), rtol=1e-7, atol=0.1)
    assert abs(mixture.means_[0, 1] - rows[:, 1].mean()) < 0.1
    drawn, components = mixture.sample(100)
    assert not components.any() and len(components) == 100
    assert np.allclose(drawn[:, 0], 3.3) and abs(drawn[:, 1].mean() - 1e9) < 1
    likelihood = bochner.GaussianMixture(1).fit(rows[:, 1:] - 1e9).score(rows[:, 1:] - 1e9)
    assert mixture.score(rows) > likelihood  # the density of an input that never varies is far above 1
    assert compat.GaussianMixture(1).fit(rows).score(rows) > likelihood


@pytest.mark.parametrize("precision", ["float", "double"])
def test_inertia_does_not_depend_on_where_zero_lies(precision):
    rows = np.random.default_rng(2).normal(size=(400, 3)) + 5 * (np.arange(400) % 2)[:, None]
    clusters = bochner.KernelKMeans(2, map="none", scale="none", precision=precision)
    inertia = clusters.fit(rows).inertia_
    for zero in (1e6, 1e9):
        assert clusters.fit(rows + zero).inertia_ == pytest.approx(inertia, rel=1e-6)


@pytest.mark.parametrize("zero, unit", [(1e9, 1), (1.7e9, 3600), (-1e12, 1)])
def test_regressors_do_not_depend_on_where_targets_have_their_zero(zero, unit):
    X = np.random.default_rng(3).normal(size=(300, 2))
    y = unit * (np.sin(2 * X[:, 0]) + X[:, 1])
    for machine in (bochner.KernelRidge(n_components=64), bochner.KernelRegressor(effort="fast"),
                    bochner.KernelSVR(n_components=64), bochner.KNeighborsRegressor(3)):
        near = machine.fit(X, y).score(X, y)
        assert machine.fit(X, zero + y).score(X, zero + y) == pytest.approx(near, abs=0.01), machine
    parts = bochner.KernelRidge(n_components=64, bandwidth=1.5)
    for half in (slice(0, 150), slice(150, 300)):
        parts.partial_fit(X[half], zero + y[half])
    assert parts.score(X, zero + y) > 0.95


def test_components_are_chosen_by_either_word():
    rows = np.concatenate([np.random.default_rng(k).normal(12 * k, 1, size=(80, 2)) for k in range(3)])
    for word in ("auto", None):
        assert len(bochner.GaussianMixture(word).fit(rows).weights_) == 3
    with pytest.raises(ValueError, match="n_components: found 'many'"):
        bochner.GaussianMixture("many").fit(rows)


def test_spill_makes_another_forest_that_finds_as_many(tmp_path):
    own = np.random.default_rng(2)
    rows = own.normal(size=(6000, 4)) @ own.normal(size=(4, 24))
    truth = bochner.NearestNeighbors(10, method="exact").fit(rows).kneighbors(rows[:200], return_distance=False)
    files = []
    for spill in (0, 0.1):
        index = bochner.NearestNeighbors(10, method="forest", spill=spill).fit(rows)
        found = index.kneighbors(rows[:200], return_distance=False)
        assert index.index_.method == "forest"
        assert np.mean([len(set(a) & set(b)) / 10 for a, b in zip(found, truth)]) > 0.9
        index.save(tmp_path / "index")
        files.append((tmp_path / "index").read_bytes())
    assert files[0] != files[1]
    with pytest.raises(ValueError, match="spill: found 0.5"):
        bochner.NearestNeighbors(spill=0.5).fit(rows)
    with pytest.raises(ValueError, match="spill: is for the method forest"):
        bochner.NearestNeighbors(spill=0.1, method="exact").fit(rows)


def test_weights_reach_what_takes_them():
    """Rows of weight 0 are no rows: of mixtures, components and anomalies."""
    spoilt = np.vstack([X, draws.normal(size=(300, 4)) + 20])
    weights = np.concatenate([np.ones(600), np.zeros(300)])
    mixture = bochner.GaussianMixture(1).fit(spoilt, sample_weight=weights)
    assert np.allclose(mixture.means_, X.mean(axis=0), atol=0.02)
    for estimator in (bochner.KernelPCA(2, map="none", scale="none"), bochner.AnomalyDetector()):
        weighted, plain = clone(estimator).fit(spoilt, sample_weight=weights), clone(estimator).fit(spoilt)
        if hasattr(weighted, "predict"):
            assert (weighted.predict(spoilt[600:]) == -1).mean() > 0.9
            assert (plain.predict(spoilt[600:]) == -1).mean() < 0.5
        else:
            assert weighted.explained_variance_[0] < 2 < plain.explained_variance_[0]


def test_kernel_components_lead_back_if_they_learnt_it():
    turn = np.linspace(0, 3, 400)[:, None]
    curve = np.hstack([np.cos(turn), np.sin(turn), turn]) + draws.normal(size=(400, 3)) * 0.02
    machine = bochner.KernelPCA(3, n_map_features=256, random_state=0)
    with pytest.raises(AttributeError, match="inverse_transform"):
        machine.fit(curve).inverse_transform(machine.transform(curve))
    machine.set_params(fit_inverse_transform=True).fit(curve[::2])
    back = machine.inverse_transform(machine.transform(curve[1::2]))
    assert back.shape == (200, 3) and np.sqrt(np.mean((back - curve[1::2]) ** 2)) < 0.05
    plain = bochner.KernelPCA(3, map="none").fit(curve)
    assert np.allclose(plain.inverse_transform(plain.transform(curve)), curve, atol=1e-8)


def test_metadata_is_routed():
    """Weights through a pipeline and a search, with scikit-learn's routing."""
    import sklearn
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    weights = (X[:, 3] > 0).astype(float)
    spoilt = np.where(weights > 0, Y, -Y)
    with sklearn.config_context(enable_metadata_routing=True):
        machine = bochner.KernelRidge(n_components=64).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), machine)
        routed = pipeline.fit(X, spoilt, sample_weight=weights)
        assert routed.score(X[weights > 0], Y[weights > 0]) > 0.8
        search = GridSearchCV(machine.set_score_request(sample_weight=True), {"n_components": [32, 64]}, cv=2)
        assert search.fit(X, spoilt, sample_weight=weights).best_score_ > 0.5


def test_groups_are_not_held_out_in_part_and_times_judge_what_was_before(tmp_path):
    pandas = pytest.importorskip("pandas")
    patient = np.repeat(np.arange(40), 10)
    rows = np.column_stack([draws.normal(size=400), np.repeat(draws.normal(size=40), 10)])
    y = rows[:, 0] + np.repeat(draws.normal(size=40), 10)  # half of it is the patient's own

    def r2(X, y, **known):
        return bochner.KernelRegressor("fast").fit(X, y, **known).report_.figures["r2"]

    alone, grouped = r2(rows, y), r2(rows, y, groups=[f"p{k}" for k in patient])
    assert alone > 0.9 > 0.6 > grouped
    days = pandas.date_range("2020-01-01", periods=400)
    by_days = r2(rows, y, times=days)
    assert by_days == r2(rows, y, times=np.arange(400)) == r2(rows, y, times=[day.date() for day in days])
    table = pandas.DataFrame({"a": rows[:, 0], "b": rows[:, 1], "patient": patient, "day": days.astype(str), "y": y})
    table.to_csv(tmp_path / "rows.csv", index=False)
    machine = bochner.KernelRegressor("fast").fit(tmp_path / "rows.csv", "y", groups="patient")
    assert machine.report_.figures["r2"] < 0.6 and "patient" not in machine.feature_names_in_
    few = bochner.KernelClassifier("fast").fit(rows[:100], y[:100] > 0, groups=patient[:100])
    assert few.predict_proba(rows).shape == (400, 2)
    for wrong, match in (({"groups": patient[:10]}, "groups: found 10"), ({"groups": [None] * 400}, "groups: found None"),
                         ({"groups": patient[:, None]}, "groups: found an array of shape"),
                         ({"times": ["a"] * 400}, "times: found 'a'"), ({"times": np.full(400, np.nan)}, "times: found NaN"),
                         ({"times": np.zeros(400)}, "times: found the same"),
                         ({"groups": patient, "times": np.arange(400)}, "times: found groups too")):
        with pytest.raises(ValueError, match=match):
            r2(rows, y, **wrong)
    with pytest.raises(ValueError, match="groups: found values, expected the name of a column"):
        r2(tmp_path / "rows.csv", "y", groups=patient)


def test_bins_are_dense_if_asked():
    pandas = pytest.importorskip("pandas")
    bins = bochner.BinningFeatures(8).fit_transform(X)
    dense = bochner.BinningFeatures(8, sparse_output=False)
    assert sparse.issparse(bins) and np.array_equal(dense.fit_transform(X), bins.toarray())
    table = dense.set_output(transform="pandas").fit_transform(X)
    assert isinstance(table, pandas.DataFrame) and np.array_equal(table, bins.toarray())
