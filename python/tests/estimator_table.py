# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Every estimator and function of the package, and the odd rows, texts and targets that each is given."""

import dataclasses
import inspect

import bochner
import bochner.compat
import bochner.parts
import numpy as np
from bochner import _core

ROWS, MANY, FEWER = 60, 1300, 300  # MANY: more than a chunk of 1024 rows; FEWER for what takes long


@dataclasses.dataclass(frozen=True)
class Entry:
    """An estimator with its kind of target (number, count, class, pair or none), or a function of X, y and threads."""
    make: object
    target: str = "none"
    rows: int = MANY
    refuses: tuple = ()  # odd rows with an answer elsewhere
    orders: bool = False  # only the order of the targets counts

    @property
    def function(self):
        return inspect.isfunction(self.make)


def by_parts(X, y, jobs, classes=None):
    execution = _core.Execution()
    execution.threads = jobs or 0
    halves = [(X[k::2], y[k::2], k) for k in range(2)]
    total = bochner.parts.merge([bochner.parts.survey(a, b, k, classes=classes, execution=execution) for a, b, k in halves])
    machine = bochner.KernelRidge(n_components=16, n_jobs=jobs)
    sums = [bochner.parts.accumulate(a, b, k, total, machine=machine, classes=classes) for a, b, k in halves]
    return {"predict": bochner.parts.solve(bochner.parts.merge(sums)).predict(X)}


def factor_by_parts(X, y, jobs):
    execution = _core.Execution()
    execution.threads = jobs or 0
    halves = [(X[k::2], k) for k in range(2)]
    total = bochner.parts.merge([bochner.parts.moments(a, k, execution=execution) for a, k in halves])
    factor = bochner.RandomizedSVD(2, n_jobs=jobs)
    sums = [bochner.parts.sketch(a, k, total, factor=factor) for a, k in halves]
    return {"transform": bochner.parts.solve(bochner.parts.merge(sums)).transform(X)}


def of_test(found, *names):
    """The numbers of a test of samples, of all columns together and of each."""
    return {"all": np.array([found.p_value, found.statistic]),
            "columns": np.array([[getattr(column, name) for name in names] for column in found.columns])}


def drift_of(X, y, jobs):
    found = bochner.drift(X, X[::2], permutations=20, n_components=16, n_jobs=jobs)
    return of_test(found, "p_value", "distance", "mean_new")


def independence_of(X, y, jobs):
    return of_test(bochner.independence(X, y, permutations=20, n_jobs=jobs), "p_value", "statistic")


def duplicates_of(X, y, jobs):
    return {f"{metric} {name}": found for metric in (None, "cosine") for name, found in
            zip(("found", "similarities"), bochner.find_duplicates(X, metric=metric, pairs=True, n_jobs=jobs))}


def factors_of(X, y, jobs):
    return dict(zip("Usv", bochner.compat.randomized_svd(X, 2, random_state=0)))


FAR = ("far from zero", "a column far from zero")  # what is kept in float has no offset there
DOUBLE = dict(precision="double", scale="none", bandwidth=1.0)
ENTRIES = {
    "KernelRidge": Entry(bochner.KernelRidge(n_components=32), "number"),
    "KernelRidge of bins": Entry(bochner.KernelRidge(n_components=32, map="binning"), "number"),
    "KernelRidge in double": Entry(bochner.KernelRidge(n_components=32, precision="double"), "number"),
    "KernelRidge of landmarks in double": Entry(bochner.KernelRidge(n_components=32, map="nystroem", **DOUBLE), "number"),
    "KernelRidgeClassifier": Entry(bochner.KernelRidgeClassifier(n_components=32), "class"),
    "KernelSVC": Entry(bochner.KernelSVC(n_components=32, bandwidth=1.0), "class"),
    "KernelLogistic": Entry(bochner.KernelLogistic(n_components=32, bandwidth=1.0), "class"),
    "KernelSVR": Entry(bochner.KernelSVR(n_components=32, bandwidth=1.0), "number"),
    "KernelHuber": Entry(bochner.KernelHuber(n_components=32, bandwidth=1.0), "number"),
    "KernelQuantile": Entry(bochner.KernelQuantile(n_components=32, bandwidth=1.0), "number"),
    "KernelGLM": Entry(bochner.KernelGLM(n_components=32, bandwidth=1.0), "count"),
    "KernelRegressor": Entry(bochner.KernelRegressor(effort="fast"), "number", FEWER),
    "KernelClassifier": Entry(bochner.KernelClassifier(effort="fast"), "class", FEWER),
    "KNeighborsClassifier": Entry(bochner.KNeighborsClassifier(3, weights="uniform"), "class"),
    "KNeighborsRegressor": Entry(bochner.KNeighborsRegressor(3, weights="kernel"), "number"),
    "KNeighborsRegressor in double": Entry(bochner.KNeighborsRegressor(3, weights="uniform", **DOUBLE), "number"),
    "FourierFeatures": Entry(bochner.FourierFeatures(n_components=16)),
    "NystroemFeatures": Entry(bochner.NystroemFeatures(n_components=8), refuses=FAR),
    "BinningFeatures": Entry(bochner.BinningFeatures(n_grids=8)),
    "RandomProjection": Entry(bochner.RandomProjection(n_components=2)),
    "RandomizedSVD": Entry(bochner.RandomizedSVD(2)),
    "KernelPCA": Entry(bochner.KernelPCA(2, n_map_features=32)),
    "KernelLDA": Entry(bochner.KernelLDA(n_map_features=32), "class"),
    "KernelRanker": Entry(bochner.KernelRanker(n_map_features=16, bandwidth=1.0), "number", FEWER, orders=True),
    "SemiSupervisedClassifier": Entry(bochner.SemiSupervisedClassifier(n_map_features=32), "class", FEWER),
    "KernelCCA": Entry(bochner.KernelCCA(1, n_map_features=32), "pair"),
    "KernelKMeans": Entry(bochner.KernelKMeans(3, n_map_features=32)),
    "AnomalyDetector": Entry(bochner.AnomalyDetector()),
    "AnomalyDetector by isolation": Entry(bochner.AnomalyDetector("isolation")),
    "MeanEmbedding": Entry(bochner.MeanEmbedding(), refuses=FAR),
    "GroupEmbedding": Entry(bochner.GroupEmbedding(16)),
    "GaussianMixture": Entry(bochner.GaussianMixture(2)),
    "NearestNeighbors": Entry(bochner.NearestNeighbors(1)),
    "NearestNeighbors by forest": Entry(bochner.NearestNeighbors(1, method="forest"), refuses=("sparse",)),
    "NearestNeighbors by cosine": Entry(bochner.NearestNeighbors(1, metric="cosine")),
    "KNNGraph": Entry(bochner.KNNGraph(1)),
    "HMMClassifier": Entry(bochner.HMMClassifier(2), "class"),
    "ReducedSet": Entry(bochner.ReducedSet(3), rows=FEWER),
    "MMDTest": Entry(bochner.MMDTest(permutations=20, n_components=16)),
    "HSICTest": Entry(bochner.HSICTest(permutations=20), "number"),
    "TextProjection": Entry(bochner.TextProjection(n_components=8), "text"),
    "drift": Entry(drift_of),
    "independence": Entry(independence_of, "number"),
    "find_duplicates": Entry(duplicates_of, rows=FEWER),
    "parts": Entry(by_parts, "number"),
    "parts of a factor": Entry(factor_by_parts),
    "compat.GaussianMixture": Entry(bochner.compat.GaussianMixture(2, random_state=0)),
    "compat.GaussianRandomProjection": Entry(bochner.compat.GaussianRandomProjection(2, random_state=0)),
    "compat.KernelRidge": Entry(bochner.compat.KernelRidge(kernel="rbf", n_components=FEWER), "number", FEWER),
    "compat.NearestNeighbors": Entry(bochner.compat.NearestNeighbors(n_neighbors=1, recall=0.95)),
    "compat.Nystroem": Entry(bochner.compat.Nystroem(n_components=8, random_state=0), refuses=FAR),
    "compat.RBFSampler": Entry(bochner.compat.RBFSampler(n_components=16, random_state=0)),
    "compat.SparseRandomProjection": Entry(bochner.compat.SparseRandomProjection(2, random_state=0)),
    "compat.TruncatedSVD": Entry(bochner.compat.TruncatedSVD(2, random_state=0)),
    "compat.randomized_svd": Entry(factors_of),
}
# Names that take no rows of numbers, and whose own tests are said.
OTHERS = {"compat.AdditiveChi2Sampler", "compat.SkewedChi2Sampler",  # compat_test.py: rows of histograms
          "compat.uses", "load", "progress",  # asked of every model below; work_test.py
          "Watcher", "watch",  # watch_test.py
          "compat.dump_svmlight_file", "compat.load_svmlight_file", "compat.johnson_lindenstrauss_min_dim",  # compat_test.py
          "parts.accumulate", "parts.merge", "parts.moments", "parts.sketch", "parts.solve", "parts.survey"}  # "parts"


def numbers(rows=ROWS, columns=3, seed=1):
    return np.random.default_rng(seed).normal(size=(rows, columns))


def documents(rows=ROWS):
    draws = np.random.default_rng(2)
    return [" ".join(f"word{k}" for k in draws.integers(200, size=8)) for _ in range(rows)]


def targets(kind, X):
    """What an entry learns, from rows of any size."""
    signal_ = np.sin(X[:, 0]) + (X[:, 1] * X[:, 2] if X.shape[1] > 2 else 0)
    return {"number": signal_, "class": np.array(list("xyz"))[(signal_ > -0.5).astype(int) + (signal_ > 0.5)],
            "pair": np.column_stack([signal_, X[:, 0]]), "count": np.round(np.exp(1 + signal_))}.get(kind)


ANSWER, REFUSE, EITHER = "an answer", "a ValueError", "an answer or a ValueError"


def changed(column, change, dtype=float):
    """Rows in which a column, or all of them if it is None, are change(x)."""
    def make():
        X = numbers()
        X[:, slice(None) if column is None else column] = change(X[:, slice(None) if column is None else column])
        return X.astype(dtype)
    return make


def cell(value, dtype=float):
    def make():
        X = numbers().astype(dtype)
        X[7, 1] = value
        return X
    return make


# Rows: what must come of them.
ODD_ROWS = {
    "plain": (numbers, ANSWER),
    "float32": (lambda: numbers().astype(np.float32), ANSWER),
    "no rows": (lambda: numbers(0), REFUSE),
    "no columns": (lambda: numbers(columns=0), REFUSE),
    "one row": (lambda: numbers(1), EITHER),
    "two rows": (lambda: numbers(2), EITHER),
    "one column": (lambda: numbers(columns=1), EITHER),
    "more columns than rows": (lambda: numbers(20, 70), ANSWER),
    "a constant column": (changed(0, lambda x: x * 0 + 3.5), ANSWER),
    "constant columns": (changed(None, lambda x: x * 0 + 3.5), EITHER),
    "zeros": (changed(None, lambda x: x * 0), EITHER),
    "duplicated rows": (lambda: np.repeat(numbers(20), 3, axis=0), ANSWER),
    "one row sixty times": (lambda: np.repeat(numbers(1), 60, axis=0), EITHER),
    "a cell beyond float": (cell(1e39), EITHER),
    "a column beyond float": (changed(1, lambda x: x * 1e300), EITHER),
    "columns beyond float": (changed(None, lambda x: x * 1e300), EITHER),
    "near the end of double": (changed(None, lambda x: np.clip(x, -1.5, 1.5) * 1e308), EITHER),
    "near the end of float": (changed(None, lambda x: x * 1e38, np.float32), EITHER),
    "squares beyond float": (changed(None, lambda x: x * 1e25, np.float32), EITHER),
    "far from zero": (changed(None, lambda x: x + 1e9), ANSWER),
    "a column far from zero": (changed(0, lambda x: x + 1e9), ANSWER),
    "far in float32": (changed(None, lambda x: x + 1e9, np.float32), EITHER),
    "far, and a column beyond float": (lambda: changed(1, lambda x: x * 1e300)() + [1e9, 0, 0], EITHER),
    "small": (changed(None, lambda x: x * 1e-300), EITHER),
    "below the normal numbers": (changed(None, lambda x: x * 1e-320), EITHER),
    "a cell that is nan": (cell(np.nan), REFUSE),
    "a cell that is inf": (cell(np.inf), REFUSE),
    "a cell that is nan in float32": (cell(np.nan, np.float32), REFUSE),
    "a cell that is -inf in float32": (cell(-np.inf, np.float32), REFUSE),
    "columns in Fortran's order": (lambda: np.asfortranarray(numbers()), ANSWER),
}
ODD_SPARSE = {
    "sparse": (numbers, ANSWER),
    "sparse without an entry": (lambda: numbers() * 0, EITHER),
    "sparse, a column beyond float": (changed(1, lambda x: x * 1e300), EITHER),
    "sparse, near the end of float": (changed(None, lambda x: x * 1e38, np.float32), EITHER),
    "sparse, far from zero": (changed(None, lambda x: x + 1e9), EITHER),
    "sparse with inf": (cell(np.inf), REFUSE),
    "sparse with nan in float32": (cell(np.nan, np.float32), REFUSE),
}
ODD_TEXTS = {
    "plain": (documents, ANSWER),
    "no document": (lambda: [], REFUSE),
    "no text": (lambda: [1.5, None], REFUSE),
    "one document": (lambda: documents(1), EITHER),
    "empty documents": (lambda: ["", "", ""], EITHER),
    "equal documents": (lambda: documents(1) * 60, EITHER),
    "odd letters": (lambda: [*documents(), "\0", "\ufeff", "x" * 100000, "naïve ☃ " * 50, "\ud800"], EITHER),
}


def changed_targets(change):
    return lambda y: change(y.astype(float))


def one_target(value):
    def make(y):
        y = y.astype(float)
        y[5] = value
        return y
    return make


# Targets that are numbers.
ODD_TARGETS = {
    "targets times a million": (changed_targets(lambda y: y * 1e6), ANSWER),
    "targets beyond float": (changed_targets(lambda y: y * 1e39), EITHER),
    "targets near the end of double": (changed_targets(lambda y: y * 1e307), EITHER),
    "small targets": (changed_targets(lambda y: y * 1e-40), EITHER),
    "far targets": (changed_targets(lambda y: y + 1e9), ANSWER),
    "one target for all": (changed_targets(lambda y: y * 0 + 2.5), EITHER),
    "a target that is nan": (one_target(np.nan), REFUSE),
    "a target that is inf": (one_target(np.inf), REFUSE),
}
ODD_CLASSES = {
    "one class": (lambda y: np.full(len(y), "x"), REFUSE),
    "a class of one row": (lambda y: np.where(np.arange(len(y)) == 3, "lone", y), EITHER),
    "a class for each row": (lambda y: np.array([f"c{i}" for i in range(len(y))]), EITHER),
    "classes that are nan": (lambda y: np.where(np.arange(len(y)) == 3, np.nan, 1.0), REFUSE),
}
