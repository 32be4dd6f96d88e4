# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What must hold of every estimator and function of the package, from one table.

Each entry is tried in a child process; another one goes on behind a case that ended it.
"""

import copy
import functools
import json
import os
import pickle
import re
import signal
import tempfile
import traceback
import warnings

import bochner
import numpy as np
import pytest
from bochner import _core
from estimator_table import (
    ANSWER, EITHER, ENTRIES, ODD_CLASSES, ODD_ROWS, ODD_SPARSE, ODD_TARGETS, ODD_TEXTS, OTHERS, REFUSE, documents, numbers,
    targets)
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

FEW = 100  # rows
SECONDS = 40  # for a case: one that takes longer would wait for ever

# The shape that an answer must have, given the fitted estimator and its n rows of d columns.
SHAPES = {
    "predict": lambda e, n, d: (n,),
    "decision_function": lambda e, n, d: (n,) if len(getattr(e, "classes_", "ab")) == 2 else (n, len(e.classes_)),
    "predict_proba": lambda e, n, d: (n, len(e.classes_ if hasattr(e, "classes_") else e.weights_)),
    "transform": lambda e, n, d: (n, len(e.get_feature_names_out())),
    "inverse_transform": lambda e, n, d: (n, d),
    "score_samples": lambda e, n, d: (n,),
    "kneighbors": lambda e, n, d: (n, e.n_neighbors),
    "group_means": lambda e, n, d: (min(n, 5), len(e.get_feature_names_out())),
    "test": lambda e, n, d: (d,),
}
ASK = {
    "inverse_transform": lambda e, X: e.inverse_transform(e.transform(X)),
    "kneighbors": lambda e, X: e.kneighbors(X)[0],
    "group_means": lambda e, X: e.group_means(X, np.arange(X.shape[0]) % 5)[1],
    "test": lambda e, X: np.array([column.p_value for column in e.test(X).columns]),
}


def fitted(entry, X, y, jobs=None):
    estimator = clone(entry.make)
    if "n_jobs" in estimator.get_params():
        estimator.set_params(n_jobs=jobs)
    return estimator.fit(X) if y is None else estimator.fit(X, y)


def asked(estimator, X, allowed=()):
    """The answers of all methods that the estimator has, of the right shapes. allowed: errors that may come instead."""
    answers = {}
    for method, shape in SHAPES.items():
        if not hasattr(estimator, method):
            continue
        try:
            found = ASK.get(method, lambda e, X: getattr(e, method)(X))(estimator, X)
        except allowed as error:
            check_message(error)
            continue
        wanted = shape(estimator, np.shape(X)[0], np.shape(X)[1] if np.ndim(X) == 2 else 0)
        assert found.shape == wanted, f"{method}: the shape {found.shape}, expected {wanted}"
        answers[method] = found
    return answers


def learnt(estimator):
    """The learned attributes that are numbers."""
    found = {}
    for name in dir(estimator):
        if name.endswith("_") and not name.startswith("_"):
            try:
                value = getattr(estimator, name)
            except AttributeError:  # a property of machines of another kind
                continue
            if isinstance(value, (int, float, np.ndarray)) and np.asarray(value).dtype.kind in "fiu":
                found[name] = np.asarray(value)
    return found


def answers_of(entry, X, y, jobs=None):
    if entry.function:
        return entry.make(X, y, jobs)
    estimator = fitted(entry, X, y, jobs)
    return {**learnt(estimator), **asked(estimator, X)}


def flat(answers):
    """Answers as arrays: of sparse ones their three."""
    return {f"{name} {part}": np.asarray(array) for name, value in answers.items() for part, array in
            (vars_of(value) if sparse.issparse(value) else {"": value}).items()}


def vars_of(matrix):
    return {part: getattr(matrix.tocsr(), part) for part in ("data", "indices", "indptr")}


def check_finite(answers):
    for name, array in flat(answers).items():
        assert array.dtype.kind not in "fc" or np.isfinite(array).all(), f"{name} is not finite: {array.ravel()[:6]}"
        if re.search("variance_ratio|proba|p_value", name):
            assert (array >= 0).all() and (array <= 1 + 1e-6).all(), f"{name} is not from 0 to 1: {array.ravel()[:6]}"


def check_same(found, expected):
    found, expected = flat(found), flat(expected)
    assert found.keys() == expected.keys()
    for name in found:
        assert found[name].dtype == expected[name].dtype and found[name].shape == expected[name].shape, name
        assert found[name].tobytes() == expected[name].tobytes(), f"{name} differs"


def check_message(error):
    """One sentence that says what was found; options are those of Python."""
    text = str(error)
    assert len(text) > 20 and "--" not in text and "assert" not in text.lower(), f"unclear message: {text!r}"


def content(X):
    if X is None or isinstance(X, list):
        return str(X)
    return [part.tobytes() for part in (vars_of(X).values() if sparse.issparse(X) else [np.ascontiguousarray(X)])]


def check_outcome(expected, inputs, run):
    """An answer that is finite, or a ValueError, as expected; and the inputs are what they were."""
    before = [content(X) for X in inputs]
    try:
        check_finite(run())
    except ValueError as error:
        check_message(error)
        assert expected != ANSWER, f"refused: {error}"
    else:
        assert expected != REFUSE, "not refused"
    assert [content(X) for X in inputs] == before, "an input was changed"


def odd_cases(entry):
    """(name, case) for all odd rows and targets that the entry can take: fits, and questions to a fit of plain rows."""
    plain = documents() if entry.target == "text" else numbers()
    tables = {**(ODD_TEXTS if entry.target == "text" else ODD_ROWS)}
    if not entry.function and entry.target != "text" and entry.make.__sklearn_tags__().input_tags.sparse:
        tables |= {name: (lambda make=make: sparse.csr_array(make()), must) for name, (make, must) in ODD_SPARSE.items()}

    def fit_rows(make, must):
        X = make()
        dense = numbers(X.shape[0], max(1, X.shape[1])) if hasattr(X, "shape") else numbers()
        y = targets(entry.target, dense)
        check_outcome(must, (X, y), lambda: answers_of(entry, X, y))

    def fit_targets(change, must):
        y = change(targets(entry.target, plain))
        check_outcome(must, (plain, y), lambda: answers_of(entry, plain, y))

    def ask(make, must):
        X, estimator = make(), fitted(entry, plain, targets(entry.target, plain))
        if X.ndim == 2 and X.shape[1] == 3:
            before = content(X)
            answers = asked(estimator, X, ValueError if must != ANSWER else ())
            check_finite(answers)
            assert must != REFUSE or not answers, f"not refused: {list(answers)}"
            assert content(X) == before, "an input was changed"

    fills_gaps = not entry.function and entry.make.__sklearn_tags__().input_tags.allow_nan
    for name, (make, must) in tables.items():
        must = EITHER if name in entry.refuses else must
        gap = fills_gaps and name.startswith("a cell that is nan")  # a missing cell if the rows of training have some
        yield f"fit on {name}", lambda make=make, must=ANSWER if gap else must: fit_rows(make, must)
        if not entry.function and entry.target != "text":
            yield f"asked of {name}", lambda make=make, must=must: ask(make, must)
    odd_targets = ODD_TARGETS if entry.target in ("number", "count", "pair") else ODD_CLASSES if entry.target == "class" else {}
    for name, (change, must) in odd_targets.items():
        yield name, lambda change=change, must=must: fit_targets(change, must)


def saved_again(estimator, X, expected):
    """What save() wrote gives the same answers in the estimator, and by load() where that makes one."""
    with tempfile.TemporaryDirectory(prefix="bochner-") as folder:
        path = os.path.join(folder, "saved")
        estimator.save(path)
        kinds = {"model_": _core.Model, "index_": _core.NeighborIndex, "text_": _core.TextModel}
        attribute = next(name for name in kinds if hasattr(estimator, name))
        again = copy.copy(estimator)
        setattr(again, attribute, kinds[attribute].load(path))
        check_same(asked(again, X), expected)
        if attribute == "model_" and hasattr(loaded := bochner.load(path), "predict") and "predict" in expected:
            answers = asked(loaded, X) if not isinstance(loaded, _core.Model) else {}
            for name in answers.keys() & expected.keys():
                as_said = expected[name].astype(str) if expected[name].dtype.kind == "U" else expected[name]
                assert np.array_equal(answers[name], as_said), f"load(): {name} differs"


def check_memory(size, run):
    """An answer, or a refusal whose advice holds."""
    def limited(bytes):
        execution = plain()
        execution.memory = bytes
        return execution

    plain = _core.Execution
    _core.Execution = lambda: limited(size)
    try:
        check_finite(run())
    except ValueError as error:
        check_message(error)
        advice = re.search(r"raise memory to (\d+)M at least", str(error))
        if advice:
            _core.Execution = lambda: limited(int(advice[1]) << 20)
            check_finite(run())
    finally:
        _core.Execution = plain


def check_near(entry, given, changed, factor):
    """Predictions that do not see the change but for a factor."""
    expected, found = (fitted(entry, *rows).predict(rows[0]) for rows in (given, changed))
    differ = np.std(found / factor - expected) / np.std(expected)
    assert differ < 0.5, f"predictions differ by {differ:.3f} of their deviation"


def same_cases(entry):
    """(name, case): answers that depend on nothing but rows, arguments and seed."""
    rows = documents(entry.rows) if entry.target == "text" else numbers(entry.rows)
    y = None if entry.target == "text" else targets(entry.target, rows)
    given = (rows,) if y is None else (rows, y)

    @functools.cache
    def expected():
        return answers_of(entry, rows, y, 1)

    for jobs in (2, 16):
        yield f"{jobs} threads", lambda jobs=jobs: check_same(answers_of(entry, rows, y, jobs), expected())
    for size in (1 << 10, 41 << 20):
        yield f"a memory of {size >> 10} KiB", lambda size=size: check_memory(size, lambda: answers_of(entry, rows, y))
    if entry.function:
        return

    @functools.cache
    def estimator():
        return fitted(entry, rows, y, 1)

    def again(other):
        check_same({**learnt(other), **asked(other, rows)}, expected())

    def cloned():
        copied = clone(estimator())
        assert repr(copied.get_params()) == repr(estimator().get_params()) and not learnt(copied)

    yield "a clone", cloned
    yield "pickled", lambda: again(pickle.loads(pickle.dumps(estimator())))
    if hasattr(entry.make, "save"):
        yield "saved", lambda: saved_again(estimator(), rows, asked(estimator(), rows))
    yield "fitted twice", lambda: again(estimator().fit(*given))
    if entry.target == "number" and hasattr(entry.make, "predict"):  # draws meet other phases, so that answers are near, not equal
        few, its = numbers(FEW), targets("number", numbers(FEW))
        yield "a unit of the targets", lambda: check_near(entry, (few, its), (few, its * 1e6), 1 if entry.orders else 1e6)
        yield "an offset of the inputs", lambda: check_near(entry, (few, its), (few + 1e9, its), 1)


def cases_of(entry):
    return [*odd_cases(entry), *same_cases(entry)]


def work(cases, begin, report):
    """Tries the cases from `begin` on, in a child: says which begins, and what is wrong with it."""
    warnings.filterwarnings("error", category=RuntimeWarning, module="bochner")  # numpy's, which ours should have avoided
    warnings.simplefilter("ignore", ConvergenceWarning)
    for k in range(begin, len(cases)):
        print(json.dumps([k, ""]), file=report, flush=True)
        signal.alarm(SECONDS)
        try:
            cases[k][1]()
        except BaseException as error:
            at = [f"{os.path.basename(f.filename)}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)[-3:]]
            said = str(error).split("\n")[0]
            print(json.dumps([k, f"{type(error).__name__}: {said} ({', '.join(at)})"]), file=report, flush=True)


def problems_of(cases):
    """What is wrong with which case. A case that ends the child is named, and those behind it are tried."""
    found, begin = [], 0
    while begin < len(cases):
        with tempfile.TemporaryFile("w+") as report:
            child = os.fork()
            if child == 0:
                try:
                    work(cases, begin, report)
                    os._exit(0)
                finally:
                    os._exit(1)
            status = os.waitpid(child, 0)[1]
            report.seek(0)
            said = [json.loads(line) for line in report]
        found += [f"{cases[k][0]}: {text}" for k, text in said if text]
        if status == 0:
            break
        found.append(f"{cases[said[-1][0]][0]}: ended by status {status}")
        begin = said[-1][0] + 1
    return found


@pytest.mark.parametrize("name", ENTRIES)
def test_properties(name):
    problems = problems_of(cases_of(ENTRIES[name]))
    assert not problems, "\n".join(["", *problems])


def test_every_name_of_the_package_is_in_the_table():
    names = {*bochner.__all__, *(f"compat.{name}" for name in bochner.compat.__all__),
             *(f"parts.{name}" for name in bochner.parts.__all__)}
    assert names - {name.split(" ")[0] for name in ENTRIES} - OTHERS == set()


def test_a_case_that_kills_the_child_does_not_hide_the_others():
    def fail(error):
        raise error
    cases = [("good", lambda: None), ("dead", os.abort), ("bad", lambda: fail(ValueError("found 3"))),
             ("non-finite", lambda: check_outcome(EITHER, (), lambda: {"a": np.array([np.nan])}))]
    dead, bad, infinite = problems_of(cases)
    assert dead.startswith("dead: ended by") and bad.startswith("bad: ValueError: found 3") and "not finite" in infinite


def test_a_check_that_does_not_hold_is_told():
    X = np.zeros(3)

    def change():
        X[0] += 1
        return {}
    for wrong, check in (("changed", lambda: check_outcome(EITHER, (X,), change)),
                         ("differs", lambda: check_same({"a": X}, {"a": X + 1})),
                         ("not refused", lambda: check_outcome(REFUSE, (), dict)),
                         ("0 to 1", lambda: check_finite({"predict_proba": X + 2})),
                         ("unclear", lambda: check_message(ValueError("raise --memory of the command")))):
        with pytest.raises(AssertionError, match=wrong):
            check()
