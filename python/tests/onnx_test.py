# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""onnxruntime against our own answers, on five data sets and every kind of map."""

import os
import pathlib

import bochner
import numpy as np
import pytest
from sklearn import datasets
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")

from bochner.onnx import MISSING, Unsupported, to_onnx  # noqa: E402

DATA = pathlib.Path(os.environ.get("BOCHNER_TEST_DATA", pathlib.Path(__file__).parents[2] / "data"))
TOLERANCE = 1e-5  # relative to the largest answer, in float32


def session(proto):
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(proto.SerializeToString(), options, providers=["CPUExecutionProvider"])


def answers(estimator, X):
    made = session(to_onnx(estimator))
    entry = made.get_inputs()[0]
    found = made.run(None, {entry.name: X.astype(np.float32 if entry.type == "tensor(float)" else np.float64)})
    return dict(zip([output.name for output in made.get_outputs()], found))


def assert_near(found, expected, tolerance=TOLERANCE):
    found, expected = np.asarray(found, float).squeeze(), np.asarray(expected, float).squeeze()
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= tolerance * max(1, np.abs(expected).max())


def sure(scores):
    """Rows whose two best classes do not tie: rounding decides between those that do."""
    gap = np.abs(scores) if scores.ndim == 1 else np.diff(np.sort(scores, axis=1)[:, -2:], axis=1)[:, 0]
    return gap > 1e-4 * np.abs(scores).max()


def rows(count=400, inputs=5):
    draws = np.random.default_rng(0)
    X = draws.normal(size=(count, inputs)).astype(np.float32)
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]


def sets():
    import gzip

    with gzip.open(DATA / "digits.csv.gz", "rt") as file:
        digits = np.genfromtxt(file, delimiter=",", skip_header=1)
    return {
        "diabetes": datasets.load_diabetes(return_X_y=True),
        "breast cancer": datasets.load_breast_cancer(return_X_y=True),
        "wine": datasets.load_wine(return_X_y=True),
        "iris": datasets.load_iris(return_X_y=True),
        "cpu": np.hsplit(np.genfromtxt(DATA / "cpu-small.csv", delimiter=",", skip_header=1), [21]),
        "digits": (digits[:600, :-1], digits[:600, -1]),
    }


SETS = ["diabetes", "breast cancer", "wine", "iris", "cpu", "digits"]
MAPS = [dict(n_components=128), dict(map="binning", n_components=50), dict(map="nystroem", n_components=50),
        dict(map="nystroem", kernel="matern:nu=1.5", n_components=50)]


def few(name):
    """A set as floats: 300 rows where there are more, so that this stays quick."""
    X, y = sets()[name]
    return X[:300].astype(np.float32), np.ravel(y)[:300]


def test_targets_far_from_zero_are_answered_in_double():
    X, y = rows()
    for estimator in (bochner.KernelRidge(n_components=64), bochner.KernelRegressor(effort="fast")):
        found = answers(estimator.fit(X, 1e9 + y), X)["values"]
        assert found.dtype == np.float64
        assert_near(found.squeeze() - 1e9, estimator.predict(X) - 1e9)


def assert_same_classes(machine, X):
    found, scores = answers(machine, X), machine.decision_function(X)
    assert_near(found["scores"], scores)
    assert (found["label"] == machine.predict(X))[sure(scores)].all()
    if hasattr(machine, "predict_proba"):
        assert_near(found["probabilities"], machine.predict_proba(X))


@pytest.mark.parametrize("name", SETS)
def test_machines_on_data_sets(name):
    X, y = few(name)
    if name in ("diabetes", "cpu"):
        machines = [bochner.KernelRegressor("fast"), bochner.KernelSVR(n_components=128)]
        for machine in machines + [bochner.KernelRidge(**words) for words in MAPS]:
            assert_near(answers(machine.fit(X, y), X)["values"], machine.predict(X))
        return
    machines = [bochner.KernelClassifier("fast"), bochner.KernelLogistic(n_components=128),
                bochner.KernelLDA(n_map_features=64), bochner.KernelRidgeClassifier(n_components=128)]
    for machine in machines + [bochner.KernelSVC(**words) for words in MAPS]:
        assert_same_classes(machine.fit(X, y.astype(int)), X)


@pytest.mark.parametrize("name", SETS)
def test_features_and_clusters_on_data_sets(name):
    X, _ = few(name)
    for estimator in (bochner.FourierFeatures(64), bochner.NystroemFeatures(30), bochner.BinningFeatures(20),
                      bochner.RandomProjection(3), bochner.RandomizedSVD(3), bochner.KernelPCA(3, n_map_features=64)):
        Z = estimator.fit_transform(X)
        assert_near(answers(estimator, X)["features"], Z.toarray() if hasattr(Z, "toarray") else Z)
    for estimator in (bochner.GroupEmbedding(30).fit(X), bochner.KernelCCA(1, n_map_features=64).fit(X, X[:, :2])):
        assert_near(answers(estimator, X)["features"], estimator.transform(X))
    clusters = bochner.KernelKMeans(3, n_map_features=64).fit(X)
    assert_near(answers(clusters, X)["distances"], clusters.transform(X))
    mixture = bochner.GaussianMixture(2, covariance_type="diag").fit(X)
    found = answers(mixture, X)
    assert_near(found["probabilities"], mixture.predict_proba(X))
    assert_near(found["log_density"], mixture.score_samples(X))


def test_landmarks_keep_the_bits_of_the_library():
    """Where rounding is enlarged nothing but the library's own order of sums gives its answers."""
    X, y = few("diabetes")
    for kernel in ("gaussian", "laplacian", "laplacian2", "cauchy", "matern:nu=2.5", "rational-quadratic:alpha=2"):
        machine = bochner.KernelRidge(map="nystroem", kernel=kernel, n_components=60).fit(X, y)
        assert np.array_equal(answers(machine, X)["values"][:, 0], machine.predict(X).astype(np.float32))
        plain = session(to_onnx(machine, exact=False)).run(None, {"X": X})[0]
        assert_near(plain, machine.predict(X), 0.02)
    # More outputs than partial sums, and more features than one depth of them.
    targets = np.column_stack([np.roll(y, k) for k in range(17)])
    machine = bochner.KernelRidge(1.0, map="nystroem", n_components=150).fit(X, targets)
    assert_near(answers(machine, X)["values"], machine.predict(X), 1e-7)
    machine = bochner.KernelRidge(1.0, map="nystroem+fourier", n_components=600).fit(X, y)
    expected = machine.predict(X)
    last_place = np.spacing(np.float32(np.abs(expected).max()))  # less than 1e-7 apart would be no difference at all
    assert np.abs(answers(machine, X)["values"][:, 0] - expected).max() <= last_place  # cosines are the runtime's own


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("map, kernel, scale", [
    ("fourier", "laplacian", "quantile"), ("fourier:draw=orthogonal", "gaussian", "log"),
    ("fourier:draw=structured", "matern:nu=1.5", "minmax"), ("fourier:draw=quasi,form=shifted", "gaussian", None),
    ("nystroem", "laplacian", None), ("nystroem", "cauchy", None), ("nystroem", "matern:nu=2.5", None),
    ("nystroem", "rational-quadratic:alpha=2", None), ("none", "gaussian", "standardize"),
    ("binning:order=1-2", "laplacian", None), ("fourier+binning", "gaussian", None),
])
def test_maps(map, kernel, scale, precision):
    X, y = rows()
    X[:, 3] = np.round(X[:, 3])  # quantiles with ties
    machine = bochner.KernelRidge(
        1.0, map=map, kernel=kernel, scale=scale, n_components=40, precision=precision, bandwidth=None)
    machine.fit(X, np.column_stack([y, y**2]))
    new = np.vstack([X, 3 * X[:20]])  # some are beyond the training's ranges
    assert_near(answers(machine, new)["values"], machine.predict(new))


@pytest.mark.parametrize("estimator", [
    bochner.FourierFeatures(64), bochner.NystroemFeatures(30), bochner.BinningFeatures(20),
    bochner.BinningFeatures(20, law="log-uniform", order=2), bochner.RandomProjection(3),
    bochner.RandomProjection(3, kind="srht"), bochner.RandomizedSVD(3, center=True),
    bochner.KernelPCA(3, n_map_features=64),
], ids=lambda e: str(e)[:40])
def test_transformers(estimator):
    for X in (rows()[0], rows()[0].astype(float)):
        Z = estimator.fit_transform(X)
        assert_near(answers(estimator, X)["features"], Z.toarray() if hasattr(Z, "toarray") else Z)


@pytest.mark.parametrize("covariance", ["full", "diag", "tied", "spherical", "lowrank:2"])
def test_mixtures(covariance):
    X, _ = rows()
    mixture = bochner.GaussianMixture(3, covariance_type=covariance).fit(X)
    found = answers(mixture, X)
    assert_near(found["probabilities"], mixture.predict_proba(X))
    assert_near(found["log_density"], mixture.score_samples(X))
    assert (found["label"] == mixture.predict(X)).all()


def test_clusters_discriminants_and_calibrated_classes():
    X, y = rows(1200)
    clusters = bochner.KernelKMeans(3, n_map_features=64).fit(X)
    found = answers(clusters, X)
    assert_near(found["distances"], clusters.transform(X))
    classes = np.array(["low", "middle", "high"])[np.digitize(y, [-0.5, 0.5])]
    for machine in (bochner.KernelLDA(n_map_features=64), bochner.KernelSVC(n_components=64, calibrate=True)):
        found = answers(machine.fit(X, classes), X)
        scores = machine.decision_function(X)
        assert_near(found["scores"], scores)
        assert sure(scores).mean() > 0.9
        assert (found["label"] == machine.predict(X))[sure(scores)].all()
        if hasattr(machine, "predict_proba"):
            assert_near(found["probabilities"][sure(scores)], machine.predict_proba(X)[sure(scores)])


def test_the_automatic_machine_with_text_columns():
    pandas = pytest.importorskip("pandas")
    people = pandas.read_csv(DATA / "adult-small.csv")
    X, y = people.drop(columns="income"), people["income"]
    machine = bochner.KernelClassifier(effort="fast").fit(X, y)
    X = X.head(300).copy()
    X.loc[: len(MISSING) - 1, "workclass"] = MISSING
    X.loc[30, "workclass"] = "never seen"
    made = session(to_onnx(machine))
    feed = {}
    for entry in made.get_inputs():
        text = entry.type == "tensor(string)"
        feed[entry.name] = X[[entry.name]].to_numpy(object if text else np.float32)
    found = dict(zip([output.name for output in made.get_outputs()], made.run(None, feed)))
    X.loc[: len(MISSING) - 1, "workclass"] = MISSING
    assert_near(found["scores"], machine.decision_function(X))
    assert_near(found["probabilities"], machine.predict_proba(X))
    assert (found["label"] == machine.predict(X)).all()


@pytest.mark.parametrize("text", [False, True])
def test_missing_numbers_are_marked(text):
    pandas = pytest.importorskip("pandas")
    X, _ = rows()
    vip = X[:, 3] > 0.3
    table = pandas.DataFrame({"a": X[:, 0], "vip": np.where(vip, 1.0, np.nan), "b": X[:, 1]})
    table.loc[X[:, 2] > 1, "b"] = np.nan
    if text:
        table["city"] = np.where(X[:, 4] > 0, "Bern", "Rome")
    machine = bochner.KernelRidge(n_components=64).fit(table, X[:, 0] + 4 * vip + (X[:, 2] > 1))
    made = session(to_onnx(machine))
    if text:
        feed = {name: table[[name]].to_numpy(object if name == "city" else np.float32) for name in table}
    else:
        feed = {"X": table.to_numpy(np.float32)}
    assert_near(made.run(["values"], feed)[0], machine.predict(table))


def test_dates_of_the_automatic_machine():
    """A date is given in days since 1970; its weekday and season are found in the graph."""
    pandas = pytest.importorskip("pandas")
    X, _ = rows(600)
    days = np.random.default_rng(2).integers(18600, 19700, 600)
    table = pandas.DataFrame({"when": np.datetime64("1970-01-01") + days.astype("timedelta64[D]"), "a": X[:, 0]})
    weekend = np.isin((days + 3) % 7, (5, 6))  # day 0 was a Thursday
    y = 3 * weekend + 2 * np.cos(2 * np.pi * days / 365.25) + X[:, 0]
    machine = bochner.KernelRegressor(effort="fast").fit(table, y)
    assert machine.score(table, y) > 0.95
    made = session(to_onnx(machine))
    wide = made.get_inputs()[0].type == "tensor(double)"
    later = np.concatenate([days, days[:50] + 3000])  # also beyond the dates learnt from
    feed = np.column_stack([later, np.resize(X[:, 0], len(later))]).astype(np.float64 if wide else np.float32)
    new = pandas.DataFrame({"when": np.datetime64("1970-01-01") + later.astype("timedelta64[D]"), "a": feed[:, 1]})
    assert_near(made.run(["values"], {"X": feed})[0], machine.predict(new))


def test_machines_of_leaves(tmp_path):
    """Such machines need many rows to be chosen; this one is written by hand, in the documented format."""
    import json
    import struct

    X, y = rows(300, 3)
    machine = bochner.KernelRidge(1.0, map="none", n_components=None, scale="none").fit(X, y)
    machine.save(tmp_path / "linear.model")
    content = (tmp_path / "linear.model").read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    tree = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["bochner"])
    tree["head"] = {"type": "leaf_machines", "exponent": 1.3, "trees": 2}
    tree["maps"] = 0
    draws = np.random.default_rng(1)
    arrays = {"points": X[:60].astype("<f4")}
    for t, children in enumerate(([[1, -1], [-2, -3]], [[-1, 1], [-2, 2], [-3, -4]])):
        nodes = len(children)
        sizes = np.full(nodes + 1, 60 // (nodes + 1))
        arrays |= {
            f"tree{t}.directions": draws.normal(size=(nodes, 3)), f"tree{t}.thresholds": 0.3 * draws.normal(size=nodes),
            f"tree{t}.children": np.array(children, "<i8"), f"tree{t}.sizes": sizes.astype("<u8"),
            f"tree{t}.members": draws.permutation(60).astype("<u4"),
            f"tree{t}.coefficients": draws.normal(size=(60, 1))}
    header, data = {"__metadata__": {"bochner": json.dumps(tree), "format_version": "1"}}, b""
    names = {"f4": "F32", "f8": "F64", "u4": "U32", "u8": "U64", "i8": "I64"}
    for name, values in sorted(arrays.items(), key=lambda item: -item[1].itemsize):
        begin = len(data)
        data += values.tobytes()
        header[f"head.{name}"] = {"dtype": names[values.dtype.str[1:]], "shape": list(values.shape),
                                  "data_offsets": [begin, len(data)]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (tmp_path / "leaves.model").write_bytes(struct.pack("<Q", len(text)) + text + data)
    leaves = bochner.load(tmp_path / "leaves.model")
    assert np.ptp(leaves.predict(X)) > 1
    assert_near(answers(leaves, X)["values"], leaves.predict(X))


def test_pipelines_of_skl2onnx():
    skl2onnx = pytest.importorskip("skl2onnx")
    from bochner.compat import Nystroem, RBFSampler
    from bochner.onnx import register

    register()
    X, y = rows()
    opset = {"": 18, "ai.onnx.ml": 3}
    for step in (RBFSampler(n_components=50, random_state=0), Nystroem(n_components=50, random_state=0)):
        machine = make_pipeline(StandardScaler(), step, LogisticRegression()).fit(X, y > 0)
        proto = skl2onnx.to_onnx(machine, X[:1], options={"zipmap": False}, target_opset=opset)
        label, probabilities = session(proto).run(None, {"X": X})
        assert_near(probabilities, machine.predict_proba(X), 2e-5)  # scikit-learn's own steps are in it
    machine = make_pipeline(StandardScaler(), bochner.KernelLogistic(n_components=50)).fit(X, y > 0)
    proto = skl2onnx.to_onnx(machine, X[:1], options={"zipmap": False}, target_opset=opset)
    assert_near(session(proto).run(None, {"X": X})[1], machine.predict_proba(X), 2e-5)
    for machine in (make_pipeline(StandardScaler(), bochner.KernelRidge(n_components=50)),
                    make_pipeline(bochner.KernelRidge(map="nystroem", n_components=50)),
                    make_pipeline(bochner.KernelRegressor("fast"))):
        proto = skl2onnx.to_onnx(machine.fit(X, y), X[:1], target_opset=opset)
        assert_near(session(proto).run(None, {"X": X})[0], machine.predict(X))


def test_machines_with_deviations_give_their_values_alone():
    X, y = rows()
    for machine in (bochner.KernelRidge(n_components=50, deviation=True).fit(X, y),
                    bochner.KernelRegressor("fast", deviation=True).fit(X, y)):
        assert machine.predict(X, return_std=True)[1].min() > 0
        found = answers(machine, X)
        assert list(found) == ["values"]
        assert_near(found["values"], machine.predict(X))


def test_what_has_no_operators_is_refused_in_one_line():
    X, y = rows(60)
    for estimator in (bochner.NearestNeighbors().fit(X), bochner.HMMClassifier().fit(X, y > 0),
                      bochner.KernelRidge(map="nystroem", kernel="matern:nu=3.5", n_components=20).fit(X, y),
                      bochner.KernelRidge()):
        with pytest.raises(Unsupported, match="^onnx: [^\n]+$"):
            to_onnx(estimator)
