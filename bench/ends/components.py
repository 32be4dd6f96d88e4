# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner kmeans`, `pca` and `anomaly` beside scikit-learn's KMeans, KernelPCA and IsolationForest.

Takes some minutes. usage: components.py [kmeans] [pca] [anomaly]
  kmeans   mapped MNIST, 2000 features, 10 and 100 clusters: processor seconds of a pass, inertia over the seeds
           (ROWS and SEEDS set other numbers than 60000 and 5; SEEDS=0: times alone)
  pca      20 components of 20,000 rows by 1,000 landmarks: processor seconds, and the angles to the exact ones
           (ROWS and LANDMARKS set other numbers). KernelPCA by arpack, then by its own choice for 20 components, dense:
           that takes some 8 GB and, on two idle cores, a quarter of an hour. SOLVERS=arpack leaves it out
  anomaly  KDD Cup 1999, normal rows and 1 % attacks: AUC on such rows of the test file, processor seconds

Processor seconds are those of all threads, so that others on the machine count less; only ratios of one run mean
something where it is loaded.
"""
import json
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

import data

FEATURES = 2000


def ours(*words):
    """Processor seconds, of all threads, of one command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["bochner", *map(str, words), "--quiet"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def timed(work):
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def inspect(model):
    return json.loads(subprocess.run(["bochner", "inspect", model, "--json"], check=True, capture_output=True).stdout)


def array(model, name):
    """An array that the model file holds (docs/model-format.md: a safetensors file)."""
    with open(model, "rb") as file:
        size, = struct.unpack("<Q", file.read(8))
        head = json.loads(file.read(size))[name]
        file.seek(8 + size + head["data_offsets"][0])
        count = int(np.prod(head["shape"]))
        return np.frombuffer(file.read(8 * count), "<f8").reshape(head["shape"])


def inertia(z, centres):
    total = 0.0
    for begin in range(0, len(z), 4096):
        part = z[begin:begin + 4096].astype(np.float64)
        d = (part**2).sum(1)[:, None] - 2 * part @ centres.T + (centres**2).sum(1)
        total += d.min(1).sum()
    return total


def mnist(rows):
    return np.load(os.path.join(data.folder(), "mnist.train.npy"))[:rows, :-1].astype(np.float32) / 255


def kmeans(folder):
    from sklearn.cluster import KMeans

    rows, seeds = int(os.environ.get("ROWS", 60000)), int(os.environ.get("SEEDS", 5))
    np.save(f"{folder}/mnist.npy", mnist(rows))
    words = ["--map", "fourier", "--features", FEATURES, "--scale", "none", "--bandwidth", "7"]
    z = mapped(folder, 0)
    for k in (10, 100):
        def fit(seed, passes):
            seconds = ours("kmeans", f"{folder}/mnist.npy", "--clusters", k, *words, "--passes", passes, "-o",
                           f"{folder}/m", "--seed", seed)
            return seconds, len(inspect(f"{folder}/m")["inertia"]) - 1, array(f"{folder}/m", "head.map.centres")

        one, _, _ = fit(0, 1)
        all_passes, passes, _ = fit(0, 300)
        per_pass = (all_passes - one) / max(passes - 1, 1)
        short, first = timed(lambda: KMeans(k, init=z[:k].copy(), n_init=1, max_iter=1, algorithm="lloyd").fit(z))
        long, more = timed(lambda: KMeans(k, init=z[:k].copy(), n_init=1, max_iter=11, tol=0, algorithm="lloyd").fit(z))
        peer = (more - first) / (long.n_iter_ - short.n_iter_)
        print(f"kmeans k={k}: {per_pass:.3f} s of processor a pass over {passes} passes, scikit-learn {peer:.3f} s: "
              f"{peer / per_pass:.1f} x", flush=True)
        if seeds == 0:
            continue
        mine, theirs = [], []
        for seed in range(seeds):  # features are drawn by the seed: both have the same
            features = mapped(folder, seed)
            mine.append(inertia(features, fit(seed, 300)[2]))
            peers = KMeans(k, n_init=1, random_state=seed, algorithm="lloyd").fit(features).cluster_centers_
            theirs.append(inertia(features, peers.astype(np.float64)))
        print(f"  inertia of {seeds} seeds: mean {np.mean(mine):.2f}, scikit-learn {np.mean(theirs):.2f}, "
              f"{100 * (np.mean(mine) / np.mean(theirs) - 1):+.3f} %", flush=True)


def mapped(folder, seed):
    """The features that the same words make: those of a ridge model on a made-up target."""
    x = np.load(f"{folder}/mnist.npy")
    np.save(f"{folder}/with_target.npy", np.hstack([x, x[:, :1] + np.arange(len(x), dtype=np.float32)[:, None]]))
    subprocess.run(["bochner", "train", f"{folder}/with_target.npy", "--target", "-1", "--task", "regression", "--map",
                    "fourier", "--features", str(FEATURES), "--scale", "none", "--bandwidth", "7", "--lambda", "1",
                    "--seed", str(seed), "-o", f"{folder}/map", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["bochner", "transform", f"{folder}/map", f"{folder}/mnist.npy", "-o", f"{folder}/z.npy", "--quiet"],
                   check=True)
    return np.load(f"{folder}/z.npy")


def pca(folder):
    from sklearn.decomposition import KernelPCA

    rows, rank, width = int(os.environ.get("ROWS", 20000)), 20, 7.0
    x = mnist(rows)
    np.save(f"{folder}/x.npy", x)
    seconds = ours("pca", f"{folder}/x.npy", "--rank", rank, "--map", "nystroem", "--features",
                   os.environ.get("LANDMARKS", 1000), "--scale", "none", "--bandwidth", width, "-o", f"{folder}/m")
    subprocess.run(["bochner", "transform", f"{folder}/m", f"{folder}/x.npy", "-o", f"{folder}/y.npy", "--quiet"],
                   check=True)
    y = np.load(f"{folder}/y.npy").astype(np.float64)
    y /= np.linalg.norm(y, axis=0)
    print(f"pca of {rows} rows: {seconds:.1f} s of processor from the file", flush=True)
    for solver in os.environ.get("SOLVERS", "arpack,auto").split(","):
        exact, peer = timed(lambda: KernelPCA(rank, kernel="rbf", gamma=1 / (2 * width**2), random_state=0,
                                              eigen_solver=solver).fit(x))
        print(f"  KernelPCA, {solver}: {peer:.1f} s, {peer / seconds:.1f} x", flush=True)
        angles(exact, y, rank)
        del exact


def angles(exact, y, rank):
    values, vectors = exact.eigenvalues_, exact.eigenvectors_ / np.linalg.norm(exact.eigenvectors_, axis=0)
    cosines = np.linalg.svd(vectors.T @ y)[1]
    print(f"  largest angle between the spaces of {rank}: {np.degrees(np.arccos(cosines.min().clip(-1, 1))):.2f} degrees")
    for k in range(rank):
        gap = min(values[k - 1] - values[k] if k else np.inf, values[k] - values[k + 1] if k + 1 < rank else np.inf)
        angle = np.degrees(np.arccos(min(1, abs(vectors[:, k] @ y[:, k]))))
        print(f"  {k + 1:2}: eigenvalue {values[k]:9.2f}, gap {gap / values[k]:6.3f}, angle {angle:6.2f} degrees", flush=True)


def anomaly(folder):
    import pandas as pd
    from sklearn.ensemble import IsolationForest
    from sklearn.metrics import roc_auc_score
    from sklearn.preprocessing import OrdinalEncoder

    def mostly_normal(name):
        table = pd.read_csv(os.path.join(data.folder(), name))
        normal = table[table.attack == "normal"]
        attacks = table[table.attack != "normal"].sample(len(normal) // 99, random_state=0)
        return pd.concat([normal, attacks]).sample(frac=1, random_state=0)

    train, test = mostly_normal("kdd99.train.csv"), mostly_normal("kdd99.test.csv")
    train.to_csv(f"{folder}/train.csv", index=False)
    test.to_csv(f"{folder}/test.csv", index=False)
    print(f"anomaly: {len(train)} rows, {len(test)} of test", flush=True)
    for method in ("embedding", "bins", "isolation"):
        aucs, seconds = [], []
        for seed in range(5):
            seconds.append(ours("anomaly", f"{folder}/train.csv", "--target", "attack", "--method", method, "--seed",
                                seed, "-o", f"{folder}/m"))
            found = subprocess.run(["bochner", "eval", f"{folder}/m", f"{folder}/test.csv", "--json", "--quiet"],
                                   check=True, capture_output=True).stdout
            aucs.append(json.loads(found)["auc"])
        print(f"  {method:9}: AUC {np.mean(aucs):.4f} ({min(aucs):.4f} to {max(aucs):.4f}), "
              f"{np.mean(seconds):.2f} s of processor, from the file", flush=True)
    symbolic = ["protocol_type", "service", "flag"]

    def forest(seed):
        """Trains from the file, with a threshold for a share of the rows, as ours."""
        x = pd.read_csv(f"{folder}/train.csv").drop(columns="attack")
        encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
        x[symbolic] = encoder.fit_transform(x[symbolic])
        return encoder, IsolationForest(random_state=seed, contamination=0.01).fit(x.to_numpy(np.float64))

    aucs, seconds = [], []
    for seed in range(5):
        (encoder, fitted), spent = timed(lambda: forest(seed))
        y = test.drop(columns="attack").copy()
        y[symbolic] = encoder.transform(y[symbolic])
        aucs.append(roc_auc_score(test.attack != "normal", -fitted.score_samples(y.to_numpy(np.float64))))
        seconds.append(spent)
    print(f"  IsolationForest: AUC {np.mean(aucs):.4f} ({min(aucs):.4f} to {max(aucs):.4f}), {np.mean(seconds):.2f} s "
          "of processor, from the file", flush=True)


def main():
    wanted = sys.argv[1:] or ["kmeans", "pca", "anomaly"]
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted:
            {"kmeans": kmeans, "pca": pca, "anomaly": anomaly}[name](folder)


if __name__ == "__main__":
    main()
