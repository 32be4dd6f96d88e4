# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""KernelClassifier with nothing set beside what a scikit-learn user would write: test error and processor seconds of fit.

The peers: StandardScaler, RBFSampler(n_components=500) and LinearSVC (the bar: never worse, never slower);
HistGradientBoosting; LIBSVM's SVC behind a StandardScaler, on a sample of 10,000 rows where there are more. All get the
same arrays. Seconds are those of all threads, since machines that measure may be busy. Each fit is a process of its own;
a peer is stopped after so many processor seconds of it.
The package is the one that PYTHONPATH or the environment has.
Takes an hour.

usage: classifier.py [NAME ...] [--budget TIME] [--rows N] [--machines A,B] [--limit SECONDS]
names: adult usps covtype2 mnist; machines: pipeline boosting svc, and ours: ridge (KernelRidgeClassifier of as many
features as the pipeline has), fast and normal (efforts of KernelClassifier); --rows: that many drawn rows of the training
for all; --limit: of peers, 300 unless said. With all four sets and nothing else it is the whole table.
"""
import argparse
import json
import os
import resource
import signal
import subprocess
import sys

import numpy as np

SETS = ["adult", "usps", "covtype2", "mnist"]
OURS = ["ridge", "fast", "normal"]
MACHINES = ["pipeline", "boosting", "svc", *OURS]
MOST_SVC = 10000


def folder():
    for place in (os.environ.get("BOCHNER_PLAIN_DATA"), os.environ.get("BOCHNER_DATA"), "data"):
        if place and os.path.exists(os.path.join(place, "usps.train.csv")):
            return place
    sys.exit("classifier.py: no folder with usps.train.csv; name it by BOCHNER_PLAIN_DATA")


def rows_of(name, part):
    path = os.path.join(folder(), f"{name}.{part}")
    if name == "adult":
        from sklearn.datasets import load_svmlight_file

        X, y = load_svmlight_file(path + ".svm", n_features=123)
        return X.toarray(), y
    if name == "mnist":
        table = np.load(path + ".npy")
        return table[:, :-1].astype(np.float64), table[:, -1]
    import pandas

    table = pandas.read_csv(path + ".csv")
    target = table.columns[-1]
    return table.drop(columns=target).to_numpy(np.float64), table[target].to_numpy()


def machine_of(kind, budget):
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC, LinearSVC

    if kind in OURS:
        from bochner import KernelClassifier, KernelRidgeClassifier

        if kind == "ridge":
            return KernelRidgeClassifier(n_components=500, n_jobs=2)
        return KernelClassifier(kind, budget=budget, n_jobs=2)
    if kind == "pipeline":
        return make_pipeline(StandardScaler(), RBFSampler(n_components=500, random_state=0), LinearSVC(random_state=0))
    if kind == "boosting":
        return HistGradientBoostingClassifier(random_state=0)
    return make_pipeline(StandardScaler(), SVC())


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def one(name, kind, arguments):
    X, y = rows_of(name, "train")
    most = min(arguments.rows or len(X), MOST_SVC if kind == "svc" else len(X))
    if len(X) > most:
        rows = np.random.default_rng(0).permutation(len(X))[:most]
        X, y = X[rows], y[rows]
    machine = machine_of(kind, arguments.budget)
    before = processor_seconds()
    if kind not in OURS:
        resource.setrlimit(resource.RLIMIT_CPU, (int(before + arguments.limit + 1), resource.RLIM_INFINITY))
    machine.fit(X, y)
    seconds = processor_seconds() - before
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    error = 1 - machine.score(*rows_of(name, "test"))
    print(json.dumps({"set": name, "machine": kind, "error": error, "seconds": seconds, "rows": len(X)}))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1])
    parser.add_argument("names", nargs="*", default=SETS)
    parser.add_argument("--budget")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--machines", type=lambda text: text.split(","), default=MACHINES)
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        return one(arguments.names[0], arguments.one, arguments)
    for name in arguments.names:
        for kind in arguments.machines:
            words = [name, "--one", kind, "--limit", str(arguments.limit)]
            words += ["--rows", str(arguments.rows)] if arguments.rows else []
            words += ["--budget", arguments.budget] if arguments.budget else []
            done = subprocess.run([sys.executable, __file__, *words], capture_output=True, text=True,
                                  env={**os.environ, "OMP_NUM_THREADS": "1"})
            if done.returncode == -signal.SIGXCPU:
                print(f"{name:9} {kind:9} stopped after {arguments.limit:.0f} s", flush=True)
                continue
            if done.returncode:
                sys.exit(done.stderr)
            found = json.loads(done.stdout.splitlines()[-1])
            print(f"{name:9} {kind:9} error {100 * found['error']:6.2f} %   {found['seconds']:8.1f} s   "
                  f"{found['rows']} rows", flush=True)


if __name__ == "__main__":
    main()
