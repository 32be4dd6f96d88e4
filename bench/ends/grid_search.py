# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""A grid search of 200 fits on 500 rows with n_jobs=2, ours beside SVC: processor seconds, time, and the threads seen.

Threads are those of the workers that run, looked at twenty times a second. With two workers on two cores each
fit should take one: more threads that run than cores make each other wait. The package is the one that PYTHONPATH or
the environment has. Takes a minute.

usage: grid_search.py [--rows N] [--jobs N]
"""
import argparse
import contextlib
import glob
import threading
import time

import numpy as np
import psutil
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC


def family():
    """This process and its children."""
    return [psutil.Process(), *psutil.Process().children(recursive=True)]


def seconds_of(processes):
    seconds = {}
    for process in processes:
        with contextlib.suppress(psutil.Error):
            times = process.cpu_times()
            seconds[process.pid] = times.user + times.system
    return seconds


def running_threads(process):
    running = 0
    for stat in glob.glob(f"/proc/{process.pid}/task/*/stat"):
        with contextlib.suppress(OSError), open(stat, encoding="utf-8") as file:
            running += file.read().rpartition(")")[2].split()[0] == "R"
    return running


class Watch:
    """The threads of the children that run at once, on the average and at most, and the processor seconds of all."""

    def __init__(self):
        self._seen, self._end = [], threading.Event()
        self._thread = threading.Thread(target=self._look)

    def _look(self):
        while not self._end.wait(0.05):
            self._seen.append(sum(map(running_threads, psutil.Process().children(recursive=True))))

    def __enter__(self):
        self._before, self._begun = seconds_of(family()), time.perf_counter()
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()
        self.wall = time.perf_counter() - self._begun
        self.seconds = sum(now - self._before.get(pid, 0) for pid, now in seconds_of(family()).items())
        self.most, self.mean = max(self._seen), sum(self._seen) / len(self._seen)


def main():
    import bochner

    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    X, y = make_classification(arguments.rows, 10, n_informative=6, random_state=0)
    values = np.logspace(-3, 3, 40)
    searches = {
        "KernelRidgeClassifier(256, median)": GridSearchCV(
            bochner.KernelRidgeClassifier(n_components=256, bandwidth="median"), {"alpha": values}),
        "KernelRidgeClassifier()": GridSearchCV(bochner.KernelRidgeClassifier(), {"alpha": values}),
        "KernelSVC(256, median)": GridSearchCV(bochner.KernelSVC(n_components=256, bandwidth="median"), {"C": values}),
        "StandardScaler, SVC": GridSearchCV(make_pipeline(StandardScaler(), SVC()), {"svc__C": values}),
    }
    for name, search in searches.items():
        with Watch() as watch:
            search.set_params(n_jobs=arguments.jobs).fit(X, y)
        print(f"{name:40} error {100 * (1 - search.best_score_):5.2f} %, {watch.wall:5.1f} s, processor "
              f"{watch.seconds:5.1f} s; threads that ran at once: {watch.mean:.1f}, at most {watch.most}", flush=True)


if __name__ == "__main__":
    main()
