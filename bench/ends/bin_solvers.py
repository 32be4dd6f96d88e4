# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Every solver of random bins on the same grids: test error and seconds of the fit.

Forest Cover's two classes. The length scales and lambda are searched once (seed 0); then each solver fits with them and
with the grids of other seeds. The hinges and the logistic loss get the C of that lambda.

usage: bin_solvers.py [--grids 50] [--seeds 3]
"""
import argparse
import json
import os
import statistics
import tempfile

import data

RIDGE = ("steps=4", "steps=8", "steps=12", "sweeps=5", "sweeps=15")
OTHERS = (["--learner", "logistic"], ["--learner", "svm"], ["--learner", "svm", "--loss", "squared-hinge"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--grids", default="50")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    train, test = (os.path.join(data.folder(), f"covtype2.{part}.csv") for part in ("train", "test"))
    with tempfile.TemporaryDirectory() as work:
        model = os.path.join(work, "model")

        def fitted(bins, words, seed):
            return json.loads(data.run("bochner", "train", train, "--target", "class", "--map", f"binning:{bins}",
                                       "--features", arguments.grids, "--seed", str(seed), *words, "-o", model, "--json",
                                       "--quiet")[0])

        search = fitted("law=hat", ["--bandwidth", "auto"], 0)
        scales = ["--bandwidth", ",".join(f"{scale:.6g}" for scale in search["length_scales"])]
        penalty = ["--lambda", repr(search["lambda"])]
        cost = ["--C", repr(1 / (search["lambda"] * search["rows"]))]
        print(f"{arguments.grids} grids, lambda {search['lambda']:.3g}, seeds 1 to {arguments.seeds}")
        for bins, words in [(f"law=hat,{r}", penalty) for r in RIDGE] + [("law=hat", w + cost) for w in OTHERS]:
            errors, seconds = [], []
            for seed in range(1, arguments.seeds + 1):
                seconds.append(fitted(bins, scales + words, seed)["seconds"]["fit"])
                errors.append(data.bochner_error(model, test))
            name = bins.removeprefix("law=hat,") if words is penalty else " ".join(words[:-2])
            print(f"  {name:40} {statistics.mean(errors):7.2%}  fit {statistics.median(seconds):6.2f} s  "
                  f"({', '.join(f'{e:.2%}' for e in errors)})", flush=True)


if __name__ == "__main__":
    main()
