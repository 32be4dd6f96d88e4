# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The graph of MNIST's 60,000 training images, ten neighbours each: `bochner graph` beside pynndescent.

usage: neighbors.py   with bochner on the path, numpy and pynndescent

Seconds by the clock, ours from file to file, theirs from memory without their first compilation; recall on 300 rows
that the search does not know of.
"""
import os
import tempfile
import time

import numpy as np
import pynndescent

import data

K, ASKED = 10, (0.9, 0.95)


def truth(x, rows):
    """The distance of the K-th nearest other row."""
    squares = (x * x).sum(1)
    squared = squares[rows, None] + squares - 2 * x[rows] @ x.T
    squared[np.arange(len(rows)), rows] = np.inf
    return np.sqrt(np.maximum(0, np.partition(squared, K - 1, axis=1)[:, K - 1]))


def recall(x, rows, limit, neighbors):
    hits = 0
    for row, most in zip(rows, limit):
        others = [i for i in neighbors[row] if i != row][:K]
        hits += (np.linalg.norm(x[others] - x[row], axis=1) <= most * (1 + 1e-5)).sum()
    return hits / (K * len(rows))


def main():
    images = np.load(os.path.join(data.folder(), "mnist.train.npy"))[:, :-1]
    x = images.astype(np.float32)
    rows = np.random.default_rng(0).choice(len(x), 300, replace=False)
    limit = truth(x, rows)
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", images)
        for asked in ASKED:
            _, seconds = data.run("bochner", "graph", f"{folder}/x.npy", "-k", str(K), "--recall", str(asked), "-o",
                                  f"{folder}/g.csv", "--quiet")
            found = np.loadtxt(f"{folder}/g.csv", delimiter=",", skiprows=1, usecols=2, dtype=int).reshape(len(x), K)
            print(f"bochner --recall {asked}: {seconds:.2f} s, recall {recall(x, rows, limit, found):.3f}", flush=True)
    pynndescent.NNDescent(x[:2000], n_neighbors=K + 1, random_state=0)  # compiles
    start = time.time()
    graph = pynndescent.NNDescent(x, n_neighbors=K + 1, random_state=0).neighbor_graph[0]
    print(f"pynndescent: {time.time() - start:.2f} s, recall {recall(x, rows, limit, graph):.3f}")


if __name__ == "__main__":
    main()
