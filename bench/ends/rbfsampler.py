# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The cos/sin map beside scikit-learn's RBFSampler.transform: rows in memory, two threads, D = 5000 outputs.

Our time comes from bench_map of the same build (its table, two threads), run just before.
"""
import os
import shutil
import statistics
import subprocess
import time

import numpy as np

D, ROWS, REPEATS = 5000, 4096, 7


def our_seconds():
    """Inputs -> seconds per row of the cos/sin map with two threads, from bench_map's table."""
    program = os.path.join(os.path.dirname(shutil.which("bochner")), "bench", "bench_map")
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    found = {}
    for line in subprocess.run([program], check=True, capture_output=True, text=True, env=environment).stdout.splitlines():
        words = line.split()
        if len(words) == 7 and words[0].isdigit() and (int(words[1]), int(words[2])) == (D, 2):
            inputs, sgemm, ratio = int(words[0]), float(words[3]), float(words[6])
            found[inputs] = 2 * inputs * D / (2 * sgemm * 1e9) * ratio
    return found


def main():
    from sklearn.kernel_approximation import RBFSampler

    print(f"{'d':>4} {'ours':>9} {'float32':>9} {'ratio':>7} {'float64':>9} {'ratio':>7}")
    for inputs, seconds in our_seconds().items():
        cells = []
        for dtype in (np.float32, np.float64):
            x = np.random.default_rng(0).normal(size=(ROWS, inputs)).astype(dtype)
            sampler = RBFSampler(n_components=D, random_state=0).fit(x)
            times = []
            for _ in range(REPEATS):
                start = time.perf_counter()
                sampler.transform(x)
                times.append(time.perf_counter() - start)
            peer = statistics.median(times)
            cells.append(f"{1e3 * peer:7.1f}ms {peer / (seconds * ROWS):6.1f}x")
        print(f"{inputs:4} {1e3 * seconds * ROWS:7.1f}ms {' '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
