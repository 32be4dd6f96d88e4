# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Random bins beside gradient boosting: test error and training time on the same rows and threads.

XGBoost: 300 rounds, depth 10, histograms. LightGBM: the leaves and rounds that gave it its least test error among
those tried, which favours it. Their times are of fit() on arrays that lie in memory; ours are those of `bochner train`:
the fit alone, and everything from the file to the model with the search for length scales and lambda. Nothing of ours
sees test rows. A library that is not installed is left out.

usage: boosting.py [NAME ...] [--threads 2] [--seeds 5] [--skip-peers]
"""
import argparse
import importlib
import json
import os
import statistics
import sys
import tempfile
import time

import boosters
import data

# name: train and test file, target, words of `bochner train`
TASKS = {
    "covtype2": ("covtype2", "class", ["--map", "binning", "--features", "50", "--bandwidth", "auto"]),
    "covtype2-200": ("covtype2", "class", ["--map", "binning", "--features", "200", "--bandwidth", "auto"]),
    "covtype2-500": ("covtype2", "class", ["--map", "binning", "--features", "500", "--bandwidth", "auto"]),
    "covtype": ("covtype", "class", ["--map", "binning", "--features", "50", "--bandwidth", "auto"]),
    "adult-raw": ("adult-raw", "income", ["--map", "binning:order=1-2"]),
}
SHAPES = ((31, 300), (255, 1000), (1023, 500))  # leaves and rounds of LightGBM: the better counts


def installed(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"  {name} is not installed, left out")
        return None


def peers(train, test, target, threads):
    xgboost, lightgbm = installed("xgboost"), installed("lightgbm")
    x, labels, tx, truth = boosters.tables(train, test, target, True)

    def timed(model):
        start = time.perf_counter()
        model.fit(x, labels)
        seconds = time.perf_counter() - start
        return seconds, boosters.error_of(model.predict(tx), truth, True)

    if xgboost:
        yield "XGBoost, 300 x depth 10", *timed(xgboost.XGBClassifier(
            n_estimators=300, max_depth=10, tree_method="hist", n_jobs=threads, enable_categorical=True))
    best = None
    for leaves, rounds in SHAPES if lightgbm else ():
        seconds, error = timed(lightgbm.LGBMClassifier(n_estimators=rounds, num_leaves=leaves, n_jobs=threads,
                                                       verbose=-1))
        if best is None or error < best[2]:
            best = (f"LightGBM, {rounds} x {leaves} leaves", seconds, error)
    if best:
        yield best


def ours(train, test, target, words, threads, seeds):
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        for seed in range(seeds):
            report = json.loads(data.run("bochner", "train", train, "--target", target, *words, "--threads",
                                         str(threads), "--seed", str(seed), "-o", model, "--json", "--quiet")[0])
            steps = report["seconds"]
            fit = steps["fit"] + steps["pack"]
            runs.append((data.bochner_error(model, test), fit, steps["total"]))
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(TASKS)}; default: covtype2 and adult-raw")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--skip-peers", action="store_true")
    args = parser.parse_args()
    folder = data.folder()
    for name in args.names or ["covtype2", "adult-raw"]:
        if name not in TASKS:
            sys.exit(f"boosting.py: found {name}, expected one of {', '.join(TASKS)}")
        stem, target, words = TASKS[name]
        train, test = (os.path.join(folder, f"{stem}.{part}.csv") for part in ("train", "test"))
        print(f"{name}, {args.threads} threads")
        runs = ours(train, test, target, words, args.threads, args.seeds)
        fit, whole = (statistics.median(run[i] for run in runs) for i in (1, 2))
        error = statistics.median(run[0] for run in runs)
        print(f"  {'bins: ' + ' '.join(words):50s} {100 * error:6.2f} %  fit {fit:7.2f} s, with search {whole:7.2f} s"
              f"  (seeds {', '.join(f'{100 * run[0]:.2f}' for run in runs)})", flush=True)
        if args.skip_peers:
            continue
        for label, seconds, error in peers(train, test, target, args.threads):
            print(f"  {label:50s} {100 * error:6.2f} %  fit {seconds:7.2f} s, {seconds / fit:.1f} x our fit, "
                  f"{seconds / whole:.2f} x with the search", flush=True)


if __name__ == "__main__":
    main()
