# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Ridge by Cholesky on Fourier features whose products are summed exactly in integers, beside sums in double.

Both draw the same features and choose lambda by leaving one out. Errors on the test rows: the share that is wrong, or the
relative error of the founding table; the difference in points. Then the same with lambda = 1e-10.

usage: exact_sums.py [NAME ...] [--features 1000]
"""
import argparse
import json
import os
import tempfile

import data

# name: target, words
SETS = {"cpu": ("usr", ()), "census": ("price", ()), "adult-raw": ("income", ()), "usps": ("digit", ()),
        "covtype2": ("class", ()), "covtype": ("class", ()), "kdd99": ("attack", ()), "mnist": ("784", ("--task", "classification"))}


def error(name, words, folder):
    """The test error in percent, and lambda."""
    target, task = SETS[name]
    ending = "npy" if name == "mnist" else "csv"
    train, test = (os.path.join(data.folder(), f"{name}.{part}.{ending}") for part in ("train", "test"))
    model = os.path.join(folder, "model")
    report = json.loads(data.run("bochner", "train", train, "--target", target, *task, "--solver", "cholesky", *words, "-o", model,
                                 "--json", "--quiet")[0])
    score = json.loads(data.run("bochner", "eval", model, test, "--json", "--quiet")[0])
    score = score.get("score", score)
    return 100 * score.get("error", score.get("relative_error")), report["lambda"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=", ".join(SETS))
    parser.add_argument("--features", default="1000")
    options = parser.parse_args()
    print("| set | lambda | exact, % | double, % | points between | lambda = 1e-10: exact, % | double, % |\n|" + "---|" * 7)
    with tempfile.TemporaryDirectory() as folder:
        for name in options.names or SETS:
            words = ["--map", "fourier", "--features", options.features]
            (exact, chosen), (double, _) = (error(name, [*words, *more], folder) for more in ([], ["--precision", "double"]))
            words += ["--lambda", "1e-10"]
            least, least_double = (error(name, [*words, *more], folder)[0] for more in ([], ["--precision", "double"]))
            print(f"| {name} | {chosen:.3g} | {exact:.3f} | {double:.3f} | {exact - double:+.3f} | {least:.3f} | {least_double:.3f} |",
                  flush=True)


main()
