# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner svd`, from file to model, beside scikit-learn's TruncatedSVD (randomized and arpack) on the same rows:
seconds, and |A - A V V'| over the least of rank 50. Sparse rows: processor seconds of one thread each, which mean
something on a machine that others use too; of the peers to read the file and to fit apart.

Takes some minutes. usage: svd.py [dense] [sparse] [large]
  dense   100,000 x 1,000 float32, singular values that fall as a power, and noise
  sparse  tf-idf of 20 Newsgroups: single words, and words and pairs
  large   a file of 10 GB in a temporary folder (GIGABYTES sets another size): the peak of our resident set
"""
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import data

RANK = 50


def our_factor(file, model, *words):
    """Seconds and right singular vectors."""
    _, seconds = data.run("bochner", "svd", file, "--rank", str(RANK), "-o", model, "--quiet", *words)
    return seconds


def vectors(model, columns):
    """The directions that the model file holds (docs/model-format.md: a safetensors file)."""
    import json
    import struct

    with open(model, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        head = json.loads(file.read(size))
        begin, end = head["head.directions"]["data_offsets"]
        file.seek(8 + size + begin)
        return np.frombuffer(file.read(end - begin), "<f8").reshape(columns, RANK)


def left(a, v):
    """|A - A V V'|_F"""
    squares = float(a.multiply(a).sum()) if hasattr(a, "multiply") else float(np.einsum("ij,ij->", a, a, dtype=np.float64))
    q, _ = np.linalg.qr(v)
    u = a @ q.astype(a.dtype)
    return float(np.sqrt(max(squares - np.square(u, dtype=np.float64).sum(), 0)))


def peers(a, check):
    """Seconds and the error of every solver of scikit-learn."""
    from sklearn.decomposition import TruncatedSVD

    found = {}
    for algorithm in ("randomized", "arpack"):
        start = time.perf_counter()
        svd = TruncatedSVD(RANK, algorithm=algorithm, random_state=0).fit(a)
        found[algorithm] = (time.perf_counter() - start, left(check, svd.components_.T.astype(np.float64)))
    return found


def table(name, ours, error, found):
    least = min(error, *(e for _, e in found.values()))
    fastest = min(seconds for seconds, _ in found.values())
    line = f"{name:24} bochner {ours:6.2f} s {100 * (error / least - 1):6.3f} %"
    for algorithm, (seconds, e) in found.items():
        line += f"   {algorithm} {seconds:6.2f} s {100 * (e / least - 1):6.3f} %"
    print(f"{line}   {fastest / ours:5.1f} x", flush=True)


def dense(folder):
    n, d, k = 100_000, 1_000, 200
    rng = np.random.default_rng(0)
    u = rng.standard_normal((n, k), dtype=np.float32)
    v = rng.standard_normal((k, d), dtype=np.float32) / np.arange(1, k + 1, dtype=np.float32)[:, None] ** 0.7
    a = u @ v
    a += 0.1 * rng.standard_normal((n, d), dtype=np.float32)
    file, model = os.path.join(folder, "dense.npy"), os.path.join(folder, "dense.model")
    np.save(file, a)
    times = [our_factor(file, model) for _ in range(3)]
    table("dense 100,000 x 1,000", min(times), left(a, vectors(model, d)), peers(a, a))
    os.remove(file)


def processor_seconds(*command):
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, command
    return usage.ru_utime + usage.ru_stime


def sparse(folder):
    from sklearn.datasets import load_svmlight_file
    from sklearn.decomposition import TruncatedSVD

    texts = os.path.join(data.folder(), "news20", "20news-bydate-train")
    if not os.path.isdir(texts):
        print(f"skipped: no {texts}")
        return
    for ngrams in ("1", "1-2"):
        file, model = os.path.join(folder, "news.svm"), os.path.join(folder, "news.model")
        words = ["--min-documents", "12", "--max-share", "0.1"] if ngrams == "1-2" else []  # as --project keeps them
        data.run("bochner", "text", texts, "-o", file, "--ngrams", ngrams, "--quiet", *words)
        ours = min(processor_seconds("bochner", "svd", file, "--rank", str(RANK), "--threads", "1", "-o", model,
                                     "--quiet") for _ in range(3))
        start = time.process_time()
        a, _ = load_svmlight_file(file, zero_based=False)
        read = time.process_time() - start
        errors, fits = {"bochner": left(a, vectors(model, a.shape[1]))}, {}
        for name, options in (("randomized", {}), ("randomized, 1 round", {"n_iter": 1}), ("arpack", {})):
            start = time.process_time()
            svd = TruncatedSVD(RANK, algorithm=name.split(",")[0], random_state=0, **options).fit(a)
            fits[name] = time.process_time() - start
            errors[name] = left(a, svd.components_.T.astype(np.float64))
        least = min(errors.values())
        above = {name: 100 * (error / least - 1) for name, error in errors.items()}
        print(f"tf-idf {ngrams}, {a.shape[0]} x {a.shape[1]}, {a.nnz} entries: bochner from file to model {ours:.2f} s, "
              f"{above['bochner']:.3f} %", flush=True)
        for name, fit in fits.items():
            print(f"  {name:20} fit {fit:.2f} s, {above[name]:.3f} %; read {read:.2f} s; ours is {(read + fit) / ours:.1f} x "
                  f"faster from the file, {fit / ours:.1f} x with theirs in memory", flush=True)


def large(folder):
    gigabytes, d = float(os.environ.get("GIGABYTES", "10")), 2_000
    n = int(gigabytes * 1e9 / 4 / d)
    file, model = os.path.join(folder, "large.npy"), os.path.join(folder, "large.model")
    rng = np.random.default_rng(0)
    v = rng.standard_normal((100, d), dtype=np.float32) / np.arange(1, 101, dtype=np.float32)[:, None]
    with open(file, "wb") as out:
        np.lib.format.write_array_header_1_0(out, {"descr": "<f4", "fortran_order": False, "shape": (n, d)})
        for begin in range(0, n, 20_000):
            out.write((rng.standard_normal((min(20_000, n - begin), 100), dtype=np.float32) @ v).tobytes())
    start = time.perf_counter()
    process = subprocess.Popen(["bochner", "svd", file, "--rank", str(RANK), "--center", "-o", model, "--quiet"])
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, status
    print(f"large {os.path.getsize(file) / 1e9:.1f} GB, {n} x {d}: {time.perf_counter() - start:.0f} s, "
          f"peak {usage.ru_maxrss / 1024:.0f} MiB", flush=True)


def main():
    wanted = sys.argv[1:] or ["dense", "sparse"]
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted:
            {"dense": dense, "sparse": sparse, "large": large}[name](folder)


if __name__ == "__main__":
    main()
