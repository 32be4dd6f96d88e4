# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What it would bring to choose Fourier frequencies by the training rows: of 5 D that are drawn, the D that are kept.

energy: those with the largest coefficients in the ridge on all 5 D; alignment: those whose features have the largest
products with the target (Sinha & Duchi 2016); leverage: those of the largest ridge leverage. Prints the error on test
rows (fraction wrong, or |yhat - y| / |y|), its mean and deviation over seeds, all of D cosines and D sines. In numpy;
the library's `chosen-fourier` takes those of the largest energy.

usage: chosen_frequencies.py [D]    D = 100 by default
"""
import csv
import gzip
import lzma
import os
import sys

import numpy as np

import data

DRAWN, JUDGES, SEEDS, WIDTH = 5, 3000, 3, 0.6  # WIDTH: length scale over the median distance of rows
LAMBDAS = 10.0 ** np.arange(-8, -1)
SHIPPED = os.path.join(data.ROOT, "data")


def numbers(columns):
    """Columns of text as numbers, or as indicators of their values."""
    for column in columns:
        try:
            yield np.asarray(column, dtype=float)[:, None]
        except ValueError:
            yield (np.asarray(column)[:, None] == np.unique(column)).astype(float)


def tables():
    """Name, inputs, target, whether it is a class, rows that train."""
    with gzip.open(os.path.join(SHIPPED, "digits.csv.gz"), "rt") as file:
        rows = np.loadtxt(file, delimiter=",", skiprows=1)
    yield "digits", rows[:, :-1], rows[:, -1], True, 1000
    with open(os.path.join(SHIPPED, "adult-small.csv")) as file:
        columns = list(zip(*list(csv.reader(file))[1:]))
    yield "adult-small", np.hstack(list(numbers(columns[:-1]))), np.asarray(columns[-1]), True, len(columns[0]) * 7 // 10
    source = data.packed()
    with lzma.open(os.path.join(source, "cpu-act", "cpu_act.arff.xz"), "rt") as file:
        lines = file.read().split("@data")[-1].split("@DATA")[-1].strip().splitlines()
    rows = np.array([line.split(",") for line in lines], dtype=float)
    yield "CPU", rows[:, :-1], rows[:, -1], False, 6500
    with lzma.open(os.path.join(source, "census-house", "house_16H.csv.xz"), "rt") as file:
        rows = np.loadtxt(file, delimiter=",", skiprows=1)
    yield "Census", rows[:, :-1], rows[:, -1], False, 8000
    with lzma.open(os.path.join(source, "covtype", "covtype.first20k.data.xz"), "rt") as file:
        rows = np.loadtxt(file, delimiter=",")
    yield "Forest", rows[:, :-1], rows[:, -1], True, 8000


def features(X, W):
    angles = X @ W.T
    return np.hstack([np.cos(angles), np.sin(angles)]) / np.sqrt(len(W))


class Ridge:
    """Ridge on features, lambda by a fifth of the training rows."""

    def __init__(self, Z, Y):
        k = len(Z) * 4 // 5
        self.fit(Z[:k], Y[:k], LAMBDAS[0])
        errors = [np.mean((self.solve(l).predict(Z[k:]) - Y[k:]) ** 2) for l in LAMBDAS]
        self.fit(Z, Y, LAMBDAS[np.argmin(errors)])

    def fit(self, Z, Y, penalty):
        self.n, self.mean, self.shift = len(Z), Z.mean(0), Y.mean(0)
        self.G, self.r = (Z - self.mean).T @ (Z - self.mean), (Z - self.mean).T @ (Y - self.shift)
        self.solve(penalty)

    def solve(self, penalty):
        self.penalty = penalty
        self.w = np.linalg.solve(self.shifted(), self.r)
        return self

    def shifted(self):
        return self.G + self.penalty * self.n * np.eye(len(self.G))

    def predict(self, Z):
        return (Z - self.mean) @ self.w + self.shift


def choices(X, Y, W, D, draw):
    """Name and frequencies of each way."""
    yield "the first", W[:D]
    some = draw.permutation(len(X))[:JUDGES]
    all_of_them = Ridge(features(X[some], W), Y[some])
    per_pair = {"energy": (all_of_them.w ** 2).sum(1), "alignment": (all_of_them.r ** 2).sum(1),
                "leverage": np.diag(np.linalg.solve(all_of_them.shifted(), all_of_them.G))}
    for name, scores in per_pair.items():
        yield name, W[np.argsort(-scores.reshape(2, -1).sum(0))[:D]]


def main():
    D = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for name, X, y, classes, n in tables():
        order = np.random.default_rng(0).permutation(len(X))[:n + 4000]
        X, y = X[order], y[order]
        Y = 2.0 * (y[:, None] == np.unique(y)) - 1 if classes else y[:, None]
        spread = X[:n].std(0)
        X = (X - X[:n].mean(0)) / np.where(spread > 0, spread, 1)
        a, b = np.random.default_rng(1).integers(0, n, (2, JUDGES))
        median = np.median(np.linalg.norm(X[a] - X[b], axis=1))
        found = {}
        for seed in range(SEEDS):
            draw = np.random.default_rng(seed)
            W = draw.normal(size=(DRAWN * D, X.shape[1])) / (WIDTH * median)
            for way, chosen in choices(X[:n], Y[:n], W, D, draw):
                guess = Ridge(features(X[:n], chosen), Y[:n]).predict(features(X[n:], chosen))
                error = (np.mean(guess.argmax(1) != Y[n:].argmax(1)) if classes
                         else np.linalg.norm(guess - Y[n:]) / np.linalg.norm(Y[n:]))
                found.setdefault(way, []).append(100 * error)
        print(f"{name}, {n} rows, D = {D}: " +
              "; ".join(f"{way} {np.mean(e):.2f} +- {np.std(e):.2f} %" for way, e in found.items()), flush=True)


if __name__ == "__main__":
    main()
