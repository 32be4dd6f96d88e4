# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The same answer by another way: other files, other commands, rows one by one, parts instead of the whole."""

import array
import gzip
import math
import struct
import unittest

from command_table import CALLS, FEW, TableTest, table

LEARNING = [call for call in CALLS if call.learns]
CLOSE = 1e-5  # relative to the largest number of the answer


def numbers(text):
    return [[float(cell) for cell in line.split(",")] for line in text.decode().splitlines()]


def far(x, y):
    """The largest difference of two tables, relative to the largest of their numbers."""
    most = max((abs(cell) for row in x for cell in row), default=0)
    return max((abs(a - b) for one, other in zip(x, y, strict=True) for a, b in zip(one, other, strict=True)),
               default=0) / (most or 1)


def largest(row):
    return max(range(len(row)), key=row.__getitem__)


class Ways(TableTest):
    def output(self, *words):
        code, output, errors = self.call(*words)
        self.assertEqual(code, 0, f"{words} {errors}")
        return output

    def learn(self, call):
        self.lay_out(call)
        self.output(*call.line("model"))
        return "model"

    def test_a_row_alone_gets_what_it_gets_among_others(self):
        for call in LEARNING:
            with self.subTest(call.name):
                model = self.learn(call)
                heading, *rows = (self.folder / call.rows).read_text().splitlines(keepends=True)
                for words in (("predict", "--scores"), ("transform", "-o", "-")):
                    if call.words[-2:] == ("--effort", "fast") and words[0] == "transform":
                        continue  # the blend has no features of its own
                    whole = self.output(words[0], model, call.rows, *words[1:]).splitlines()
                    for i in (0, 7, len(rows) - 1):
                        self.file("one.csv", heading + rows[i])
                        self.assertEqual(self.output(words[0], model, "one.csv", *words[1:]).splitlines(), [whole[i]],
                                         f"{words} row {i}")

    def test_predict_agrees_with_transform(self):
        for call in LEARNING:
            with self.subTest(call.name):
                model = self.learn(call)
                if call.command in ("train", "lda", "semi") or call.words[-2:] == ("--components", "1"):
                    continue  # transform gives the features, predict what the head makes of them
                features = numbers(self.output("transform", model, call.rows, "-o", "-"))
                predicted = numbers(self.output("predict", model, call.rows))
                if call.command in ("kmeans", "gmm"):
                    self.assertEqual([largest(row) for row in features], [row[0] for row in predicted])
                else:
                    self.assertEqual(features, predicted)

    def test_labels_are_those_of_the_largest_score(self):
        for words in (("train", *FEW), ("train", "--map", "none", "--learner", "logistic"), ("lda",), ("gmm", "--components", "1")):
            self.file("rows.csv", table(60, 4, target="class"))
            self.output(words[0], "rows.csv", "-t", "class", *words[1:], "-o", "model")
            for line in self.output("predict", "model", "rows.csv", "--scores").decode().splitlines():
                label, *scores = line.split(",")
                self.assertEqual("xyz"[largest([float(score) for score in scores])], label, words)

    def test_the_same_rows_in_another_file_give_the_same_model(self):
        for call in LEARNING:
            with self.subTest(call.name):
                self.learn(call)
                expected = (self.folder / "model").read_bytes()
                text = (self.folder / call.rows).read_bytes()
                for name, content in {"rows.csv.gz": gzip.compress(text), "crlf.csv": text.replace(b"\n", b"\r\n"),
                                      "semicolon.csv": text.replace(b",", b";"), "bom.csv": b"\xef\xbb\xbf" + text,
                                      "no-end.csv": text.rstrip(b"\n")}.items():
                    self.file(name, content)
                    self.output(*call.with_rows(name).line("other"))
                    self.assertEqual((self.folder / "other").read_bytes() == expected, True, name)

    def test_an_array_gives_the_predictions_of_its_text(self):
        cells = [[float(cell) for cell in line.split(",")] for line in table(60, 1).splitlines()[1:]]
        self.file("rows.csv", table(60, 1))
        flat = array.array("d", (cell for row in cells for cell in row))
        head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(cells)}, 4), }}".ljust(117) + "\n"
        self.file("rows.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + flat.tobytes())
        self.file("rows.svm", "".join(f"{y} 1:{a} 2:{b} 3:{c}\n" for a, b, c, y in cells))
        for words in (("train", "-t", "3", *FEW), ("kmeans", "-t", "3", "--clusters", "3"), ("pca", "-t", "3", "--rank", "2"),
                      ("train", "-t", "3", "--map", "binning", "--features", "8")):
            answers = []
            for file in ("rows.csv", "rows.npy"):
                self.output(words[0], file, *words[1:], "-o", "model")
                answers.append(numbers(self.output("predict", "model", file)))
            self.assertEqual(answers[0], answers[1], words)
        self.output("train", "rows.svm", *FEW, "--scale", "none", "-o", "model")
        sparse = numbers(self.output("predict", "model", "rows.svm"))
        self.output("train", "rows.csv", "-t", "y", *FEW, "--scale", "none", "-o", "model")
        self.assertLess(far(numbers(self.output("predict", "model", "rows.csv")), sparse), CLOSE)

    def test_neighbours_by_every_command(self):
        self.file("rows.csv", table(300, 5))
        self.file("new.csv", table(20, 6))
        for metric in ("euclidean", "cosine", "inner"):
            self.output("index", "rows.csv", "--metric", metric, "-o", "index")
            indexed = self.output("neighbors", "index", "new.csv", "-k", "5")
            streamed = self.output("neighbors", "rows.csv", "new.csv", "-k", "5", "--metric", metric)
            self.assert_same_neighbours(indexed, streamed, metric)
            self.output("index", "rows.csv", "--metric", metric, "--bytes", "-o", "index")
            self.assertEqual(len(self.output("neighbors", "index", "new.csv", "-k", "5").splitlines()), 101)
        self.output("index", "rows.csv", "-o", "index")
        graph = self.output("graph", "rows.csv", "-k", "4")
        others = [line for line in self.output("neighbors", "index", "rows.csv", "-k", "5").decode().splitlines()[1:]
                  if line.split(",")[0] != line.split(",")[2]]
        self.assert_same_neighbours(graph, "\n".join(["heading", *others]).encode(), "graph", ranks=False)

    def assert_same_neighbours(self, one, other, place, ranks=True):
        one, other = ([line.split(",") for line in text.decode().splitlines()[1:]] for text in (one, other))
        self.assertEqual([(a[0], a[1] if ranks else "", a[2]) for a in one],
                         [(b[0], b[1] if ranks else "", b[2]) for b in other], place)
        for a, b in zip(one, other):
            self.assertTrue(math.isclose(float(a[3]), float(b[3]), rel_tol=CLOSE, abs_tol=CLOSE), f"{place} {a} {b}")

    def test_parts_give_the_predictions_of_the_whole(self):
        lines = table(2500, 8).splitlines(keepends=True)
        self.file("rows.csv", "".join(lines))
        self.file("a.csv", "".join(lines[:1025]))  # parts that begin at a multiple of 1024 rows give the same bits
        self.file("b.csv", lines[0] + "".join(lines[1025:]))
        words = ("--features", "32", "--bandwidth", "1", "--lambda", "1e-4")
        self.output("train", "rows.csv", "-t", "y", "--map", "fourier", *words, "-o", "whole")
        for part in "ab":
            self.output("accumulate", f"{part}.csv", "-t", "y", "-o", f"{part}.survey")
        self.output("merge", "b.survey", "a.survey", "-o", "all.survey")
        for part in "ab":
            self.output("accumulate", f"{part}.csv", "--spec", "all.survey", *words[:4], "-o", f"{part}.sum")
        self.output("merge", "b.sum", "a.sum", "-o", "all.sum")
        self.output("solve", "all.sum", *words[4:], "-o", "solved")
        whole, solved = (numbers(self.output("predict", model, "rows.csv")) for model in ("whole", "solved"))
        self.assertLess(far(whole, solved), 1e-4)


if __name__ == "__main__":
    unittest.main()
