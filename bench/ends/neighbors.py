# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Neighbours beside their peers, each in one run.

usage: neighbors.py graph|curve|exact|bits|open|recall|dedup|retrieve|bytes   with bochner on the path

graph     ten neighbours of MNIST's 60,000 training images: `bochner graph` beside pynndescent, hnswlib and annoy, each
          with the settings tried here; seconds by the clock and of the processors. pynndescent twice: compiled before the
          clock starts, and as a user meets it, in a new process that imports and compiles
curve     the same at several recalls, as docs/figures/neighbors.svg
exact     the same by every pair, beside the bare products of numpy, faiss's flat index and scikit-learn; seconds, and
          their ratios to those of the products
bits      every pair of MNIST's images as 784 bits (pixels above 127), beside faiss's flat index of bits
open      the exact index of MNIST's images, as floats and as bytes: seconds and memory of one query from the command
recall    `graph --recall R` on MNIST, USPS, sift5k and 20 Newsgroups: the share found by 300 rows that the search does
          not know of
dedup     pairs of 20 Newsgroups messages of Jaccard's similarity 0.8 and more, beside datasketch's MinHash LSH and all
          pairs
retrieve  test messages of 20 Newsgroups ask for ten training messages: precision of the newsgroup, exact tf-idf beside
          bm25s
bytes     the same by leading components of the tf-idf rows, kept as bytes: precision and bytes of a document

Seconds by the clock, ours from file to file, theirs from memory, compilation and imports aside. Recall counts rows as
near as the k-th, whichever they are.
"""
import os
import subprocess
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
        others = list(dict.fromkeys(i for i in neighbors[row] if i != row and i >= 0))[:K]  # each row once
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


class Watch:
    """Seconds by the clock and of the processors, of this process and of commands that ended."""

    def __init__(self):
        self.start = time.time(), self.used()

    @staticmethod
    def used():
        t = os.times()
        return t.user + t.system + t.children_user + t.children_system

    def seconds(self):
        return time.time() - self.start[0], self.used() - self.start[1]


def graph_runs(folder, x, images, asked):
    """name, setting, (clock, processor) seconds, neighbours."""
    np.save(f"{folder}/x.npy", images)
    for recall in asked:
        watch = Watch()
        data.run("bochner", "graph", f"{folder}/x.npy", "-k", str(K), "-o", f"{folder}/g.csv", "--quiet", "--recall",
                 str(recall))
        seconds = watch.seconds()
        table = np.loadtxt(f"{folder}/g.csv", delimiter=",", skiprows=1, usecols=(0, 1, 2), dtype=int)
        found = np.full((len(x), K), -1)
        found[table[:, 0], table[:, 1] - 1] = table[:, 2]
        yield "bochner graph, from file to file", f"--recall {recall}", seconds, found
    import pynndescent
    pynndescent.NNDescent(x[:2000], n_neighbors=K + 1, random_state=0)  # compiles
    for iterations in (2, 4, None):
        watch = Watch()
        found = pynndescent.NNDescent(x, n_neighbors=K + 1, random_state=0, n_iters=iterations).neighbor_graph[0]
        yield "pynndescent", f"n_iters={iterations}", watch.seconds(), found
    np.save(f"{folder}/f.npy", x)
    watch = Watch()
    subprocess.run([sys.executable, "-c", "import sys, numpy, pynndescent; x = numpy.load(sys.argv[1]); "
                    f"found = pynndescent.NNDescent(x, n_neighbors={K + 1}, random_state=0).neighbor_graph[0]; "
                    "numpy.save(sys.argv[2], found)", f"{folder}/f.npy", f"{folder}/p.npy"], check=True)
    yield "pynndescent in a new process", "n_iters=None", watch.seconds(), np.load(f"{folder}/p.npy")
    import hnswlib
    for m, construction, search in ((8, 20, 15), (8, 40, 30), (12, 60, 40)):
        watch = Watch()
        index = hnswlib.Index(space="l2", dim=x.shape[1])
        index.init_index(max_elements=len(x), M=m, ef_construction=construction, random_seed=0)
        index.add_items(x)
        index.set_ef(search)
        yield "hnswlib", f"M={m}, ef={construction}/{search}", watch.seconds(), index.knn_query(x, k=K + 1)[0]
    import annoy
    for trees, search in ((10, 600), (20, 1500)):
        watch = Watch()
        index = annoy.AnnoyIndex(x.shape[1], "euclidean")
        index.set_seed(0)
        for i, row in enumerate(x):
            index.add_item(i, row)
        index.build(trees)
        some = some_rows(len(x))  # the time of all is that of these, times as many
        build, start = watch.seconds(), Watch()
        found = np.full((len(x), K + 1), -1)
        for i in some:
            found[i] = index.get_nns_by_item(int(i), K + 1, search_k=search)
        each = np.array(start.seconds()) * len(x) / len(some)
        yield "annoy, queries of 300 rows times 200", f"{trees} trees, {search}", np.array(build) + each, found


def graph(folder, asked=(0.9, 0.95)):
    images = mnist()
    x = images.astype(np.float32)
    rows = some_rows(len(x))
    limit = limits(x, rows)
    curves = {}
    for name, setting, (clock, used), found in graph_runs(folder, x, images, asked):
        share = recall(x, rows, limit, found)
        curves.setdefault(name.split(",")[0], []).append((share, used))
        print(f"{name} {setting}: recall {share:.3f}, {clock:.2f} s by the clock, {used:.2f} s of the processors",
              flush=True)
    return curves


def curve(folder):
    """Recall against processor seconds, logarithmic, as lines of one colour each."""
    curves = graph(folder, (0.8, 0.9, 0.95, 0.99))
    width, height, left, bottom = 640, 360, 60, 50
    spent = [used for points in curves.values() for _, used in points]
    low, high = np.log10(min(spent)) - 0.1, np.log10(max(spent)) + 0.1
    least = min(0.7, min(share for points in curves.values() for share, _ in points))

    def place(share, used):
        return (left + (share - least) / (1 - least) * (width - left - 150),
                height - bottom - (np.log10(used) - low) / (high - low) * (height - bottom - 20))

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
             'font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for tick in (0.7, 0.8, 0.9, 0.95, 1.0):
        if tick >= least:
            at = place(tick, 10 ** low)[0]
            parts.append(f'<line x1="{at:.1f}" y1="20" x2="{at:.1f}" y2="{height - bottom}" stroke="#ddd"/>'
                         f'<text x="{at:.1f}" y="{height - bottom + 16}" text-anchor="middle">{tick}</text>')
    for tick in (1, 2, 5, 10, 20, 50, 100, 200):
        if low <= np.log10(tick) <= high:
            at = place(1, tick)[1]
            parts.append(f'<line x1="{left}" y1="{at:.1f}" x2="{width - 150}" y2="{at:.1f}" stroke="#ddd"/>'
                         f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{tick} s</text>')
    for colour, (name, points) in zip(("#c0392b", "#2471a3", "#85929e", "#229954", "#7d3c98"), curves.items()):
        at = [place(*point) for point in sorted(points)]
        line = " ".join(f"{a:.1f},{b:.1f}" for a, b in at)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3.5" fill="{colour}"/>' for a, b in at]
        parts.append(f'<text x="{at[-1][0] + 8:.1f}" y="{at[-1][1] + 4:.1f}" fill="{colour}">{name}</text>')
    parts.append(f'<text x="{(left + width - 150) / 2}" y="{height - 12}" text-anchor="middle">recall of ten neighbours, '
                 "60,000 MNIST images; processor seconds</text></svg>")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "figures", "neighbors.svg"),
              "w") as file:
        file.write("\n".join(parts) + "\n")


def exact(folder):
    import faiss
    from sklearn.neighbors import NearestNeighbors
    x = np.ascontiguousarray(mnist().astype(np.float32))
    np.save(f"{folder}/x.npy", x)

    products = []

    def said(name, watch):
        clock, used = watch.seconds()
        products.append((clock, used))
        print(f"{name}: {clock:.2f} s by the clock, {used:.2f} s of the processors; over the products "
              f"{clock / products[0][0]:.2f} and {used / products[0][1]:.2f}", flush=True)

    watch = Watch()
    for begin in range(0, len(x), 1000):
        x[begin:begin + 1000] @ x.T
    said("bare products", watch)
    watch = Watch()
    data.run("bochner", "graph", f"{folder}/x.npy", "-k", str(K), "-o", f"{folder}/g.csv", "--quiet", "--method", "exact")
    said("bochner --method exact, from file to file", watch)
    watch = Watch()
    flat = faiss.IndexFlatL2(x.shape[1])
    flat.add(x)
    flat.search(x, K + 1)
    said("faiss flat", watch)
    watch = Watch()
    NearestNeighbors(n_neighbors=K + 1, algorithm="brute").fit(x).kneighbors(x, return_distance=False)
    said("scikit-learn", watch)


def bits(folder):
    import faiss
    x = (mnist() > 127).astype(np.uint8)
    np.save(f"{folder}/x.npy", x)
    watch = Watch()
    data.run("bochner", "graph", f"{folder}/x.npy", "-k", str(K), "-o", f"{folder}/g.csv", "--quiet", "--metric", "hamming",
             "--method", "exact")
    print("bochner --metric hamming --method exact, from file to file: {:.2f} s by the clock, {:.2f} s of the "
          "processors".format(*watch.seconds()), flush=True)
    packed = np.packbits(x, axis=1)
    watch = Watch()
    flat = faiss.IndexBinaryFlat(8 * packed.shape[1])
    flat.add(packed)
    distances, _ = flat.search(packed, K + 1)
    print("faiss's flat index of bits: {:.2f} s by the clock, {:.2f} s of the processors".format(*watch.seconds()))
    ours = np.loadtxt(f"{folder}/g.csv", delimiter=",", skiprows=1, usecols=3, dtype=int).reshape(len(x), K)
    print(f"rows with the same distances: {(ours == distances[:, 1:]).all(1).mean():.4f}", flush=True)


def open_index(folder):
    images = mnist()
    np.save(f"{folder}/x.npy", images)
    np.save(f"{folder}/q.npy", images[:1])
    for words in ((), ("--bytes",)):
        data.run("bochner", "index", f"{folder}/x.npy", "--method", "exact", "-o", f"{folder}/i", "--quiet", *words)
        watch = Watch()
        process = subprocess.Popen(["bochner", "neighbors", f"{folder}/i", f"{folder}/q.npy", "-k", str(K), "-o",
                                    f"{folder}/n.csv", "--threads", "1", "--quiet"])
        _, _, usage = os.wait4(process.pid, 0)
        clock, _ = watch.seconds()
        print(f"{os.path.getsize(f'{folder}/i') / 1e6:.0f} MB {' '.join(words)}: one query {clock:.2f} s by the clock, "
              f"{usage.ru_utime + usage.ru_stime:.2f} s of the processor, {usage.ru_maxrss / 1e3:.0f} MB resident, the "
              "file's pages counted", flush=True)


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


def precision(folder, index, queries, labels, wanted):
    _, seconds = data.run("bochner", "neighbors", index, queries, "-k", str(K), "-o", f"{folder}/q.csv", "--quiet")
    table = np.loadtxt(f"{folder}/q.csv", delimiter=",", skiprows=1, usecols=(0, 2), dtype=int)
    return (wanted[table[:, 0]] == labels[table[:, 1]]).mean(), seconds


def few_bytes(folder):
    labels, wanted = messages("train")[1], messages("test")[1]
    data.run("bochner", "text", newsgroups("train"), "-o", f"{folder}/n.svm", "--save", f"{folder}/n.text", "--quiet")
    data.run("bochner", "text", newsgroups("test"), "--model", f"{folder}/n.text", "-o", f"{folder}/q.svm", "--quiet")
    data.run("bochner", "index", f"{folder}/n.svm", "--metric", "cosine", "-o", f"{folder}/n.index", "--no-texts", "--quiet")
    pairs = sum(len(line.split()) - 1 for line in open(f"{folder}/n.svm"))
    whole = 8 * pairs / len(labels)  # a column and a number of each term
    found, seconds = precision(folder, f"{folder}/n.index", f"{folder}/q.svm", labels, wanted)
    print(f"tf-idf: {whole:.0f} bytes a document, precision at {K} {found:.3f}, {seconds:.1f} s", flush=True)
    for dims in (48, 60, 96):
        data.run("bochner", "svd", f"{folder}/n.svm", "--rank", str(dims), "-o", f"{folder}/svd.model", "--quiet")
        for part in ("n", "q"):
            data.run("bochner", "transform", f"{folder}/svd.model", f"{folder}/{part}.svm", "-o", f"{folder}/{part}.npy",
                     "--quiet")
        data.run("bochner", "index", f"{folder}/n.npy", "--metric", "cosine", "--method", "exact", "--bytes", "-o",
                 f"{folder}/b.index", "--quiet")
        size = os.path.getsize(f"{folder}/b.index") / len(labels)
        found, seconds = precision(folder, f"{folder}/b.index", f"{folder}/q.npy", labels, wanted)
        print(f"{dims} components as bytes: {size:.0f} bytes a document in the file (1/{whole / size:.0f}), precision at {K} "
              f"{found:.3f}, {seconds:.1f} s", flush=True)


def main():
    runs = {"graph": graph, "curve": curve, "bytes": few_bytes, "exact": exact, "bits": bits, "open": open_index,
            "recall": recalls, "dedup": dedup, "retrieve": retrieve}
    chosen = sys.argv[1:] or ["graph"]
    if not all(name in runs for name in chosen):
        sys.exit(__doc__)
    for name in chosen:
        with tempfile.TemporaryDirectory() as folder:
            runs[name](folder)


if __name__ == "__main__":
    main()
