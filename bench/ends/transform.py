# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""transform() of 40,000 x 54 -> 500 from Python beside the C++ call, on one thread, and the memory that each input takes.

Least processor seconds of several turns; Python and bench_transform go in turns, so that a busy machine meets both alike.
Then, for each kind of input, by how much the peak of the process grows beyond its table and the result (MB).
Takes a minute.
The package is the one that PYTHONPATH or the environment has.

usage: transform.py BENCH_TRANSFORM      the program of build/release/bench
"""
import gc
import json
import subprocess
import sys
import tempfile
import time

import numpy as np

ROWS, INPUTS, FEATURES, TURNS = 40000, 54, 500, 5
KINDS = ["rows", "columns", "float32", "read-only", "memmap", "csr", "csr int64", "pandas", "polars", "pyarrow"]


def least_seconds(dtype):
    from bochner import FourierFeatures

    X = np.random.default_rng(1).normal(size=(ROWS, INPUTS)).astype(dtype)
    features = FourierFeatures(FEATURES, bandwidth=5.0, n_jobs=1).fit(X)
    least = np.inf
    for _ in range(9):
        begin = time.process_time()
        features.transform(X)
        least = min(least, time.process_time() - begin)
    return least


def table_of(kind, rows):
    """The rows of ones as a kind of input, and its bytes."""
    if kind == "float32":
        X = np.ones((rows, 50), np.float32)
        return X, X.nbytes
    X = np.ones((50, rows)).T if kind in ("columns", "pandas") else np.ones((rows, 50))
    size = X.nbytes
    if kind == "read-only":
        X.flags.writeable = False
    if kind.startswith("csr"):
        from scipy import sparse

        index = np.int64 if kind.endswith("64") else np.int32
        offsets = np.arange(0, rows * 50 + 1, 50, dtype=index)
        X = sparse.csr_array((X.ravel(), np.tile(np.arange(50, dtype=index), rows), offsets))
        size += X.indices.nbytes
    if kind == "memmap":
        with tempfile.NamedTemporaryFile() as file:  # the mapping keeps it
            X.tofile(file.name)
            X = np.memmap(file.name, dtype=float, mode="r", shape=X.shape)
    names = [f"x{j}" for j in range(50)]
    if kind == "pandas":
        import pandas

        return pandas.DataFrame(X, columns=names), size
    if kind == "polars":
        import polars

        return polars.from_numpy(X, schema=names), size
    if kind == "pyarrow":
        import pyarrow

        return pyarrow.table({name: np.ascontiguousarray(X[:, j]) for j, name in enumerate(names)}), size
    return X, size


def resident(what):
    """Megabytes of this process: VmRSS now, VmHWM at most."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(what)) / 1024


def peak(kind):
    from bochner import FourierFeatures

    X, size = table_of(kind, 400_000)
    small, _ = table_of(kind, 100)
    features = FourierFeatures(2, bandwidth=1.0, n_jobs=1)
    features.fit(small).transform(small)
    if kind == "memmap":
        X.max()
    gc.collect()
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak begins anew
    before = resident("VmRSS")
    begin = time.process_time()
    Z = features.transform(X)
    seconds = time.process_time() - begin
    print(json.dumps([resident("VmHWM") - before - Z.nbytes / 2**20, size / 2**20, seconds]))


def main():
    if sys.argv[1:2] == ["--peak"]:
        return peak(sys.argv[2])
    least = {"C++": [np.inf, np.inf], "Python": [np.inf, np.inf]}
    for _ in range(TURNS):
        done = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True)
        found = {"C++": list(map(float, done.stdout.split())), "Python": [least_seconds(t) for t in (np.float32, float)]}
        least = {name: np.minimum(least[name], found[name]) for name in least}
    for k, name in enumerate(("float32", "float64")):
        ours, theirs = least["Python"][k], least["C++"][k]
        print(f"{name}: Python {1000 * ours:.1f} ms, C++ {1000 * theirs:.1f} ms, {ours / theirs:.3f} times", flush=True)
    for kind in KINDS:
        done = subprocess.run([sys.executable, __file__, "--peak", kind], capture_output=True, text=True)
        if done.returncode:
            print(f"{kind:9} not measured: {(done.stderr.strip().splitlines() or [f'exit {done.returncode}'])[-1]}")
            continue
        more, table, seconds = json.loads(done.stdout)
        print(f"{kind:9} {more:7.1f} MB more than the table of {table:.0f} MB and the result, {seconds:.2f} s", flush=True)


if __name__ == "__main__":
    main()
