# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What the contract does not ask: the command's bytes, views instead of copies, errors, Ctrl-C."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import bochner
import numpy as np
import pytest
from scipy import sparse
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import Ridge

COMMAND = os.environ.get("BOCHNER_COMMAND")
needs_command = pytest.mark.skipif(not COMMAND, reason="no command here")


def problem(rows=500, inputs=4, classes=False, seed=0):
    draws = np.random.default_rng(seed)
    X = draws.normal(size=(rows, inputs))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * draws.normal(size=rows)
    return X, (y > 0).astype(int) if classes else y


def run(*words):
    done = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_csv(path, X, y, header=True):
    with open(path, "w") as file:
        if header:
            file.write(",".join([*(f"c{j}" for j in range(X.shape[1])), "y"]) + "\n")
        for row, target in zip(X, y):
            file.write(",".join([*(repr(float(v)) for v in row), repr(target.item())]) + "\n")


@needs_command
@pytest.mark.parametrize("machine, words", [
    (bochner.KernelRidge(n_components=64), ["--features", "64", "--task", "regression"]),
    (bochner.KernelSVC(C=2.0, n_components=64, kernel="laplacian"),
     ["--features", "64", "--learner", "svm", "--C", "2", "--kernel", "laplacian", "--task", "classification"]),
    (bochner.KernelLogistic(n_components=32, random_state=3),
     ["--features", "32", "--learner", "logistic", "--seed", "3", "--task", "classification"]),
])
def test_python_and_the_command_write_the_same_bytes(tmp_path, machine, words):
    X, y = problem(classes=words[-1] == "classification")
    write_csv(tmp_path / "rows.csv", X, y)
    run("train", tmp_path / "rows.csv", "--target", "y", *words, "-o", tmp_path / "command.model", "--quiet")
    expected = (tmp_path / "command.model").read_bytes()
    machine.fit(tmp_path / "rows.csv", "y").save(tmp_path / "python.model")
    assert (tmp_path / "python.model").read_bytes() == expected
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    answers = machine.predict(tmp_path / "rows.csv")
    machine.fit(table, pandas.Series(y, name="y")).save(tmp_path / "table.model")
    assert np.array_equal(machine.predict(table).astype(answers.dtype), answers)
    assert (tmp_path / "table.model").read_bytes() == expected


@needs_command
def test_an_array_gives_the_bytes_of_its_npy_file(tmp_path):
    X, y = problem()
    np.save(tmp_path / "rows.npy", np.column_stack([X, y]))
    run("train", tmp_path / "rows.npy", "--target", "-1", "--features", "50", "--task", "regression", "-o",
        tmp_path / "command.model", "--quiet")
    bochner.KernelRidge(n_components=50).fit(X, y).save(tmp_path / "python.model")
    assert (tmp_path / "python.model").read_bytes() == (tmp_path / "command.model").read_bytes()


@needs_command
def test_models_go_from_one_to_the_other(tmp_path):
    X, y = problem(classes=True)
    write_csv(tmp_path / "rows.csv", X, y)
    run("train", tmp_path / "rows.csv", "--target", "y", "--features", "64", "-o", tmp_path / "a.model", "--quiet")
    machine = bochner.load(tmp_path / "a.model")
    assert list(machine.classes_) == [0, 1] and machine.classes_.dtype.kind == "i"
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    answers = machine.predict(table)
    assert np.mean(answers == y) > 0.9
    assert np.array_equal(answers, machine.predict(tmp_path / "rows.csv"))
    said = run("predict", tmp_path / "a.model", tmp_path / "rows.csv", "--quiet").split()
    assert [line.split(",")[0] for line in said[-len(y):]] == [str(answer) for answer in answers]


def test_orders_types_and_sparse_rows_give_the_same_machine():
    X, y = problem()
    X = X.astype(np.float32).astype(np.float64)
    machine = bochner.KernelRidge(n_components=64, scale="none", bandwidth=1.5)
    expected = machine.fit(X, y).predict(X)
    read_only = X.copy()
    read_only.flags.writeable = False
    wide = np.repeat(X, 2, axis=1)[:, ::2]
    for other in (np.asfortranarray(X), read_only, wide, X[::-1][::-1], X.astype(np.float32)):
        assert np.array_equal(machine.fit(other, y).predict(other), expected)
    for container in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array):
        assert np.allclose(machine.fit(container(X), y).predict(container(X)), expected, atol=1e-4)
    long = sparse.csr_array(X)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    assert np.array_equal(machine.predict(long), machine.predict(sparse.csr_array(X)))


@pytest.mark.parametrize("weighted", [False, True])
def test_alpha_is_that_of_ridge_on_the_features(weighted):
    X, y = problem(rows=400)
    weights = np.random.default_rng(1).uniform(0.5, 3, len(y)) if weighted else None
    features = bochner.FourierFeatures(n_components=60, bandwidth=2.0, random_state=5)
    machine = bochner.KernelRidge(0.3, n_components=60, bandwidth=2.0, scale="none", precision="double", random_state=5)
    Z = features.fit_transform(X)
    expected = Ridge(0.3).fit(Z, y, sample_weight=weights).predict(Z)
    assert np.allclose(machine.fit(X, y, sample_weight=weights).predict(X), expected, atol=1e-6)


def test_pickles_are_the_bytes_of_the_model(tmp_path):
    X, y = problem()
    machine = bochner.KernelRidge(n_components=64).fit(X, y)
    machine.save(tmp_path / "m.model")
    data = pickle.dumps(machine)
    assert (tmp_path / "m.model").read_bytes() in data
    assert np.array_equal(pickle.loads(data).predict(X), machine.predict(X))
    neighbors = pickle.loads(pickle.dumps(bochner.NearestNeighbors().fit(X)))
    assert neighbors.kneighbors(X[:3])[1].tolist() == bochner.NearestNeighbors().fit(X).kneighbors(X[:3])[1].tolist()


@needs_command
def test_text_and_missing_cells_are_read_as_from_a_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = problem(rows=300, classes=True)
    table = pandas.DataFrame({"a": X[:, 0], "b": X[:, 1], "city": np.where(X[:, 2] > 0, "Bern", "Rome, Lazio")})
    table.loc[3, "a"] = np.nan
    labels = np.where(y == 1, "yes", "no")
    machine = bochner.KernelSVC(C=1.0, n_components=64).fit(table, pandas.Series(labels, name="answer"))
    assert set(machine.classes_) == {"no", "yes"} and np.mean(machine.predict(table) == labels) > 0.8
    table.assign(answer=labels).to_csv(tmp_path / "rows.csv", index=False)
    run("train", tmp_path / "rows.csv", "--target", "answer", "--features", "64", "--learner", "svm", "--C", "1",
        "--task", "classification", "-o", tmp_path / "command.model", "--quiet")
    machine.save(tmp_path / "python.model")
    assert (tmp_path / "python.model").read_bytes() == (tmp_path / "command.model").read_bytes()
    pyarrow = pytest.importorskip("pyarrow")
    assert np.array_equal(machine.predict(pyarrow.Table.from_pandas(table)), machine.predict(table))


@needs_command
def test_that_a_cell_is_missing_is_learnt_as_from_a_file(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, _ = problem(rows=400)
    vip = X[:, 3] > 0.3
    y = X[:, 0] + 4.0 * vip
    table = pandas.DataFrame({"a": X[:, 0], "vip": np.where(vip, 1.0, np.nan), "b": X[:, 1]})
    machine = bochner.KernelRidge(n_components=64).fit(table, pandas.Series(y, name="y"))
    assert machine.score(table, y) > 0.95 and machine.n_features_in_ == 3
    table.assign(y=y).to_csv(tmp_path / "rows.csv", index=False)
    run("train", tmp_path / "rows.csv", "--target", "y", "--features", "64", "--map", "fourier", "--task", "regression",
        "-o", tmp_path / "command.model", "--quiet")
    machine.save(tmp_path / "python.model")
    assert (tmp_path / "python.model").read_bytes() == (tmp_path / "command.model").read_bytes()
    # Rows without a gap: a table through the reader, or an array, dense or sparse.
    full = table[vip]
    assert np.array_equal(machine.predict(full), machine.predict(table)[vip])
    loaded = bochner.load(tmp_path / "python.model")
    assert np.allclose(loaded.predict(full), machine.predict(full))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        array = machine.predict(full.to_numpy())
        assert np.allclose(array, machine.predict(full))
        assert np.allclose(machine.predict(sparse.csr_matrix(full.to_numpy())), array)


def test_a_missing_cell_of_new_rows_is_the_mean_of_training():
    pandas = pytest.importorskip("pandas")
    X, y = problem(rows=300)
    table = pandas.DataFrame(X, columns=list("abcd"))
    machine = bochner.KernelRidge(1.0, n_components=32).fit(table, y)
    gap, mean = table.copy(), table.copy()
    gap.loc[7, "b"] = np.nan
    mean.loc[7, "b"] = X[:, 1].mean()
    assert np.allclose(machine.predict(gap), machine.predict(mean))
    with pytest.raises(ValueError, match="NaN in column 1.*no missing cell"):
        bochner.KernelRidge(1.0, n_components=32).fit(X, y).predict(gap.to_numpy())


def test_mistakes_are_value_errors_that_name_the_argument():
    X, y = problem()
    with pytest.raises(ValueError, match="alpha.*-1"):
        bochner.KernelRidge(alpha=-1).fit(X, y)
    with pytest.raises(ValueError, match="effort.*fast, normal, best"):
        bochner.KernelRegressor(effort="most").fit(X, y)
    with pytest.raises(ValueError, match="kernel|gausian"):
        bochner.KernelRidge(kernel="gausian").fit(X, y)
    with pytest.raises(ValueError, match="n_grids"):
        bochner.BinningFeatures(n_grids=0).fit(X)
    with pytest.raises(OSError, match="absent.csv"):
        bochner.KernelRidge().fit("absent.csv", "y")
    with pytest.raises((RuntimeError, ValueError)):
        bochner.load(__file__)
    with pytest.raises(ValueError, match="y: found values, expected the name"):
        bochner.KernelRidge().fit("rows.csv", y)
    with pytest.raises(ValueError, match="X: found the path"):
        bochner.KernelKMeans(2).fit("rows.csv")
    with pytest.raises(ValueError, match="new: found 2 columns, expected"):
        bochner.drift(X, X[:, :2])


def test_ctrl_c_ends_a_training():
    X, y = problem(rows=20000, inputs=20)
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        bochner.KernelRidge(n_components=8192, n_jobs=2).fit(X, y)


def test_the_lock_is_free_while_a_machine_trains():
    X, y = problem(rows=4000)
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    bochner.KernelRidge(1.0, n_components=512, bandwidth=2.0).fit(X, y)
    done.set()
    thread.join()
    assert len(ticks) > 3


def test_import_is_lazy():
    code = "import sys, bochner, bochner._core; assert 'sklearn' not in sys.modules; bochner.KernelRidge; dir(bochner)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_intervals_and_probabilities_come_with_calibration():
    X, y = problem(rows=1500)
    machine = bochner.KernelRidge(n_components=128, calibrate=True).fit(X[:1000], y[:1000])
    lower, upper = machine.predict_interval(X[1000:], 0.8).T
    assert 0.7 < np.mean((lower <= y[1000:]) & (y[1000:] <= upper)) < 0.9
    X, y = problem(rows=1500, classes=True)
    assert not hasattr(bochner.KernelSVC(C=1.0).fit(X[:300], y[:300]), "predict_proba")
    svc = bochner.KernelSVC(C=1.0, n_components=128, calibrate=True).fit(X[:1000], y[:1000])
    sure = svc.predict_proba(X[1000:])
    assert np.allclose(sure.sum(axis=1), 1) and np.mean(sure[np.arange(500), y[1000:]]) > 0.8
    with pytest.raises(AttributeError, match="calibrate"):
        bochner.KernelRidge(n_components=32).fit(X[:300], y[:300]).predict_interval(X)


def test_the_report_has_the_figures_of_its_score():
    X, y = problem(rows=400, classes=True)
    report = bochner.KernelClassifier(effort="fast").fit(X, y).report_
    figures = report.figures
    assert figures["log_loss"] < figures["baseline_log_loss"] and figures["auc"] > 0.5
    assert f"log-loss {figures['log_loss']:.4f}, of a constant" in report.score


def test_deviations_are_those_of_a_gaussian_process():
    X, y = problem(rows=400)
    X, fresh, y = X[:200].astype(np.float32), 1.5 * X[200:], y[:200]
    alpha, scale = 0.3, 1.7
    machine = bochner.KernelRidge(alpha, map="nystroem:tolerance=1e-13", bandwidth=scale, n_components=200, scale="none",
                                  fit_intercept=False, precision="double", deviation=True).fit(X, y)
    K = RBF(scale)(X.astype(np.float64))
    noise = y @ np.linalg.solve(K / alpha + np.eye(200), y) / 200
    kernel = ConstantKernel(noise / alpha) * RBF(scale) + WhiteKernel(noise)
    process = GaussianProcessRegressor(kernel, alpha=0, optimizer=None).fit(X.astype(np.float64), y)
    expected, deviation = process.predict(fresh, return_std=True)
    found = machine.predict(fresh, return_std=True)
    np.testing.assert_allclose(found[0], expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found[1], deviation, rtol=1e-5)
    np.testing.assert_allclose(machine.report_.log_marginal_likelihood, [process.log_marginal_likelihood_value_], rtol=1e-6)
    with pytest.raises(AttributeError, match="deviation=True"):
        bochner.KernelRidge(n_components=32).fit(X, y).predict(X, return_std=True)


@pytest.mark.parametrize("kind", ["rows", "columns", "float32", "memmap", "csr"])
def test_transform_keeps_no_copy_of_the_table(kind):
    """Peak memory of mapping 64 MB of rows to two features, in a process of its own."""
    code = f"""
import resource, sys, tempfile
import numpy as np
from scipy import sparse
from bochner import FourierFeatures
kind = {kind!r}
X = np.ones((160000, 50)) if kind != "float32" else np.ones((320000, 50), dtype=np.float32)
if kind == "columns":
    X = np.ones((50, 160000)).T
elif kind == "memmap":
    file = tempfile.NamedTemporaryFile()
    X.tofile(file.name)
    X = np.memmap(file.name, dtype=float, mode="r", shape=X.shape)
elif kind == "csr":
    X = sparse.csr_array((X[:80000].ravel(), np.tile(np.arange(50, dtype=np.int32), 80000), np.arange(0, 4000001, 50)))
features = FourierFeatures(2, bandwidth=1.0)
features.fit(X[:10]).transform(X[:10])
X.max()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
features.fit(X).transform(X)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 24 * 1024  # kB; a copy would be 32 MB or more


def test_machines_train_after_a_fork_and_in_joblibs_workers():
    from sklearn.model_selection import cross_val_score

    X, y = problem(rows=400)
    machine = bochner.KernelRidge(1.0, n_components=32, bandwidth=2.0).fit(X, y)
    child = os.fork()
    if child == 0:
        same = np.array_equal(bochner.KernelRidge(1.0, n_components=32, bandwidth=2.0).fit(X, y).predict(X), machine.predict(X))
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
    for backend in (1, 2):
        assert cross_val_score(machine, X, y, cv=3, n_jobs=backend).min() > 0.5


def test_drift_is_found_where_there_is_some():
    X, _ = problem(rows=600)
    pandas = pytest.importorskip("pandas")
    names = list("abcd")
    same = bochner.drift(pandas.DataFrame(X[:300], columns=names), pandas.DataFrame(X[300:], columns=names), permutations=200)
    moved = X[300:] + [0, 0, 1.5, 0]
    other = bochner.drift(pandas.DataFrame(X[:300], columns=names), pandas.DataFrame(moved, columns=names), permutations=200)
    assert same.p_value > 0.01 > other.p_value
    assert [c.name for c in other.columns if c.p_value < 0.01] == ["c"]
    assert bochner.drift(X[:300], moved, permutations=200).p_value < 0.01


def test_a_reduced_set_stands_for_the_rows():
    X = problem(rows=500)[0][:, :2]
    few, more = (bochner.ReducedSet(n, method="herding").fit(X).rkhs_distance_ for n in (5, 50))
    assert more < few
    found = bochner.ReducedSet(10).fit(X)
    assert found.points_.shape == (10, 2) and found.rkhs_distance_ < few
