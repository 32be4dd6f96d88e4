# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Documents that are near, beside their peers, each in one run.

usage: retrieval.py dedup|retrieve|bytes   with bochner on the path

dedup     pairs of 20 Newsgroups messages of Jaccard's similarity 0.8 and more, beside datasketch's MinHash LSH and all
          pairs
retrieve  test messages of 20 Newsgroups ask for ten training messages: precision of the newsgroup, exact tf-idf and
          BM25 beside bm25s
bytes     the same by leading components of the tf-idf rows, kept as bytes: precision and bytes of a document

Ours from file to file, theirs from memory, imports aside.
"""
import os
import time

import numpy as np

import data

K = 10


def dedup(folder):
    from datasketch import MinHash, MinHashLSH
    data.run("bochner", "text", data.newsgroups("train"), "-o", f"{folder}/n.svm", "--quiet")
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
    for group in sorted(os.listdir(data.newsgroups(part))):
        for name in sorted(os.listdir(os.path.join(data.newsgroups(part), group))):
            with open(os.path.join(data.newsgroups(part), group, name), "rb") as file:
                texts.append(file.read().decode("latin-1"))
            labels.append(group)
    return texts, np.array(labels)


def retrieve(folder):
    import bm25s
    texts, labels = messages("train")
    asked, wanted = messages("test")
    some = np.random.default_rng(0).choice(len(asked), 1000, replace=False)
    print("seconds of the processors", flush=True)
    for weights, metric in ((), "cosine"), (("--bm25",), "inner"):
        watch = data.Watch()
        data.run("bochner", "text", data.newsgroups("train"), "-o", f"{folder}/n.svm", *weights, "--save",
                 f"{folder}/n.text", "--quiet")
        data.run("bochner", "index", f"{folder}/n.svm", "--metric", metric, "-o", f"{folder}/n.index", "--no-texts",
                 "--quiet")
        built = watch.seconds()[1]
        data.run("bochner", "text", data.newsgroups("test"), "--model", f"{folder}/n.text", "--queries", "-o",
                 f"{folder}/q.svm", "--quiet")
        watch = data.Watch()
        data.run("bochner", "neighbors", f"{folder}/n.index", f"{folder}/q.svm", "-k", str(K), "-o", f"{folder}/q.csv",
                 "--quiet")
        seconds = watch.seconds()[1]
        table = np.loadtxt(f"{folder}/q.csv", delimiter=",", skiprows=1, usecols=(0, 2), dtype=int)
        hit = wanted[table[:, 0]] == labels[table[:, 1]]
        print(f"bochner {metric}: text and index {built:.1f}, {len(asked)} queries {seconds:.1f}, "
              f"precision at {K} {hit[np.isin(table[:, 0], some)].mean():.3f}", flush=True)
    watch = data.Watch()
    index = bm25s.BM25()
    index.index(bm25s.tokenize(texts, stopwords=None, show_progress=False), show_progress=False)
    built, watch = watch.seconds()[1], data.Watch()
    queries = bm25s.tokenize([asked[i] for i in some], stopwords=None, show_progress=False)
    found, _ = index.retrieve(queries, k=K, show_progress=False)
    seconds = watch.seconds()[1]
    print(f"bm25s: index {built:.1f}, {len(some)} queries {seconds:.1f}, precision at {K} "
          f"{(labels[found] == wanted[some][:, None]).mean():.3f}", flush=True)


def precision(folder, index, queries, labels, wanted):
    _, seconds = data.run("bochner", "neighbors", index, queries, "-k", str(K), "-o", f"{folder}/q.csv", "--quiet")
    table = np.loadtxt(f"{folder}/q.csv", delimiter=",", skiprows=1, usecols=(0, 2), dtype=int)
    return (wanted[table[:, 0]] == labels[table[:, 1]]).mean(), seconds


def few_bytes(folder):
    labels, wanted = messages("train")[1], messages("test")[1]
    data.run("bochner", "text", data.newsgroups("train"), "-o", f"{folder}/n.svm", "--save", f"{folder}/n.text", "--quiet")
    data.run("bochner", "text", data.newsgroups("test"), "--model", f"{folder}/n.text", "-o", f"{folder}/q.svm", "--quiet")
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


if __name__ == "__main__":
    data.run_chosen(__doc__, dedup=dedup, retrieve=retrieve, bytes=few_bytes)
