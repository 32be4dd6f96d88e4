# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner rank` beside LightGBM's lambdarank and least squares on the grades, on two made sets with one recipe for all
seeds: NDCG@10 on queries that nobody has seen.

letor: queries of 20 to 100 documents, ten numbers each that mean something (one of them moved and scaled by the query,
as scores of search engines are) and five of noise; a smooth function of them with products, plus noise, cut into
grades 0 to 4, of which 0 is the most frequent.
text: documents of 20 made topics, each a bag of words by a Zipf law; queries of a few words; the numbers are counts of
words that match, their tf-idf, the cosine, lengths and overlaps of pairs of words; the grade is 4 for the topic of the
query, 2 for a kindred one, 0 otherwise, and one in ten is drawn at random. The real newsgroups cannot be downloaded.

The penalty, the pairs' weights (bochner) and the number of trees (LightGBM: early stopping) are chosen by a fifth of
the training queries.

usage: rank.py [--seeds N] [SET ...]
"""
import argparse
import json
import os
import tempfile

import numpy as np

import data


def letor(seed, queries=300):
    generator = np.random.default_rng(seed)
    rows = []
    for query in range(queries):
        count = generator.integers(20, 101)
        x = generator.normal(size=(count, 15))
        relevance = (np.sin(1.5 * x[:, 0]) + x[:, 1] * x[:, 2] + np.abs(x[:, 3]) + 0.7 * x[:, 4]
                     + 0.5 * np.maximum(x[:, 5], 0) * x[:, 6] + 0.5 * x[:, 7] + 0.3 * x[:, 8] ** 2 + 0.4 * x[:, 9])
        relevance = relevance + 0.8 * generator.normal(size=count)
        x[:, 7] = x[:, 7] * np.exp(generator.normal() / 2) + generator.normal()
        grades = np.searchsorted(np.quantile(relevance, [0.5, 0.75, 0.9, 0.97]), relevance)
        rows.append(np.column_stack([np.full(count, query), grades, x]))
    return np.vstack(rows)


def text(seed, queries=300, words=2000, topics=20):
    generator = np.random.default_rng(seed)
    zipf = 1 / np.arange(1, words + 1)
    laws = []
    for _ in range(topics):
        law = zipf.copy()
        law[generator.choice(words, 60, replace=False)] += 0.04 * generator.gamma(1, size=60)
        laws.append(law / law.sum())
    idf = -np.log(1 - (1 - np.mean(laws, axis=0)) ** 60)
    rows = []
    for query in range(queries):
        topic = generator.integers(topics)
        asked = generator.choice(words, size=5, p=laws[topic])
        count = generator.integers(20, 101)
        theirs = np.where(generator.random(count) < 0.2, topic, generator.integers(topics, size=count))
        theirs = np.where(generator.random(count) < 0.2, topic ^ 1, theirs) % topics
        bags = np.array([np.bincount(generator.choice(words, size=generator.integers(20, 120), p=laws[t]),
                                     minlength=words) for t in theirs])
        hits, length = bags[:, asked], bags.sum(1)
        weighed = bags * idf
        x = np.column_stack([hits.sum(1), (hits > 0).sum(1), (hits * idf[asked]).sum(1), np.log1p(hits).sum(1),
                             (hits > 0) @ idf[asked], weighed[:, asked].sum(1) / np.linalg.norm(weighed, axis=1),
                             length, hits.max(1), hits.min(1), (hits.sum(1) + 1) / length,
                             weighed @ (laws[topic] > 2 * np.mean(laws, axis=0)) / length])
        grades = np.where(theirs == topic, 4, np.where(theirs == topic ^ 1, 2, 0))
        grades = np.where(generator.random(count) < 0.1, generator.integers(5, size=count), grades)
        rows.append(np.column_stack([np.full(count, query), grades, x]))
    return np.vstack(rows)


SETS = {"letor": letor, "text": text}


def write(path, table):
    names = ["query", "grade"] + [f"x{j}" for j in range(table.shape[1] - 2)]
    np.savetxt(path, table, delimiter=",", header=",".join(names), comments="", fmt="%.9g")


def ours(scratch, train, *words):
    model = os.path.join(scratch, "model")
    command, *rest = words
    watch = data.Watch()
    data.run("bochner", command, train, "--target", "grade", "--task", "regression", "--group", "query", "--quiet",
             *rest, "-o", model)
    seconds = watch.seconds()[1]
    found = data.run("bochner", "eval", model, os.path.join(scratch, "test.csv"), "--group", "query", "--json", "--quiet")
    return json.loads(found[0])["ndcg@10"], seconds


def ndcg(scores, table, at=10):
    found = []
    for query in np.unique(table[:, 0]):
        own = table[:, 0] == query
        gains = 2.0 ** table[own, 1] - 1
        if gains.max() == gains.min():
            continue
        discount = 1 / np.log2(np.arange(2, at + 2))
        reached = gains[np.argsort(-scores[own], kind="stable")][:at] @ discount
        found.append(reached / (np.sort(gains)[::-1][:at] @ discount))
    return np.mean(found)


def lightgbm(train, test):
    import lightgbm as lgb
    held = train[:, 0] % 5 == 0
    parts = [lgb.Dataset(part[:, 2:], part[:, 1], group=np.unique(part[:, 0], return_counts=True)[1])
             for part in (train[~held], train[held])]
    watch = data.Watch()
    model = lgb.train({"objective": "lambdarank", "metric": "ndcg", "eval_at": [10], "learning_rate": 0.05,
                       "num_threads": 1, "verbosity": -1}, parts[0], 1000, valid_sets=[parts[1]],
                      callbacks=[lgb.early_stopping(50, verbose=False)])
    return ndcg(model.predict(test[:, 2:]), test), watch.seconds()[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("sets", nargs="*")
    words = parser.parse_args()
    for name in words.sets or SETS:
        found = {}
        for seed in range(words.seeds):
            table = SETS[name](seed)
            test = table[:, 0] >= 200
            with tempfile.TemporaryDirectory() as scratch:
                path = os.path.join(scratch, "train.csv")
                write(path, table[~test])
                write(os.path.join(scratch, "test.csv"), table[test])
                for way, found_here in (
                        ("rank", ours(scratch, path, "rank")),
                        ("rank, linear", ours(scratch, path, "rank", "--map", "none")),
                        ("ridge on the grades", ours(scratch, path, "train", "--map", "fourier")),
                        ("LightGBM", lightgbm(table[~test], table[test]))):
                    found.setdefault(way, []).append(found_here)
        for way, values in found.items():
            scores, seconds = np.array(values).T
            print(f"{name}: {way}: NDCG@10 {scores.mean():.4f} ± {scores.std():.4f}, {seconds.mean():.1f} s of "
                  f"processor time, {words.seeds} seeds", flush=True)


if __name__ == "__main__":
    main()
