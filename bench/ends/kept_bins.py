# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What min_rows= and max_bins= do to a model of random bins: its size, its time to load and predict, its test error.

Forest Cover's two classes. The length scales and lambda are searched once, with every bin kept; then each choice of
bins is fitted with them. Times are the median of several runs of `bochner predict`: of one row, which is mostly the
loading of the model, and of all test rows from a csv file.

usage: kept_bins.py [--grids 50] [--repeats 5]
"""
import argparse
import json
import os
import statistics
import tempfile

import data

CHOICES = ("", "min_rows=2", "min_rows=3", "max_bins=80000", "max_bins=40000", "max_bins=20000", "max_bins=5000")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--grids", default="50")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    train, test = (os.path.join(data.folder(), f"covtype2.{part}.csv") for part in ("train", "test"))
    with tempfile.TemporaryDirectory() as work:
        model, one, out = (os.path.join(work, name) for name in ("model", "one.csv", "out.csv"))
        with open(test) as rows, open(one, "w") as few:
            few.writelines([next(rows), next(rows)])

        def fitted(bins, *words):
            return json.loads(data.run("bochner", "train", train, "--target", "class", "--map",
                                       f"binning:{bins}" if bins else "binning", "--features", arguments.grids, *words,
                                       "-o", model, "--json", "--quiet")[0])

        def seconds(rows):
            return statistics.median(data.run("bochner", "predict", model, rows, "-o", out, "--quiet")[1]
                                     for _ in range(arguments.repeats))

        search = fitted("", "--bandwidth", "auto")
        scales = ",".join(f"{scale:.6g}" for scale in search["length_scales"])
        print(f"{'kept':<16} {'bins':>9} {'MB':>6} {'test error':>10} {'one row':>8} {'test rows':>9}")
        for bins in CHOICES:
            report = fitted(bins, "--bandwidth", scales, "--lambda", repr(search["lambda"]))
            print(f"{bins or 'all':<16} {report['features']:>9} {os.path.getsize(model) / 1e6:>6.1f} "
                  f"{data.bochner_error(model, test):>10.2%} {seconds(one):>6.3f} s {seconds(test):>7.3f} s", flush=True)


if __name__ == "__main__":
    main()
