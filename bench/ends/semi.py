# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Ten rows of each class have a target: `bochner semi` on all rows, the plain command on those with a target alone, and
scikit-learn's LabelSpreading (its kernel of neighbours), on digits and USPS.

Prints the error on the rows without a target: mean and deviation over draws, and the ratio of the means.

usage: semi.py [--draws N] [--rows-of-a-class N] [SET ...]
"""
import argparse
import json
import os
import tempfile

import numpy as np

import data


def digits(folder):
    return np.loadtxt(os.path.join(data.ROOT, "data", "digits.csv.gz"), delimiter=",", skiprows=1)


def usps(folder):
    return np.loadtxt(os.path.join(folder, "usps.train.csv"), delimiter=",", skiprows=1)


SETS = {"digits": digits, "usps": usps}


def write(path, table, known):
    with open(path, "w") as file:
        file.write(",".join([f"x{j}" for j in range(table.shape[1] - 1)] + ["y"]) + "\n")
        for row, has in zip(table, known):
            file.write(",".join([f"{x:.9g}" for x in row[:-1]] + [f"c{int(row[-1])}" if has else ""]) + "\n")


def error_of(model, path):
    return json.loads(data.run("bochner", "eval", model, path, "--json", "--quiet")[0])["error"]


def errors(table, known, scratch):
    """The errors of the three, and the processor seconds of the first."""
    from sklearn.semi_supervised import LabelSpreading
    files = {name: os.path.join(scratch, name) for name in ("all.csv", "with.csv", "without.csv", "semi", "plain")}
    every = np.ones(len(table), bool)
    write(files["all.csv"], table, known)
    write(files["with.csv"], table[known], every)
    write(files["without.csv"], table[~known], every)
    watch = data.Watch()
    data.run("bochner", "semi", files["all.csv"], "--target", "y", "--quiet", "-o", files["semi"])
    seconds = watch.seconds()[1]
    data.run("bochner", "train", files["with.csv"], "--target", "y", "--quiet", "-o", files["plain"])
    spread = LabelSpreading(kernel="knn").fit(table[:, :-1], np.where(known, table[:, -1], -1).astype(int))
    return (error_of(files["semi"], files["without.csv"]), error_of(files["plain"], files["without.csv"]),
            (spread.transduction_ != table[:, -1])[~known].mean(), seconds)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--rows-of-a-class", type=int, default=10)
    parser.add_argument("sets", nargs="*")
    words = parser.parse_args()
    for name in words.sets or SETS:
        table = SETS[name](data.folder() if name != "digits" else None)
        found = []
        for draw in range(words.draws):
            generator = np.random.default_rng(draw)
            known = np.zeros(len(table), bool)
            for one in np.unique(table[:, -1]):
                known[generator.permutation(np.flatnonzero(table[:, -1] == one))[:words.rows_of_a_class]] = True
            with tempfile.TemporaryDirectory() as scratch:
                found.append(errors(table, known, scratch))
        found = np.array(found)
        text = ", ".join(f"{whose} {100 * mean:.2f} ± {100 * deviation:.2f} %" for whose, mean, deviation in
                         zip(("semi", "plain command", "LabelSpreading"), found.mean(0), found.std(0)))
        print(f"{name}, {words.draws} draws: {text}; semi / plain {found[:, 0].mean() / found[:, 1].mean():.2f}, "
              f"{found[:, 3].mean():.1f} s of processor time", flush=True)


if __name__ == "__main__":
    main()
