# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""TensorSketch and the chi-squared maps beside scikit-learn's: root mean squared error of z(x).z(y) and processor time.

Both map the same rows of shares to float32. Our time is that of `bochner transform` less that of --map none, so that
reading and writing the file count for neither.
"""
import json
import os
import resource
import subprocess
import tempfile
import time

import numpy as np

ROWS, INPUTS, REPEATS = 20_000, 64, 3


def pairs_error(z, kernel):
    products = np.einsum("ij,ij->i", z[0::2].astype(float), z[1::2].astype(float))
    return float(np.sqrt(np.mean((products - kernel) ** 2)))


def used():
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def ours(folder, spec, features):
    """The features of x.npy, and processor seconds of one `transform`."""
    model, out = os.path.join(folder, "m"), os.path.join(folder, "z.npy")
    words = ["--features", str(features)] if features else []
    subprocess.run(["bochner", "train", os.path.join(folder, "few.npy"), "--target", "-1", "--map", spec, *words, "--scale",
                    "none", "--lambda", "1", "--task", "regression", "-o", model, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    seconds = []
    for _ in range(REPEATS):
        start = used()
        subprocess.run(["bochner", "transform", model, os.path.join(folder, "x.npy"), "-o", out, "--quiet"], check=True)
        seconds.append(used() - start)
    return np.load(out), min(seconds)


def theirs(sampler, x):
    sampler.fit(x[:100])
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        z = sampler.transform(x)
        seconds.append(time.process_time() - start)
    return z, min(seconds)


def main():
    from sklearn.kernel_approximation import AdditiveChi2Sampler, PolynomialCountSketch, SkewedChi2Sampler

    draw = np.random.default_rng(0)
    x = draw.dirichlet(np.full(INPUTS, 0.5), ROWS).astype(np.float32)
    a, b = x[0::2].astype(float), x[1::2].astype(float)
    total = np.where(a + b > 0, a + b, 1)
    cases = [
        ("polynomial:degree=2,offset=0.1", 1024, PolynomialCountSketch(degree=2, coef0=0.1, n_components=1024, random_state=0),
         (np.sum(a * b, 1) + 0.1) ** 2),
        ("polynomial:degree=3,offset=0.1", 1024, PolynomialCountSketch(degree=3, coef0=0.1, n_components=1024, random_state=0),
         (np.sum(a * b, 1) + 0.1) ** 3),
        ("chi2:steps=2", 0, AdditiveChi2Sampler(sample_steps=2), np.sum(2 * a * b / total, 1)),
        ("skewed-chi2:skew=0.1", 1024, SkewedChi2Sampler(skewedness=0.1, n_components=1024, random_state=0),
         np.prod(2 * np.sqrt((a + 0.1) * (b + 0.1)) / (a + b + 0.2), 1)),
    ]
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "x.npy"), np.hstack([x, np.zeros((ROWS, 1), np.float32)]))
        np.save(os.path.join(folder, "few.npy"), np.hstack([x[:500], draw.normal(size=(500, 1)).astype(np.float32)]))
        _, plain = ours(folder, "none", 0)
        for spec, features, sampler, kernel in cases:
            z, seconds = ours(folder, spec, features)
            peer, peer_seconds = theirs(sampler, x)
            print(json.dumps({"map": spec, "rms": pairs_error(z, kernel), "peer_rms": pairs_error(peer, kernel),
                              "seconds": seconds - plain, "peer_seconds": peer_seconds}), flush=True)


if __name__ == "__main__":
    main()
