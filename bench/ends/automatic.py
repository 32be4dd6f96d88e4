# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The plain command beside XGBoost, LightGBM and CatBoost: test error and time on the same rows and threads.

The peers run with their defaults, up to 2,000 rounds at rate 0.05 stopped early on 10 % of the training rows (100 rounds
without gain), categories as such; those of them that are not installed are left out. Errors: the fraction wrong, or the
root mean squared error over the deviation of the test targets. Times are wall clock: of `bochner train`, from the file
to the model; of fit() on arrays in memory. Medians over seeds. Nothing sees test rows.

usage: automatic.py [NAME ...] [--threads 2] [--seeds 3] [--effort normal] [--skip-peers]
"""
import argparse
import json
import math
import os
import statistics
import tempfile
import time

import numpy as np
import pandas as pd

import data

# name: target, whether it is a class
REAL = {"cpu": ("usr", False), "census": ("price", False), "adult-raw": ("income", True), "usps": ("digit", True),
        "covtype2": ("class", True), "covtype": ("class", True), "kdd99": ("attack", True)}
ROUNDS, RATE, PATIENCE = 2000, 0.05, 100


def friedman(kind, seed):
    draw = np.random.default_rng(seed)
    n = 12000
    if kind == 1:
        x = draw.uniform(size=(n, 10))
        y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
        return x, y, 1.0
    x = draw.uniform(size=(n, 4)) * [100, 520 * math.pi, 1, 10] + [0, 40 * math.pi, 0, 1]
    inner = x[:, 1] * x[:, 2] - 1 / (x[:, 1] * x[:, 3])
    if kind == 2:
        return x, np.hypot(x[:, 0], inner), 125.0
    return x, np.arctan2(inner, np.maximum(x[:, 0], 1e-9)), 0.1


def four_of_32(seed):
    x = np.random.default_rng(seed).standard_normal((20000, 32))
    y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + np.abs(x[:, 3])
    return x, y, 0.1 * y.std()


def noise(seed):
    x = np.random.default_rng(seed).standard_normal((10000, 10))
    return x, np.zeros(len(x)), 1.0


# name: inputs, clean targets and the deviation of the noise; rows that train. All rows have noise.
MADE = {"friedman1": (lambda s: friedman(1, s), 2000), "friedman2": (lambda s: friedman(2, s), 2000),
        "friedman3": (lambda s: friedman(3, s), 2000), "four-of-32": (four_of_32, 10000), "noise": (noise, 5000)}


def files(name, folder):
    """Training and test file, target, whether it is a class."""
    if name in REAL:
        target, classes = REAL[name]
        return [os.path.join(data.folder(), f"{name}.{part}.csv") for part in ("train", "test")] + [target, classes]
    make, rows = MADE[name]
    x, y, deviation = make(1)
    table = pd.DataFrame(x, columns=[f"x{j}" for j in range(x.shape[1])])
    table["y"] = y + deviation * np.random.default_rng(2).standard_normal(len(y))
    paths = [os.path.join(folder, f"{name}.{part}.csv") for part in ("train", "test")]
    table[:rows].to_csv(paths[0], index=False)
    table[rows:].to_csv(paths[1], index=False)
    return paths + ["y", False]


def error_of(predicted, truth, classes):
    if classes:
        return float(np.mean(predicted != truth))
    return float(np.sqrt(np.mean((predicted - truth) ** 2)) / np.std(truth))


def tables(train, test, target, classes):
    both = [pd.read_csv(path, skipinitialspace=True) for path in (train, test)]
    y = [part.pop(target) for part in both]
    if classes:
        labels = pd.Categorical(y[0].astype(str).str.strip().str.rstrip("."))
        y = [np.asarray(pd.Categorical(part.astype(str).str.strip().str.rstrip("."), categories=labels.categories).codes)
             for part in y]
    for name in both[0].columns:
        if not pd.api.types.is_numeric_dtype(both[0][name]):
            levels = pd.Categorical(both[0][name].astype(str)).categories
            for part in both:
                part[name] = pd.Categorical(part[name].astype(str), categories=levels)
    return both[0], np.asarray(y[0]), both[1], np.asarray(y[1])


def boosters(classes, threads, seed, categories):
    """name, model, words of its fit() given the rows that stop it."""
    try:
        import xgboost
        kind = xgboost.XGBClassifier if classes else xgboost.XGBRegressor
        yield ("XGBoost", kind(n_estimators=ROUNDS, learning_rate=RATE, early_stopping_rounds=PATIENCE, n_jobs=threads,
                               enable_categorical=True, random_state=seed),
               lambda held: {"eval_set": [held], "verbose": False})
    except ImportError:
        pass
    try:
        import lightgbm
        kind = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
        yield ("LightGBM", kind(n_estimators=ROUNDS, learning_rate=RATE, n_jobs=threads, random_state=seed, verbose=-1),
               lambda held: {"eval_set": [held], "callbacks": [lightgbm.early_stopping(PATIENCE, verbose=False)]})
    except ImportError:
        pass
    try:
        import catboost
        kind = catboost.CatBoostClassifier if classes else catboost.CatBoostRegressor
        yield ("CatBoost", kind(iterations=ROUNDS, learning_rate=RATE, early_stopping_rounds=PATIENCE,
                                thread_count=threads, cat_features=categories, random_seed=seed, verbose=False,
                                allow_writing_files=False),
               lambda held: {"eval_set": held})
    except ImportError:
        pass


def peers(table, classes, threads, seeds):
    x, y, tx, ty = table
    found = {}
    categories = [name for name in x.columns if isinstance(x[name].dtype, pd.CategoricalDtype)]
    for seed in range(seeds):
        order = np.random.default_rng(seed).permutation(len(x))
        held, fitted = order[:len(x) // 10], order[len(x) // 10:]
        for name, model, words in boosters(classes, threads, seed, categories):
            start = time.perf_counter()
            model.fit(x.iloc[fitted], y[fitted], **words((x.iloc[held], y[held])))
            seconds = time.perf_counter() - start
            found.setdefault(name, []).append((error_of(np.ravel(model.predict(tx)), ty, classes), seconds))
    return found


def ours(paths, table, options):
    train, test, target, classes = paths
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        model = os.path.join(folder, "model")
        for seed in range(options.seeds):
            words = ["--task", "classification"] if classes else []
            _, seconds = data.run("bochner", "train", train, "--target", target, "--effort", options.effort, *words,
                                  "--threads", str(options.threads), "--seed", str(seed), "-o", model, "--quiet")
            score = json.loads(data.run("bochner", "eval", model, test, "--json", "--quiet")[0])
            score = score.get("score", score)
            runs.append((score["error"] if classes else score["rmse"] / float(np.std(table[3])), seconds))
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {', '.join([*REAL, *MADE])}; default: all")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--effort", default="normal")
    parser.add_argument("--skip-peers", action="store_true")
    options = parser.parse_args()
    print("| set | rows | method | error, median | of each seed | seconds, median |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or [*REAL, *MADE]:
            paths = files(name, folder)
            table = tables(*paths)
            found = {f"bochner --effort {options.effort}": ours(paths, table, options)}
            if not options.skip_peers:
                found |= peers(table, paths[3], options.threads, options.seeds)
            for method, runs in found.items():
                errors, seconds = zip(*runs)
                print(f"| {name} | {len(table[0])} | {method} | {statistics.median(errors):.4f} | "
                      f"{' '.join(f'{e:.4f}' for e in errors)} | {statistics.median(seconds):.1f} |", flush=True)


if __name__ == "__main__":
    main()
