#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""scikit-learn's SparseRandomProjection on CSR rows of a million inputs, the peer of bench_project's sparse lines.

    bench/ends/sparse_projection.py [--rows N]

Prints the time of fit and the microseconds of CPU time that transform takes for a row.
"""

import argparse
import time

import numpy as np
import scipy.sparse
from sklearn.random_projection import SparseRandomProjection


def rows_of(count, inputs, nonzeros):
    random = np.random.default_rng(2)
    columns = np.sort(random.integers(0, inputs, (count, nonzeros)), axis=1).ravel()
    values = random.standard_normal(count * nonzeros).astype(np.float32)
    return scipy.sparse.csr_matrix((values, columns, np.arange(count + 1) * nonzeros), shape=(count, inputs))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=64)
    arguments = parser.parse_args()
    x = rows_of(arguments.rows, 1000000, 1000)
    for outputs in (1000, 10000):
        begin = time.process_time()
        map = SparseRandomProjection(outputs, random_state=0).fit(x)
        fit = time.process_time() - begin
        times = []
        for _ in range(5):
            begin = time.process_time()
            z = map.transform(x)
            times.append(time.process_time() - begin)
        lengths = np.asarray(z.multiply(z).sum(axis=1)).ravel() / np.asarray(x.multiply(x).sum(axis=1)).ravel()
        print(f"k = {outputs}: fit {fit:.1f} s, transform {1e6 * min(times) / arguments.rows:.1f} us a row, "
              f"|f(u)|^2 / |u|^2 - 1: rms {np.sqrt(np.mean((lengths - 1) ** 2)):.4f}")


if __name__ == "__main__":
    main()
