# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Neighbours beside their peers, each in one run.

usage: neighbors.py graph|graph-few|curve|exact|exact-few|bits|open|recall   with bochner on the path

graph     a table of ten neighbours of MNIST's 60,000 training images: `bochner graph` beside pynndescent, compiled
          before the clock starts, by three turns; by one pynndescent as a user meets it, in a new process that imports
          and compiles, hnswlib and, where it is installed, annoy. Medians of the settings tried here, and how many
          times as fast ours is, by the clock and of the processors, as each one's fastest setting that finds as many
          graph-few: beside pynndescent alone, by five turns
curve     the same at several recalls, as docs/figures/neighbors.svg
exact     the same by every pair, beside the bare products of numpy, faiss's flat index and scikit-learn; seconds, and
          their ratios to those of the products. exact-few: of 15,000 rows, by three turns
bits      every pair of MNIST's images as 784 bits (pixels above 127), beside faiss's flat index of bits
open      the exact index of MNIST's images, as floats and as bytes: seconds and memory of one query from the command
recall    `graph --recall R` and `index --recall R` on MNIST, USPS, sift5k and 20 Newsgroups: the share found by 300 rows
          that the search does not know of

Ours from file to file, theirs from memory (of a graph: from the file to arrays), compilation and imports aside. Recall
counts rows as near as the k-th, whichever they are, each once.
"""
import os
import subprocess
import sys

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
    return table_of(f"{folder}/g.csv", count), seconds


def mnist():
    return np.load(os.path.join(data.folder(), "mnist.train.npy"))[:, :-1]


def some_rows(count):
    return np.random.default_rng(0).choice(count, 300, replace=False)


def table_of(path, count):
    """The rows of a written graph, -1 where there are fewer."""
    table = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(0, 1, 2), dtype=int)
    found = np.full((count, K), -1)
    found[table[:, 0], table[:, 1] - 1] = table[:, 2]
    return found


def our_graphs(folder, path, count, asked):
    """name, setting, and what is timed; it returns what finds the neighbours, which is not."""

    def run(share):
        data.run("bochner", "graph", path, "-k", str(K), "-o", f"{folder}/g.csv", "--quiet", "--recall", str(share))
        return lambda: table_of(f"{folder}/g.csv", count)

    for share in asked:
        yield "bochner graph, from file to file", f"--recall {share}", lambda share=share: run(share)


def floats_of(path):
    """The rows of a file as the peers take them."""
    return np.load(path).astype(np.float32)


def descents(path):
    import pynndescent
    pynndescent.NNDescent(floats_of(path)[:2000], n_neighbors=K + 1, random_state=0)  # compiles

    def run(words):
        found = pynndescent.NNDescent(floats_of(path), n_neighbors=K + 1, random_state=0, **words).neighbor_graph[0]
        return lambda: found

    for words in ({"n_iters": 1}, {"n_iters": 2}, {}, {"n_trees": 3, "n_iters": 3}, {"n_trees": 5, "n_iters": 2},
                  {"n_trees": 4}):
        yield ("pynndescent", ", ".join(f"{k}={v}" for k, v in words.items()) or "as it is",
               lambda words=words: run(words))


def cold_descent(folder, path):
    def run():
        subprocess.run([sys.executable, "-c", "import sys, numpy, pynndescent; "
                        "x = numpy.load(sys.argv[1]).astype(numpy.float32); "
                        f"found = pynndescent.NNDescent(x, n_neighbors={K + 1}, random_state=0).neighbor_graph[0]; "
                        "numpy.save(sys.argv[2], found)", path, f"{folder}/p.npy"], check=True)
        return lambda: np.load(f"{folder}/p.npy")

    yield "pynndescent in a new process", "as it is", run


def small_worlds(path):
    import hnswlib

    def run(m, construction, search):
        x = floats_of(path)
        index = hnswlib.Index(space="l2", dim=x.shape[1])
        index.init_index(max_elements=len(x), M=m, ef_construction=construction, random_seed=0)
        index.add_items(x)
        index.set_ef(search)
        found = index.knn_query(x, k=K + 1)[0]
        return lambda: found

    for setting in ((8, 20, 15), (8, 40, 30), (12, 60, 40)):
        yield "hnswlib", "M={}, ef={}/{}".format(*setting), lambda setting=setting: run(*setting)


def random_trees(path):
    try:
        import annoy
    except ImportError:
        return

    def run(trees, search):
        x = floats_of(path)
        index = annoy.AnnoyIndex(x.shape[1], "euclidean")
        index.set_seed(0)
        for i, row in enumerate(x):
            index.add_item(i, row)
        index.build(trees)
        found = np.array([index.get_nns_by_item(i, K + 1, search_k=search) for i in range(len(x))])
        return lambda: found

    for setting in ((10, 600), (20, 1500)):
        yield "annoy", "{} trees, {}".format(*setting), lambda setting=setting: run(*setting)


def graph(folder, asked=(0.9, 0.95), turns=3, slow=True):
    path = f"{folder}/x.npy"
    np.save(path, mnist())
    x = floats_of(path)
    rows = some_rows(len(x))
    limit = limits(x, rows)
    runs = [*our_graphs(folder, path, len(x), asked), *descents(path)]
    once = [*cold_descent(folder, path), *small_worlds(path), *random_trees(path)] if slow else []  # minutes
    spent, share = {}, {}
    for turn in range(turns):
        for name, setting, start in runs + (once if turn == 0 else []):
            watch = data.Watch()
            found = start()
            spent.setdefault((name, setting), []).append(watch.seconds())
            if turn == 0:
                share[name, setting] = recall(x, rows, limit, found())
            print("turn {}: {} {}: {:.2f} s by the clock, {:.2f} of the processors".format(
                turn, name, setting, *spent[name, setting][-1]), flush=True)
    curves = {}
    print(f"{'':52} recall  clock s  processor s, medians")
    for (name, setting), seconds in spent.items():
        clock, used = np.median(seconds, axis=0)
        curves.setdefault(name.split(",")[0], []).append((share[name, setting], clock, used))
        print(f"{name + ' ' + setting:52} {share[name, setting]:6.3f}  {clock:7.2f}  {used:7.2f} of {len(seconds)}",
              flush=True)
    compare(curves)
    return {name: [(found, used) for found, _, used in points] for name, points in curves.items()}


def compare(curves):
    """Ours beside the fastest setting of each peer that finds no less than a hundredth below what ours does."""
    ours, *peers = curves.items()
    for share, *spent in ours[1]:
        for name, points in peers:
            for what, used, theirs in zip(("by the clock", "of the processors"), spent, (1, 2)):
                times = [(point[theirs], point[0]) for point in points if point[0] >= share - 0.01]
                if times:
                    print(f"ours at {share:.3f} in {used:.2f} s {what}: {min(times)[0] / used:.2f} times as fast as "
                          f"{name} at {min(times)[1]:.3f} in {min(times)[0]:.2f} s", flush=True)


def curve(folder):
    draw(graph(folder, (0.8, 0.9, 0.95, 0.99), 1))


def draw(curves):
    """Recall against processor seconds, logarithmic, as lines of one colour each; curves: (recall, seconds) by name."""
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


def exact(folder, rows=60000, turns=1):
    import faiss
    from sklearn.neighbors import NearestNeighbors
    images = mnist()[:rows]
    x = np.ascontiguousarray(images.astype(np.float32))
    np.save(f"{folder}/x.npy", x)
    np.save(f"{folder}/y.npy", x + np.float32(0.37) * np.sin(x + np.arange(x.shape[1], dtype=np.float32)))

    def products():
        for begin in range(0, len(x), 1000):
            x[begin:begin + 1000] @ x.T

    def ours(file):
        data.run("bochner", "graph", f"{folder}/{file}.npy", "-k", str(K), "-o", f"{folder}/g.csv", "--quiet", "--method",
                 "exact")

    def flat():
        index = faiss.IndexFlatL2(x.shape[1])
        index.add(x)
        index.search(x, K + 1)

    def brute():
        NearestNeighbors(n_neighbors=K + 1, algorithm="brute").fit(x).kneighbors(x, return_distance=False)

    spent = {}
    for _ in range(turns):
        for name, start in (("bare products", products), ("bochner --method exact, from file to file", lambda: ours("x")),
                            ("the same of rows that are not whole numbers", lambda: ours("y")), ("faiss flat", flat),
                            ("scikit-learn", brute)):
            watch = data.Watch()
            start()
            spent.setdefault(name, []).append(watch.seconds())
    bare = np.median(spent["bare products"], axis=0)
    for name, seconds in spent.items():
        clock, used = np.median(seconds, axis=0)
        print(f"{len(x)} rows, {name}: {used:.2f} s of the processors, {clock:.2f} by the clock; over the products "
              f"{used / bare[1]:.2f} and {clock / bare[0]:.2f}", flush=True)


def bits(folder):
    import faiss
    x = (mnist() > 127).astype(np.uint8)
    np.save(f"{folder}/x.npy", x)
    watch = data.Watch()
    data.run("bochner", "graph", f"{folder}/x.npy", "-k", str(K), "-o", f"{folder}/g.csv", "--quiet", "--metric", "hamming",
             "--method", "exact")
    print("bochner --metric hamming --method exact, from file to file: {:.2f} s by the clock, {:.2f} s of the "
          "processors".format(*watch.seconds()), flush=True)
    packed = np.packbits(x, axis=1)
    watch = data.Watch()
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
        watch = data.Watch()
        process = subprocess.Popen(["bochner", "neighbors", f"{folder}/i", f"{folder}/q.npy", "-k", str(K), "-o",
                                    f"{folder}/n.csv", "--threads", "1", "--quiet"])
        _, _, usage = os.wait4(process.pid, 0)
        clock, _ = watch.seconds()
        print(f"{os.path.getsize(f'{folder}/i') / 1e6:.0f} MB {' '.join(words)}: one query {clock:.2f} s by the clock, "
              f"{usage.ru_utime + usage.ru_stime:.2f} s of the processor, {usage.ru_maxrss / 1e3:.0f} MB resident, the "
              "file's pages counted", flush=True)


def recall_sets(folder):
    yield "sift5k", np.load(os.path.join(data.folder(), "sift5k.npy")).astype(np.float32)
    usps = np.loadtxt(os.path.join(data.folder(), "usps.train.csv"), delimiter=",", skiprows=1, dtype=np.float32)
    yield "USPS", usps[:, :256]
    data.run("bochner", "text", data.newsgroups("train"), "-o", f"{folder}/n.npy", "--project", "sign", "--dims", "1000",
             "--quiet")
    yield "20 Newsgroups, projected", np.load(f"{folder}/n.npy")
    yield "MNIST", mnist().astype(np.float32)


def from_index(folder, x, rows, *words):
    """What an index of all rows tells some of them: themselves, and as many others."""
    np.save(f"{folder}/q.npy", x[rows])
    _, seconds = data.run("bochner", "index", f"{folder}/x.npy", "-o", f"{folder}/i", "--quiet", *words)
    data.run("bochner", "neighbors", f"{folder}/i", f"{folder}/q.npy", "-k", str(K + 1), "-o", f"{folder}/n.csv", "--quiet")
    found = np.full((len(x), K + 1), -1)
    table = np.loadtxt(f"{folder}/n.csv", delimiter=",", skiprows=1, usecols=(0, 1, 2), dtype=int)
    found[rows[table[:, 0]], table[:, 1] - 1] = table[:, 2]
    return found, seconds


def recalls(folder):
    for name, x in recall_sets(folder):
        np.save(f"{folder}/x.npy", x)
        rows = some_rows(len(x))
        limit = limits(x, rows)
        ways = [("graph", "forest"), ("graph", "project"), ("index", "forest"), ("index", "project")]
        if len(x) < 10000:
            ways.append(("graph", "lsh"))  # minutes of more rows
        for command, method in ways:
            for asked in (0.8, 0.9, 0.95, 0.99):
                words = ("--recall", str(asked), "--method", method)
                found, seconds = (our_graph(folder, f"{folder}/x.npy", len(x), *words) if command == "graph" else
                                  from_index(folder, x, rows, *words))
                print(f"{name}, {len(x)} rows, {command} by {method}, asked {asked}: "
                      f"{recall(x, rows, limit, found):.3f}, {seconds:.1f} s", flush=True)


if __name__ == "__main__":
    data.run_chosen(__doc__, graph=graph, graph_few=lambda folder: graph(folder, turns=5, slow=False), curve=curve,
                    exact=exact, exact_few=lambda folder: exact(folder, 15000, 3), bits=bits, open=open_index,
                    recall=recalls)
