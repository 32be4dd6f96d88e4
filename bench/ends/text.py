# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""20 Newsgroups: tf-idf of words and pairs, sparse (all terms, and those that --project keeps) and after a projection to
1000 numbers. The precision of the category
among the 10 nearest neighbours (by cosine; test messages among training messages), and the time beside scikit-learn's
TfidfVectorizer.

usage: text.py [KIND ...]   default: sign
"""
import os
import sys
import tempfile
import time

import numpy as np

import data

NEIGHBOURS, DIMS = 10, 1000


def categories(folder):
    """The folder of every document, in the order of the command: sorted paths."""
    found = []
    for name in sorted(os.listdir(folder)):
        found += [name] * len(os.listdir(os.path.join(folder, name)))
    return np.array(found)


def normalized(x):
    if hasattr(x, "multiply"):
        return x  # has length 1 already
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-30)


def precision(train, test, train_labels, test_labels):
    """The share of the 10 nearest that have the category."""
    train, test = normalized(train), normalized(test)
    right = 0
    for begin in range(0, test.shape[0], 500):
        scores = test[begin:begin + 500] @ train.T
        scores = scores.toarray() if hasattr(scores, "toarray") else scores
        nearest = np.argpartition(-scores, NEIGHBOURS, axis=1)[:, :NEIGHBOURS]
        right += (train_labels[nearest] == test_labels[begin:begin + 500, None]).sum()
    return right / (NEIGHBOURS * test.shape[0])


def main():
    from sklearn.datasets import load_files, load_svmlight_files
    from sklearn.feature_extraction.text import TfidfVectorizer

    root = os.path.join(data.folder(), "news20")
    folders = [os.path.join(root, f"20news-bydate-{part}") for part in ("train", "test")]
    if not os.path.isdir(folders[0]):
        print(f"skipped: no {folders[0]}")
        return
    labels = [categories(folder) for folder in folders]
    with tempfile.TemporaryDirectory() as scratch:
        at = lambda name: os.path.join(scratch, name)
        def sparse(*words):
            """Precision, columns and seconds of the unprojected rows."""
            _, seconds = data.run("bochner", "text", folders[0], "-o", at("train.svm"), "--ngrams", "1-2", "--save",
                                  at("words.text"), "--quiet", *words)
            data.run("bochner", "text", folders[1], "-o", at("test.svm"), "--model", at("words.text"), "--quiet")
            train, _, test, _ = load_svmlight_files([at("train.svm"), at("test.svm")], zero_based=False)
            return precision(train, test, *labels), train.shape[1], seconds

        start = time.perf_counter()
        raw = load_files(folders[0], encoding="latin-1", shuffle=False)
        TfidfVectorizer(ngram_range=(1, 2)).fit_transform(raw.data)
        peer = time.perf_counter() - start
        everything, columns, seconds = sparse()
        print(f"tf-idf 1-2, {columns} columns: precision {100 * everything:.2f} %, bochner {seconds:.2f} s, "
              f"scikit-learn {peer:.2f} s, {peer / seconds:.1f} x", flush=True)
        least = str(len(labels[0]) // 1000)
        whole, columns, _ = sparse("--min-documents", least, "--max-share", "0.1", "--pair-weight", "0.5")
        print(f"the terms of --project, {columns} columns: precision {100 * whole:.2f} %", flush=True)
        for kind in sys.argv[1:] or ["sign"]:
            _, seconds = data.run("bochner", "text", folders[0], "-o", at("train.npy"), "--ngrams", "1-2", "--project",
                                  kind, "--dims", str(DIMS), "--save", at("words.text"), "--quiet")
            data.run("bochner", "text", folders[1], "-o", at("test.npy"), "--model", at("words.text"), "--quiet")
            found = precision(np.load(at("train.npy")), np.load(at("test.npy")), *labels)
            print(f"{kind} to {DIMS}: precision {100 * found:.2f} %, {100 * (whole - found):.2f} points less than "
                  f"the same terms, {100 * (everything - found):.2f} than all, "
                  f"{seconds:.2f} s", flush=True)


if __name__ == "__main__":
    main()
