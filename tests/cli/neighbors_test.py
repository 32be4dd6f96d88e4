# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner index`, `neighbors` and `graph`: from files to lines of neighbours."""

import csv
import gzip
import io
import math
import os
import random
import resource
import struct
import unittest

from command import DATA, CommandTest
from round_trip_test import npy


def cloud(n, d, seed=1):
    draw = random.Random(seed)
    return [[draw.gauss(0, 1) for _ in range(d)] for _ in range(n)]


def npy_of_bytes(values, inputs):
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(values) // inputs}, {inputs}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values


class Neighbors(CommandTest):
    def table(self, name):
        rows = list(csv.DictReader(io.StringIO((self.folder / name).read_text())))
        return [(int(r["query"]), int(r["rank"]), int(r["row"]), float(r["distance"])) for r in rows]

    def test_a_graph_has_the_nearest_others_of_every_row(self):
        x = cloud(120, 4)
        self.file("x.npy", npy(x))
        self.succeed_quietly("graph", "x.npy", "-k", 3, "-o", "g.csv")
        found = self.table("g.csv")
        self.assertEqual([(q, r) for q, r, _, _ in found], [(q, r) for q in range(120) for r in (1, 2, 3)])
        for q in range(120):
            true = sorted((math.dist(x[q], x[i]), i) for i in range(120) if i != q)[:3]
            self.assertEqual([row for query, _, row, _ in found if query == q], [i for _, i in true])
            for (distance, _), (_, _, _, said) in zip(true, found[3 * q:3 * q + 3]):
                self.assertAlmostEqual(distance, said, places=5)

    def test_numbers_that_are_not_finite_are_refused_with_their_place(self):
        x = cloud(40, 3)
        self.file("good.npy", npy(x))
        self.succeed_quietly("index", "good.npy", "-o", "good.index")
        for value in (math.nan, math.inf, -math.inf):
            x[17][2] = value
            self.file("x.npy", npy(x))
            for words in (("index", "x.npy", "-o", "i"), ("graph", "x.npy", "-k", 2, "-o", "g"),
                          ("neighbors", "good.index", "x.npy", "-k", 2, "-o", "n"), ("dedup", "x.npy", "-o", "d"),
                          ("reduce", "x.npy", "--points", 3, "-o", "p")):
                self.refuse(2, *words, say="x.npy: row 17, column 2 (from 0)")

    def test_an_index_answers_for_other_rows(self):
        x, y = cloud(90, 5), cloud(7, 5, 2)
        self.file("x.npy", npy(x))
        self.file("y.npy", npy(y))
        self.succeed_quietly("index", "x.npy", "--metric", "cosine", "-o", "i")
        self.succeed_quietly("neighbors", "i", "y.npy", "-k", 2, "-o", "n.csv")

        def cosine(a, b):
            return sum(s * t for s, t in zip(a, b)) / math.hypot(*a) / math.hypot(*b)

        for query, rank, row, distance in self.table("n.csv"):
            true = sorted((1 - cosine(y[query], x[i]), i) for i in range(90))[rank - 1]
            self.assertEqual(row, true[1])
            self.assertAlmostEqual(distance, true[0], places=5)
        self.assertEqual(len(self.table("n.csv")), 14)

    def test_columns_of_different_units_are_scaled_alike_in_index_and_queries(self):
        x, y = cloud(200, 3), cloud(9, 3, 2)
        units = (1e-3, 1.0, 1e6)

        def table(rows):
            return "a,b,c\n" + "".join(",".join(str(3e5 + v * u) for v, u in zip(row, units)) + "\n" for row in rows)

        def scaled(rows):
            means = [sum(row[j] for row in x) / len(x) for j in range(3)]
            spreads = [math.sqrt(sum((row[j] - m) ** 2 for row in x) / len(x)) for j, m in enumerate(means)]
            return [[(v - m) / s for v, m, s in zip(row, means, spreads)] for row in rows]

        def expect(queries, rows, name, k, others=False):
            found = self.table(name)
            self.assertEqual(len(found), len(queries) * k)
            for query, rank, row, distance in found:
                true = sorted(math.dist(queries[query], r) for i, r in enumerate(rows) if not others or i != query)
                self.assertAlmostEqual(distance / true[rank - 1], 1, places=3)
                self.assertAlmostEqual(math.dist(queries[query], rows[row]) / distance, 1, places=3)

        self.file("x.csv", table(x))
        self.file("y.csv", table(y))
        _, _, said = self.run_command("index", "x.csv", "-o", "plain")
        self.assertIn("warning: columns have different units: 'c' spreads by", said)
        _, _, said = self.run_command("index", "x.csv", "--scale", "standardize", "-o", "i")
        self.assertNotIn("warning", said)
        self.succeed_quietly("neighbors", "i", "y.csv", "-k", 4, "-o", "n.csv")
        expect(scaled(y), scaled(x), "n.csv", 4)
        first = (self.folder / "n.csv").read_bytes()
        self.succeed_quietly("neighbors", "x.csv", "y.csv", "--metric", "euclidean", "--scale", "standardize", "-k", 4,
                             "-o", "n.csv")
        self.assertEqual((self.folder / "n.csv").read_bytes(), first)
        for words in ((), ("--method", "exact")):
            self.succeed_quietly("graph", "x.csv", "--scale", "auto", "-k", 3, *words, "-o", "g.csv")
            expect(scaled(x), scaled(x), "g.csv", 3, others=True)
        self.refuse(1, "neighbors", "i", "y.csv", "--scale", "auto", "-o", "o.csv", "--quiet", say="--scale")
        self.refuse(1, "index", "x.csv", "--metric", "jaccard", "--scale", "auto", "-o", "o", "--quiet", say="--scale")
        self.refuse(1, "index", "x.csv", "--scale", "nonsense", "-o", "o", "--quiet", say="--scale")
        self.file("s.svm", "".join(f"0 {1 + i % 3}:{10 ** (i % 3) * (1 + i % 7)} 4:1\n" for i in range(60)))
        self.assertNotIn("warning", self.run_command("graph", "s.svm", "-o", "g.csv")[2])
        self.succeed_quietly("graph", "s.svm", "--scale", "auto", "-o", "g.csv")

    def test_rows_are_left_out_by_their_numbers(self):
        x, y = cloud(60, 3), cloud(5, 3, 2)
        self.file("x.npy", npy(x))
        self.file("y.npy", npy(y))
        self.file("some", "".join(f"{i}\n" for i in range(0, 60, 2)))
        self.succeed_quietly("index", "x.npy", "-o", "i")
        for word, kept in (("--only", range(0, 60, 2)), ("--without", range(1, 60, 2))):
            self.succeed_quietly("neighbors", "i", "y.npy", "-k", 3, word, "some", "-o", "n.csv")
            for q in range(5):
                true = sorted((math.dist(y[q], x[i]), i) for i in kept)[:3]
                self.assertEqual([row for query, _, row, _ in self.table("n.csv") if query == q], [i for _, i in true])
        self.file("bad", "1\ntwo\n")
        self.refuse(2, "neighbors", "i", "y.npy", "--only", "bad", say="number 2 is 'two'")
        self.refuse(1, "neighbors", "i", "y.npy", "--only", "some", "--without", "some")

    def test_rows_without_an_index_are_streamed(self):
        self.file("x.npy", npy(cloud(4000, 40)))
        self.file("y.npy", npy(cloud(30, 40, 2)))
        self.succeed_quietly("index", "x.npy", "--method", "exact", "-o", "i")
        self.succeed_quietly("neighbors", "i", "y.npy", "-k", 4, "-o", "a.csv")
        self.succeed_quietly("neighbors", "x.npy", "y.npy", "-k", 4, "--metric", "euclidean", "--memory", "1M", "-o", "b.csv")
        self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes())
        self.succeed_quietly("graph", "x.npy", "--method", "exact", "-k", 4, "-o", "a.csv")
        self.succeed_quietly("graph", "x.npy", "--method", "exact", "-k", 4, "--memory", "1M", "-o", "b.csv")
        self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes())

    def test_columns_of_a_table_that_are_no_inputs_are_left_out(self):
        self.succeed_quietly("graph", DATA / "adult-small.csv", "--target", "income", "-k", 2, "-o", "a.csv")
        self.succeed_quietly("graph", DATA / "adult-small.csv", "--ignore", "income", "-k", 2, "-o", "b.csv")
        self.assertEqual((self.folder / "a.csv").read_bytes(), (self.folder / "b.csv").read_bytes())

    def test_sparse_rows_are_searched(self):
        self.succeed_quietly("index", DATA / "adult-small.svm", "--metric", "cosine", "-o", "i")
        self.succeed_quietly("neighbors", "i", DATA / "adult-small.svm", "-k", 1, "-o", "n.csv")
        for query, _, row, distance in self.table("n.csv"):
            self.assertLess(distance, 1e-6)  # itself, or one that equals it
            self.assertLessEqual(row, query)

    def test_bits_and_sets_by_every_method_they_have(self):
        draw = random.Random(3)
        x = [[float(draw.random() < (0.9 if j % 5 == i % 5 else 0.1)) for j in range(30)] for i in range(80)]
        self.file("x.npy", npy(x))
        for metric, methods in (("hamming", ("auto", "exact", "project", "lsh")), ("jaccard", ("auto", "exact", "lsh"))):
            for method in methods:
                self.succeed_quietly("graph", "x.npy", "--metric", metric, "--method", method, "-k", 2, "-o", "g.csv")
                self.succeed_quietly("index", "x.npy", "--metric", metric, "--method", method, "-o", "i")
                self.succeed_quietly("neighbors", "i", "x.npy", "-k", 1, "-o", "n.csv")
                for query, _, row, distance in self.table("g.csv"):
                    a, b = x[query], x[row]
                    differ = sum(s != t for s, t in zip(a, b))
                    either = sum(s + t > 0 for s, t in zip(a, b))
                    self.assertAlmostEqual(distance, differ if metric == "hamming" else differ / either, places=9)
                for _, _, _, distance in self.table("n.csv"):
                    self.assertEqual(distance, 0)
        self.file("y.npy", npy(cloud(20, 3)))
        self.refuse(1, "graph", "y.npy", "--metric", "hamming", "-o", "g.csv", say="0 and 1")
        self.refuse(1, "graph", "y.npy", "--hash", "minhash", "-o", "g.csv", say="--hash")

    def test_an_index_larger_than_the_memory_is_searched_in_its_file(self):
        rows, inputs, few = 20000, 500, 5
        values = random.Random(1).randbytes(rows * inputs)
        self.file("x.npy", npy_of_bytes(values, inputs))
        self.file("q.npy", npy_of_bytes(values[:few * inputs], inputs))
        self.succeed_quietly("index", "x.npy", "--method", "exact", "-o", "i")
        most = 36 << 20  # bytes of memory that is not the file's
        self.assertGreater((self.folder / "i").stat().st_size, most)
        code, _, errors = self.run_command(
            "neighbors", "i", "q.npy", "-k", 1, "--threads", 1, "-o", "n.csv", "--quiet",
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (most, most)),
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})  # whose threads have buffers of their own
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual(self.table("n.csv"), [(q, 1, q, 0) for q in range(few)])

    def test_threads_change_nothing(self):
        self.file("x.npy", npy(cloud(6000, 8)))
        for threads in (1, 3):
            self.succeed_quietly("index", "x.npy", "--recall", 0.8, "--threads", threads, "-o", f"i{threads}")
            self.succeed_quietly("graph", "x.npy", "-k", 4, "--threads", threads, "-o", f"g{threads}.csv")
        self.assertEqual((self.folder / "i1").read_bytes(), (self.folder / "i3").read_bytes())
        self.assertEqual((self.folder / "g1.csv").read_bytes(), (self.folder / "g3.csv").read_bytes())

    def test_threads_change_nothing_of_rows_that_are_bytes(self):
        self.file("x.npy", npy_of_bytes(random.Random(2).randbytes(5500 * 40), 40))
        for threads in (1, 2, 3, 7):
            self.succeed_quietly("graph", "x.npy", "-k", 4, "--recall", 0.8, "--method", "forest", "--threads", threads,
                                 "-o", f"g{threads}.csv")
        whole = (self.folder / "g1.csv").read_bytes()
        self.assertEqual(whole.count(b"\n"), 1 + 4 * 5500)
        for threads in (2, 3, 7):
            self.assertEqual((self.folder / f"g{threads}.csv").read_bytes(), whole)
        self.succeed_quietly("graph", "x.npy", "-k", 4, "--recall", 0.8, "--method", "forest", "-o", "g.csv.gz")
        self.assertEqual(gzip.decompress((self.folder / "g.csv.gz").read_bytes()), whole)

    def test_bad_words_and_files_are_refused(self):
        self.file("x.npy", npy(cloud(20, 3)))
        self.file("y.npy", npy(cloud(5, 4)))
        self.succeed_quietly("index", "x.npy", "-o", "i")
        self.refuse(1, "index", "x.npy", "--metric", "manhattan", "-o", "j", say="--metric")
        self.refuse(1, "index", "x.npy", "--recall", 1.5, "-o", "j", say="recall")
        self.refuse(1, "index", "x.npy", "--method", "forest", "--metric", "inner", "-o", "j", say="forest")
        self.refuse(1, "graph", "x.npy", "-k", 0, "-o", "g.csv", say="k")
        self.refuse(3, "neighbors", "x.npy", "y.npy", "-o", "n.csv")
        self.refuse(2, "neighbors", "i", "y.npy", "-o", "n.csv")
        bytes_ = bytearray((self.folder / "i").read_bytes())
        bytes_[len(bytes_) // 2] ^= 1
        self.file("broken", bytes(bytes_))
        self.refuse(3, "neighbors", "broken", "x.npy", "-o", "n.csv")
        self.assertFalse((self.folder / "n.csv").exists())


if __name__ == "__main__":
    unittest.main()
