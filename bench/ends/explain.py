#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Rows that `bochner explain` explains in a second of one core, and shap beside it where shap is installed: its exact
explainers of trees and linear models, and the error of KernelExplainer at equal time, with deletion and insertion curves.

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


def linear_beside_shap():
    """The largest difference to shap.LinearExplainer, over the largest value."""
    import shap
    from bochner import KernelRidge
    draw = np.random.default_rng(0)
    x = draw.normal(size=(2000, 12)) * 10.0 ** np.arange(-3, 3).repeat(2)
    y = x @ draw.normal(size=12) + draw.normal(size=2000)
    machine = KernelRidge(1e-6, map="none", precision="double").fit(x, y)
    found = machine.explain(x[:50], x[:500], background_rows=500).values
    base = machine.predict(np.zeros((1, 12)))
    slopes = np.array([machine.predict(np.eye(12)[[j]]) - base for j in range(12)]).ravel()
    peer = shap.LinearExplainer((slopes, base[0]), shap.maskers.Independent(x[:500], max_samples=500)).shap_values(x[:50])
    print(f"shap.LinearExplainer: largest difference {np.abs(found - peer).max() / np.abs(peer).max():.1g} of the largest value")


def numbers_of(file, target):
    """The columns of numbers of a table, and its target as a number."""
    import pandas
    read = pandas.read_csv(file)
    y = read.pop(target)
    x = read.select_dtypes("number").astype(float)
    y = y.astype(float) if y.dtype.kind in "fiu" else (y == y.max()).astype(float)
    return x.fillna(x.mean()).to_numpy(), y.to_numpy()


def curve(predict, x, background, values, inserts):
    """The mean change of the answer while the columns of largest |value| go over to the background one after another
    (deletion: the more the better), or come from it (insertion: what is still missing, the less the better), in
    deviations of the answer."""
    order, spread = np.argsort(-np.abs(values), axis=1), predict(background).std()
    changes = []
    full = predict(x)
    for b in background[:20]:
        rows = np.tile(b, (len(x), 1)) if inserts else x.copy()
        for step in range(x.shape[1]):
            at = (np.arange(len(x)), order[:, step])
            rows[at] = x[at] if inserts else b[order[:, step]]
            changes.append(np.abs(predict(rows) - full).mean())
    return np.mean(changes) / spread


def curves(args, rows=20):
    """KernelExplainer and permutations with the time that `explain` took, on three tables."""
    import shap
    from bochner import KernelRidge
    draw = np.random.default_rng(4)
    made = draw.normal(size=(3000, 10))
    tables = {"made": (made, np.sin(2 * made[:, 0]) + made[:, 1] * made[:, 2] + 0.3 * made[:, 3]),
              "cpu-small": numbers_of(args.data / "cpu-small.csv", "usr"),
              "adult-small": numbers_of(args.data / "adult-small.csv", "income")}
    for name, (x, y) in tables.items():
        machine = KernelRidge(n_components=1000, n_jobs=1).fit(x, y)
        background, new = x[:100], x[-rows:]
        begin = time.perf_counter()
        exact = machine.explain(new, background, unknown="rows").values
        took = time.perf_counter() - begin
        kernel, samples = shap.KernelExplainer(machine.predict, background), 2 * x.shape[1]
        peers = {"explain": (exact, took)}
        while True:  # as many samples as fit into the time, at least the fewest that a fit of the columns needs
            begin = time.perf_counter()
            found = kernel.shap_values(new, nsamples=samples, silent=True, l1_reg=False)
            spent = time.perf_counter() - begin
            peers["KernelExplainer"] = (found, spent)
            if 2 * spent > took:
                break
            samples *= 2
        begin = time.perf_counter()
        found = shap.PermutationExplainer(machine.predict, background)(new, max_evals=2 * x.shape[1] + 1, silent=True).values
        peers["PermutationExplainer"] = (found, time.perf_counter() - begin)
        for peer, (found, spent) in peers.items():
            error = np.sqrt(np.mean((found - exact) ** 2) / np.mean(exact ** 2))
            deletion, insertion = (curve(machine.predict, new, background, found, inserts) for inserts in (False, True))
            print(f"{name}, {peer}: {spent / rows:.4f} s a row, relative error {error:.2g}, deletion {deletion:.4f}, "
                  f"insertion {insertion:.4f}", flush=True)


def beside_shap(args):
    try:
        import bochner  # noqa: F401
        import shap  # noqa: F401
    except ImportError as missing:
        return print(f"shap is left out: {missing}")
    linear_beside_shap()
    curves(args)


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
        beside_shap(chosen)
        if chosen.machine:
            machines(chosen)
