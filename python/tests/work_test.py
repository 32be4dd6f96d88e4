# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Long work: progress, callbacks, Ctrl-C, forks, threads and joblib."""

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import bochner
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

draws = np.random.default_rng(0)
X = draws.normal(size=(1500, 4))
Y = np.sin(2 * X[:, 0]) + X[:, 1]
MACHINE = bochner.KernelRidge(1.0, n_components=64, bandwidth=2.0)


def test_progress_names_steps_and_fractions():
    seen = []
    with bochner.progress(lambda step, fraction: seen.append((step, fraction))):
        MACHINE.fit(X, Y)
    assert {"survey", "gram"} <= {step for step, _ in seen} and all(0 <= f <= 1 for _, f in seen)
    count = len(seen)
    MACHINE.fit(X, Y)
    assert len(seen) == count
    with pytest.raises(ValueError, match="show"):
        with bochner.progress(3):
            pass


def test_what_progress_raises_ends_the_fit():
    class Enough(Exception):
        pass

    def show(step, fraction):
        raise Enough(step)

    with bochner.progress(show), pytest.raises(Enough, match="survey"):
        clone(MACHINE).fit(X, Y)


def test_a_bar_of_tqdm(capsys):
    pytest.importorskip("tqdm")
    with bochner.progress():
        MACHINE.fit(X, Y)
    assert "gram" in capsys.readouterr().err


def test_callbacks_of_scikit_learn():
    pytest.importorskip("sklearn.callback")
    calls = []

    class Log:
        def setup(self, estimator, context):
            calls.append("setup")

        def on_fit_task_begin(self, estimator, context, *, X):
            calls.append(f"begin {context.task_name} {X.shape[0]}")

        def on_fit_task_end(self, estimator, context, *, fitted_estimator):
            calls.append(f"end {context.task_name}")
            if context.task_name == "fit":
                assert fitted_estimator.predict(X[:3]).shape == (3,)

        def teardown(self, estimator, context):
            calls.append("teardown")

    machine = clone(MACHINE).set_callbacks(Log())
    machine.fit(X, Y)
    assert calls[:3] == ["setup", "begin fit 1500", "begin survey 1500"] and calls[-2:] == ["end fit", "teardown"]
    assert not any(name.startswith(("_reporter", "_callback_fit")) for name in vars(machine))
    calls.clear()
    with pytest.raises(ValueError):
        machine.fit(X, Y[:3])
    assert calls[-1] == "teardown" and not hasattr(machine, "_reporter")


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import bochner
kind = sys.argv[1]
draws = np.random.default_rng(0)
X = draws.normal(size=(30000, 20))
Y = np.sin(X[:, 0])
fits = {
    "ridge": lambda: bochner.KernelRidge(n_components=8192, n_jobs=2).fit(X, Y),
    "svm": lambda: bochner.KernelSVC(n_components=4096, n_jobs=2).fit(X, Y > 0),
    "automatic": lambda: bochner.KernelRegressor(n_jobs=2).fit(X, Y),
    "mixture": lambda: bochner.GaussianMixture(60, n_jobs=2, tol=1e-12, max_iter=10000).fit(X),
    "clusters": lambda: bochner.KernelKMeans(200, n_jobs=2, n_map_features=2048, tol=1e-12).fit(X),
}
asked, started = [], threading.Event()
def ask():
    started.wait()
    time.sleep(0.7)
    asked.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=ask, daemon=True).start()
try:
    with bochner.progress(lambda step, fraction: started.set()):
        fits[kind]()
except KeyboardInterrupt:
    print((time.process_time() - asked[0]) / 2)
"""


@pytest.mark.parametrize("kind", ["ridge", "svm", "automatic", "mixture", "clusters"])
def test_ctrl_c_is_heard_at_once(kind):
    """Prints the processor seconds of each of two threads after the signal; whole, the fits take minutes."""
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, kind], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert done.stdout, "not interrupted"
    print(kind, done.stdout)


def test_threads_fit_and_ask_at_the_same_time():
    expected = clone(MACHINE).fit(X, Y).predict(X)

    def work(k):
        machine = clone(MACHINE).set_params(n_jobs=1 + k % 2)
        return machine.fit(X, Y).predict(X)

    with ThreadPoolExecutor(4) as pool:
        assert all(np.array_equal(found, expected) for found in pool.map(work, range(8)))
    fitted = clone(MACHINE).fit(X, Y)
    with ThreadPoolExecutor(4) as pool:
        assert all(np.array_equal(found, expected) for found in pool.map(lambda _: fitted.predict(X), range(8)))


def test_a_fork_in_the_middle_of_work_is_safe():
    """The child of a process whose other thread trains trains as well."""
    stop = threading.Event()

    def train():
        while not stop.is_set():
            clone(MACHINE).fit(X, Y)

    expected = clone(MACHINE).fit(X, Y).predict(X)
    thread = threading.Thread(target=train)
    thread.start()
    try:
        for _ in range(100):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                os._exit(0 if np.array_equal(clone(MACHINE).fit(X, Y).predict(X), expected) else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_searches_of_joblib(backend):
    from joblib import parallel_config

    with parallel_config(backend=backend, n_jobs=2):
        search = GridSearchCV(clone(MACHINE).set_params(n_jobs=1), {"alpha": [1e-2, 1e6]}, cv=2).fit(X, Y)
    assert search.best_params_["alpha"] == 1e-2
