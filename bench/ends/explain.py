#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Rows that `bochner explain` explains in a second of one core, and shap's KernelExplainer beside it where shap is installed.

usage: explain.py COMMAND [--data FOLDER] [--machine]
  COMMAND    build/release/bochner; --machine: the automatic machine on the tables of FOLDER as well
"""

import argparse
import os
import pathlib
import resource
import subprocess
import tempfile
import time

import numpy as np


def seconds(*words):
    """Processor seconds of a command."""
    begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin


def table(path, rows, columns, seed):
    draw = np.random.default_rng(seed)
    x = draw.normal(size=(rows, columns))
    y = np.sin(x[:, 0]) + x[:, 1] * x[:, 2] + 0.1 * draw.normal(size=rows)
    names = ",".join([*(f"x{j}" for j in range(columns)), "y"])
    np.savetxt(path, np.column_stack([x, y]), delimiter=",", fmt="%.6f", header=names, comments="")


def head(path, rows, to):
    with open(path) as source:
        pathlib.Path(to).write_text("".join(line for _, line in zip(range(rows + 1), source)))


def rate(args, model, background, file, few, many, *words):
    """Rows a second of one core: the time of `many` rows less that of `few`, which has all that is done once."""
    took = []
    for rows in (few, many):
        head(file, rows, "some.csv")
        best = min(seconds(args.command, "explain", model, "some.csv", "--background", background, "-o", "values.csv",
                           "--threads", 1, *words) for _ in range(3))
        took.append(best)
    return (many - few) / (took[1] - took[0])


def fourier(args):
    for columns in (10, 30):
        table("train.csv", 4000, columns, 1)
        table("new.csv", 4000, columns, 2)
        for features in (2000, 4000):  # half are cosines, half sines
            seconds(args.command, "train", "train.csv", "-t", "y", "--map", "fourier", "--features", features,
                    "--bandwidth", np.sqrt(columns), "--lambda", 1e-4, "-o", "m")
            print(f"{features} features, {columns} columns: {rate(args, 'm', 'train.csv', 'new.csv', 200, 3200):.0f} "
                  "rows a second", flush=True)


def kernel_explainer(args, rows=3, samples=2048):
    """Seconds a row and the error of shap's KernelExplainer, on the same model by its own frequencies."""
    try:
        import shap
        from bochner import KernelRidge
    except ImportError as missing:
        return print(f"KernelExplainer is left out: {missing}")
    read = np.loadtxt("train.csv", delimiter=",", skiprows=1)
    x, y = read[:, :-1], read[:, -1]
    machine = KernelRidge(1e-4, n_components=2000, bandwidth=float(np.sqrt(x.shape[1]))).fit(x, y)
    background, new = x[:100], x[200:200 + rows]
    exact = machine.explain(new, background, unknown="rows").values
    begin = time.perf_counter()
    found = shap.KernelExplainer(machine.predict, background).shap_values(new, nsamples=samples, silent=True)
    print(f"KernelExplainer, {samples} samples: {(time.perf_counter() - begin) / rows:.2f} s a row, "
          f"root mean square error {np.sqrt(np.mean((found - exact) ** 2)):.2g} of values of size "
          f"{np.sqrt(np.mean(exact ** 2)):.2g}")


def machines(args):
    for name, target in (("cpu", "usr"), ("adult", "income")):
        file = args.data / f"{name}-small.csv"
        seconds(args.command, "train", file, "-t", target, "-o", "m")
        found = rate(args, "m", file, file, 20, 140)
        print(f"the automatic machine on {name}: {found:.1f} rows a second", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--data", type=lambda path: pathlib.Path(path).resolve(), default=pathlib.Path("data").resolve())
    parser.add_argument("--machine", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        fourier(chosen)
        kernel_explainer(chosen)
        if chosen.machine:
            machines(chosen)
