# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Neighbours beside their peers, each in one run.

usage: neighbors.py graph|exact|recall|dedup|retrieve   with bochner on the path

graph     ten neighbours of MNIST's 60,000 training images: `bochner graph` beside pynndescent
exact     the same by every pair, beside the bare products of numpy, faiss's flat index and scikit-learn
recall    `graph --recall R` on MNIST, USPS, sift5k and 20 Newsgroups: the share found by 300 rows that the search does
          not know of
dedup     pairs of 20 Newsgroups messages of Jaccard's similarity 0.8 and more, beside datasketch's MinHash LSH and all
          pairs
retrieve  test messages of 20 Newsgroups ask for ten training messages: precision of the newsgroup, exact tf-idf beside
          bm25s

Seconds by the clock, ours from file to file, theirs from memory, compilation and imports aside. Recall counts rows as
near as the k-th, whichever they are.
"""
import os
import sys
import tempfile
import time

import numpy as np

import data

K = 10


def limits(x, rows):
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


def our_graph(folder, path, count, *words):
    _, seconds = data.run("bochner", "graph", path, "-k", str(K), "-o", f"{folder}/g.csv", "--quiet", *words)
    table = np.loadtxt(f"{folder}/g.csv", delimiter=",", skiprows=1, usecols=(0, 1, 2), dtype=int)
    found = np.full((count, K), -1)
    found[table[:, 0], table[:, 1] - 1] = table[:, 2]
    return found, seconds


def mnist():
    return np.load(os.path.join(data.folder(), "mnist.train.npy"))[:, :-1]


def some_rows(count):
    return np.random.default_rng(0).choice(count, 300, replace=False)


def graph(folder):
    import pynndescent
    images = mnist()
    x = images.astype(np.float32)
    rows = some_rows(len(x))
    limit = limits(x, rows)
    np.save(f"{folder}/x.npy", images)
    for asked in (0.9, 0.95):
        found, seconds = our_graph(folder, f"{folder}/x.npy", len(x), "--recall", str(asked))
        print(f"bochner --recall {asked}: {seconds:.2f} s, recall {recall(x, rows, limit, found):.3f}", flush=True)
    pynndescent.NNDescent(x[:2000], n_neighbors=K + 1, random_state=0)  # compiles
    start = time.time()
    found = pynndescent.NNDescent(x, n_neighbors=K + 1, random_state=0).neighbor_graph[0]
    print(f"pynndescent: {time.time() - start:.2f} s, recall {recall(x, rows, limit, found):.3f}", flush=True)


def exact(folder):
    import faiss
    from sklearn.neighbors import NearestNeighbors
    x = np.ascontiguousarray(mnist().astype(np.float32))
    np.save(f"{folder}/x.npy", x)
    start = time.time()
    for begin in range(0, len(x), 1000):
        x[begin:begin + 1000] @ x.T
    print(f"bare products: {time.time() - start:.2f} s", flush=True)
    _, seconds = our_graph(folder, f"{folder}/x.npy", len(x), "--method", "exact")
    print(f"bochner --method exact, from file to file: {seconds:.2f} s", flush=True)
    start = time.time()
    flat = faiss.IndexFlatL2(x.shape[1])
    flat.add(x)
    flat.search(x, K + 1)
    print(f"faiss flat: {time.time() - start:.2f} s", flush=True)
    start = time.time()
    NearestNeighbors(n_neighbors=K + 1, algorithm="brute").fit(x).kneighbors(x, return_distance=False)
    print(f"scikit-learn: {time.time() - start:.2f} s", flush=True)


def newsgroups(part):
    return os.path.join(data.folder(), "news20", f"20news-bydate-{part}")


def recall_sets(folder):
    yield "sift5k", np.load(os.path.join(data.folder(), "sift5k.npy")).astype(np.float32)
    usps = np.loadtxt(os.path.join(data.folder(), "usps.train.csv"), delimiter=",", skiprows=1, dtype=np.float32)
    yield "USPS", usps[:, :256]
    data.run("bochner", "text", newsgroups("train"), "-o", f"{folder}/n.npy", "--project", "sign", "--dims", "1000",
             "--quiet")
    yield "20 Newsgroups, projected", np.load(f"{folder}/n.npy")
    yield "MNIST", mnist().astype(np.float32)


def recalls(folder):
    for name, x in recall_sets(folder):
        np.save(f"{folder}/x.npy", x)
        rows = some_rows(len(x))
        limit = limits(x, rows)
        for method in ("auto", "forest", "project", "lsh"):
            if method == "lsh" and len(x) > 20000:
                continue  # minutes
            for asked in (0.8, 0.9, 0.95, 0.99):
                found, seconds = our_graph(folder, f"{folder}/x.npy", len(x), "--recall", str(asked), "--method", method)
                print(f"{name}, {len(x)} rows, {method}, asked {asked}: {recall(x, rows, limit, found):.3f}, "
                      f"{seconds:.1f} s", flush=True)


def dedup(folder):
    from datasketch import MinHash, MinHashLSH
    data.run("bochner", "text", newsgroups("train"), "-o", f"{folder}/n.svm", "--quiet")
    _, seconds = data.run("bochner", "dedup", f"{folder}/n.svm", "--threshold", "0.8", "--pairs", "-o", f"{folder}/d.csv",
                          "--quiet")
    ours = {tuple(map(int, line.split(",")[:2])) for line in open(f"{folder}/d.csv").read().split()[1:]}
    print(f"bochner dedup, from file to file: {seconds:.2f} s, {len(ours)} pairs", flush=True)
    sets = [{int(cell.split(":")[0]) for cell in line.split()[1:]} for line in open(f"{folder}/n.svm")]
    import scipy.sparse
    offsets = np.cumsum([0] + [len(s) for s in sets])
    ones = scipy.sparse.csr_matrix((np.ones(offsets[-1], np.float32), [c for s in sets for c in sorted(s)], offsets))
    size = np.diff(offsets)
    true = set()
    for begin in range(0, len(sets), 500):
        both = (ones[begin:begin + 500] @ ones.T).tocoo()
        keep = both.data >= 0.8 * (size[begin + both.row] + size[both.col] - both.data) - 1e-9
        true |= {(int(a) + begin, int(b)) for a, b in zip(both.row[keep], both.col[keep]) if b < a + begin}
    empty = [i for i, s in enumerate(sets) if not s]
    true |= {(a, b) for a in empty for b in empty if b < a}
    print(f"all pairs: {len(true)}; recall of bochner {len(ours & true) / max(1, len(true)):.4f}, "
          f"{len(ours - true)} that are none", flush=True)
    start = time.time()
    tables = MinHashLSH(threshold=0.8, num_perm=128)
    found = set()
    for i, s in enumerate(sets):
        sketch = MinHash(num_perm=128)
        sketch.update_batch([str(c).encode() for c in s])
        found |= {(i, int(j)) for j in tables.query(sketch)}
        tables.insert(str(i), sketch)
    print(f"datasketch: {time.time() - start:.2f} s, recall {len(found & true) / max(1, len(true)):.4f}", flush=True)


def messages(part):
    texts, labels = [], []
    for group in sorted(os.listdir(newsgroups(part))):
        for name in sorted(os.listdir(os.path.join(newsgroups(part), group))):
            with open(os.path.join(newsgroups(part), group, name), "rb") as file:
                texts.append(file.read().decode("latin-1"))
            labels.append(group)
    return texts, np.array(labels)


def retrieve(folder):
    import bm25s
    texts, labels = messages("train")
    asked, wanted = messages("test")
    some = np.random.default_rng(0).choice(len(asked), 1000, replace=False)
    start = time.time()
    data.run("bochner", "text", newsgroups("train"), "-o", f"{folder}/n.svm", "--save", f"{folder}/n.text", "--quiet")
    data.run("bochner", "index", f"{folder}/n.svm", "--metric", "cosine", "-o", f"{folder}/n.index", "--no-texts",
             "--quiet")
    built = time.time() - start
    data.run("bochner", "text", newsgroups("test"), "--model", f"{folder}/n.text", "-o", f"{folder}/q.svm", "--quiet")
    _, seconds = data.run("bochner", "neighbors", f"{folder}/n.index", f"{folder}/q.svm", "-k", str(K), "-o",
                          f"{folder}/q.csv", "--quiet")
    table = np.loadtxt(f"{folder}/q.csv", delimiter=",", skiprows=1, usecols=(0, 2), dtype=int)
    hit = wanted[table[:, 0]] == labels[table[:, 1]]
    print(f"bochner: text and index {built:.1f} s, {len(asked)} queries {seconds:.1f} s, precision at {K} "
          f"{hit[np.isin(table[:, 0], some)].mean():.3f}", flush=True)
    start = time.time()
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)
    built, start = time.time() - start, time.time()
    queries = bm25s.tokenize([asked[i] for i in some], stopwords=None, show_progress=False)
    found, _ = index.retrieve(queries, k=K, show_progress=False)
    seconds = time.time() - start
    print(f"bm25s: index {built:.1f} s, {len(some)} queries {seconds:.1f} s, precision at {K} "
          f"{(labels[found] == wanted[some][:, None]).mean():.3f}", flush=True)


def main():
    runs = {"graph": graph, "exact": exact, "recall": recalls, "dedup": dedup, "retrieve": retrieve}
    chosen = sys.argv[1:] or ["graph"]
    if not all(name in runs for name in chosen):
        sys.exit(__doc__)
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder:
            runs[name](folder)


if __name__ == "__main__":
    main()
