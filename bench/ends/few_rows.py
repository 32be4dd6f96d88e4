# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Few rows: the plain command beside `--map fourier` and, if it is installed, CatBoost's defaults on the same rows.

Takes about 15 minutes. Training rows of a table are drawn, several times (--draws); the test rows are the table's own.
Prints the error of each (the fraction wrong, or the root mean squared error over the deviation of the targets), the
log-loss of classes, and the geometric mean of both over that of the plain command.

usage: few_rows.py [--rows N,N,...] [--draws N] [--flags "FLAGS OF THE PLAIN COMMAND"] [--ways plain,...] [TABLE ...]
"""
import argparse
import collections
import json
import os
import tempfile

import numpy as np

import boosters
import data
import sets

TABLES = ["cpu", "census", "adult-raw", "usps", "concrete", "boston", "wage", "cells", "churn", "credit", "saratoga",
          "wages", "german", "vehicle", "segment", "vowel", "twonorm", "titanic", "small", "friedman1", "steps", "noise"]
MOST_TEST = 2000


def ours(files, target, classes, flags, model):
    watch = data.Watch()
    data.run("bochner", "train", files[0], "--target", target, "--task",
             "classification" if classes else "regression", "--quiet", *flags, "-o", model)
    seconds = watch.seconds()[1]
    score = json.loads(data.run("bochner", "eval", model, files[1], "--json", "--quiet")[0])
    if classes:
        return score["error"], score.get("log_loss"), seconds
    return np.sqrt(1 - score["r2"]), None, seconds


def catboost(files, target, classes):
    import catboost
    x, y, x_test, y_test = boosters.tables(*files, target, classes)
    if classes and len(set(y)) < 2:
        return None
    categories = [c for c in x.columns if x[c].dtype == "category"]
    kind = catboost.CatBoostClassifier if classes else catboost.CatBoostRegressor
    watch = data.Watch()
    model = kind(cat_features=categories, random_seed=1, verbose=False, allow_writing_files=False, thread_count=2)
    model.fit(boosters.as_it_takes("CatBoost", x), y)
    seconds = watch.seconds()[1]
    scores = boosters.scores_of(model, "CatBoost", x_test, y_test, classes)
    return scores["error"], scores.get("log_loss"), seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", default="40,80,150")
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument("--flags", default="")
    parser.add_argument("--ways", default="plain,fourier,CatBoost")
    parser.add_argument("tables", nargs="*")
    arguments = parser.parse_args()
    if "plain" not in arguments.ways.split(","):
        parser.error("--ways: expected plain among them, which the others are compared with")
    ways = {"plain": lambda f, t, c, m: ours(f, t, c, arguments.flags.split(), m),
            "fourier": lambda f, t, c, m: ours(f, t, c, ["--map", "fourier"], m)}
    try:
        import catboost as _
        ways["CatBoost"] = lambda f, t, c, m: catboost(f, t, c)
    except ImportError:
        pass
    ways = {way: run for way, run in ways.items() if way in arguments.ways.split(",")}
    ratios, losses, spent = (collections.defaultdict(list) for _ in range(3))
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.tables or TABLES:
            (train, test), target, classes = sets.frames(name)
            files = [os.path.join(folder, part) for part in ("train.csv", "test.csv")]
            test.sample(min(MOST_TEST, len(test)), random_state=1).to_csv(files[1], index=False)
            for rows in map(int, arguments.rows.split(",")):
                found = collections.defaultdict(list)
                for draw in range(arguments.draws):
                    train.sample(min(rows, len(train)), random_state=draw).to_csv(files[0], index=False)
                    for way, run in ways.items():
                        result = run(files, target, classes, os.path.join(folder, "model"))
                        if result:
                            found[way].append(result)
                line = f"{name:10} {rows:5}"
                for way in ways:
                    error, loss = (np.mean([r[k] for r in found[way]]) if found[way] and found[way][0][k] is not None
                                   else np.nan for k in (0, 1))
                    line += f"  {way} {error:.4f}" + (f" ({loss:.3f})" if classes else "")
                    plain = [np.mean([r[k] for r in found["plain"]]) if found["plain"][0][k] is not None else np.nan
                             for k in (0, 1)]
                    if error > 0 and plain[0] > 0:
                        ratios[way].append(np.log(error / plain[0]))
                    if classes and loss > 0 and plain[1] > 0:
                        losses[way].append(np.log(loss / plain[1]))
                    spent[way] += [r[2] for r in found[way]]
                print(line, flush=True)
    for way in ways:
        print(f"{way}: error {np.exp(np.mean(ratios[way])):.3f} of the plain command's, log-loss "
              f"{np.exp(np.mean(losses[way])) if losses[way] else np.nan:.3f}; {np.mean(spent[way]):.2f} processor "
              "seconds a training")


if __name__ == "__main__":
    main()
