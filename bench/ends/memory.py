# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Whether `--memory` is kept: the plan that the command prints and the peak of its resident set, beside what it may hold.

A row fails when the peak is more than 5 % above --memory. With `tight`, --memory is what the plan asks for at least.

usage: memory.py [NAME ...]
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import data

COVTYPE = ["covtype2.train.csv", "--target", "class", "--bandwidth", "6.3"]
BINS = ["covtype2.train.csv", "--target", "class", "--map", "binning"]
MNIST = ["mnist.train.npy", "--target", "784", "--bandwidth", "10"]
# name: (command, words, values of --memory)
TASKS = {
    "cholesky-1000": ("train", COVTYPE + ["--features", "1000", "--solver", "cholesky", "--lambda", "1e-8"],
                      ["tight", "1G"]),
    "cholesky-3000": ("train", COVTYPE + ["--features", "3000", "--solver", "cholesky", "--lambda", "1e-8"], ["tight"]),
    "cholesky-path": ("train", COVTYPE + ["--features", "2000", "--solver", "cholesky", "--lambda", "1e-8,1e-6"],
                      ["tight", "400M"]),
    "cg-2000": ("train", COVTYPE + ["--features", "2000", "--solver", "cg", "--lambda", "1e-8"], ["tight", "1G", "3G"]),
    "cg-path": ("train", COVTYPE + ["--features", "1000", "--solver", "cg"], ["tight", "1G"]),
    "cg-8000": ("train", COVTYPE + ["--features", "8000", "--solver", "cg", "--lambda", "1e-8"], ["6200M"]),
    "logistic-2000": ("train", COVTYPE + ["--features", "2000", "--learner", "logistic", "--C", "1"], ["1G", "tight"]),
    "svm-2000": ("train", COVTYPE + ["--features", "2000", "--learner", "svm", "--C", "1"], ["1G"]),
    "auto": ("train", ["covtype2.train.csv", "--target", "class", "--features", "512"], ["tight", "2G"]),
    "machine": ("train", ["covtype2.train.csv", "--target", "class"], ["500M", "1G"]),
    "usps": ("train", ["usps.train.csv", "--target", "digit"], ["tight"]),
    "mnist-cg": ("train", MNIST + ["--features", "4096", "--solver", "cg", "--lambda", "1e-7"], ["tight", "1G"]),
    "adult-svm": ("train", ["adult.train.svm", "--features", "2000", "--bandwidth", "5.5", "--learner", "svm", "--C",
                            "1"], ["tight", "1G"]),
    "usps-logistic": ("train", ["usps.train.csv", "--target", "digit", "--features", "1000", "--bandwidth", "10",
                                "--learner", "logistic", "--C", "10"], ["tight"]),
    "usps-svm": ("train", ["usps.train.csv", "--target", "digit", "--features", "1000", "--bandwidth", "10",
                           "--learner", "svm", "--loss", "squared-hinge", "--C", "10"], ["tight"]),
    "cpu-svr": ("train", ["cpu.train.csv", "--target", "usr", "--features", "1000", "--bandwidth", "5", "--learner",
                          "svr", "--C", "1"], ["tight"]),
    "cpu-huber": ("train", ["cpu.train.csv", "--target", "usr", "--features", "1000", "--bandwidth", "5", "--learner",
                            "huber", "--C", "1"], ["tight"]),
    "bins": ("train", BINS + ["--features", "50", "--bandwidth", "400", "--lambda", "1e-6"], ["tight", "1G"]),
    "bins-fine": ("train", BINS + ["--features", "100", "--bandwidth", "150", "--lambda", "1e-6"], ["tight"]),
    "bins-bounded": ("train", ["covtype2.train.csv", "--target", "class", "--map", "binning:max_bins=20000",
                               "--features", "200", "--bandwidth", "200", "--lambda", "1e-6"], ["tight"]),
    "bins-7-classes": ("train", ["covtype.train.csv", "--target", "class", "--map", "binning", "--features", "50",
                                 "--bandwidth", "400", "--lambda", "1e-6"], ["tight"]),
    "bins-auto": ("train", BINS + ["--features", "50", "--bandwidth", "auto"], ["500M", "1G"]),
    "bins-laplacian": ("train", ["adult-raw.train.csv", "--target", "income", "--map", "binning", "--kernel",
                                 "laplacian"], ["400M"]),
    "bins-order": ("train", ["adult-raw.train.csv", "--target", "income", "--map", "binning:order=1-2"],
                   ["tight", "200M"]),
    "bins-logistic": ("train", ["adult-raw.train.csv", "--target", "income", "--map", "binning:order=1-2", "--learner",
                                "logistic"], ["tight"]),
    "mixture": ("train", ["adult-raw.train.csv", "--target", "income", "--bandwidth", "4", "--map",
                          "fourier:features=512+binning:order=1-2"], ["tight", "400M"]),
    "mixture-cpu": ("train", ["cpu.train.csv", "--target", "usr", "--map", "fourier+binning"], ["200M"]),
    "accumulate": ("accumulate", ["covtype2.train.csv", "--spec", "survey", "--features", "2000", "--bandwidth", "6.3"],
                   ["tight", "1G"]),
    "solve": ("solve", ["sum"], ["tight", "1G"]),
}
MARGIN = 1.05
PLAN = re.compile(r"memory: (\S+) of")  # "memory: at least ..." is said before the bins are counted
UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}


def size(text):
    return float(text[:-1]) * UNITS[text[-1]]


def peak(command, cwd):
    """Exit code, messages and the largest resident set of a command."""
    with tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=messages)
        _, status, usage = os.wait4(process.pid, 0)
        messages.seek(0)
        return os.waitstatus_to_exitcode(status), messages.read().decode(), usage.ru_maxrss * 1024


def least(command, cwd):
    """What the plan needs at least, by the refusals of smaller values."""
    low, high = 1, 2**20  # MiB
    while low + max(1, low // 100) < high:
        middle = (low + high) // 2
        # Refused at once, or stopped as soon as it has begun.
        process = subprocess.Popen([*command, "--memory", f"{middle}M"], cwd=cwd, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        fits = any(PLAN.match(line.strip()) for line in process.stderr)
        process.kill()
        process.wait()
        low, high = (low, middle) if fits else (middle, high)
    return f"{high}M"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*", metavar="NAME")
    names = parser.parse_args().names or list(TASKS)
    folder, failed = data.folder(), False
    with tempfile.TemporaryDirectory() as work:
        for name in os.listdir(folder):
            os.symlink(os.path.join(folder, name), os.path.join(work, name))
        if {"accumulate", "solve"} & set(names):
            rows = ["covtype2.train.csv", "--quiet"]
            for words in (["accumulate", *rows, "--target", "class", "-o", "survey"],
                          ["accumulate", *rows, "--spec", "survey", "--features", "2000", "--bandwidth", "6.3", "-o",
                           "sum"]):
                subprocess.run(["bochner", *words], cwd=work, check=True)
        print(f"{'run':<16} {'--memory':>9} {'planned':>9} {'peak':>9}  peak / --memory")
        for name in names:
            command, words, limits = TASKS[name]
            line = ["bochner", command, *words, "-o", "out"]
            for given in limits:
                limit = least(line, work) if given == "tight" else given
                code, messages, resident = peak([*line, "--memory", limit], work)
                plans = sorted(PLAN.findall(messages), key=size)  # one of the search and one of the fit
                if code != 0 or not plans:
                    print(f"{name:<16} {limit:>9} failed: {messages.strip().splitlines()[-1]}")
                    failed = True
                    continue
                ratio = resident / size(limit)
                failed = failed or ratio > MARGIN
                print(f"{name:<16} {limit:>9} {plans[-1]:>9} {resident / 2**20:>8.0f}M  {ratio:.3f}"
                      f"{' too much' if ratio > MARGIN else ''}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
