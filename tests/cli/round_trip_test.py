# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Every format goes from a file to a model to predictions."""

import array
import ast
import csv
import gzip
import json
import math
import struct
import unittest

from command import DATA, CommandTest


def npy(rows):
    """float64 rows as the bytes of a .npy file."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + b"".join(
        struct.pack(f"<{len(row)}d", *row) for row in rows)


def read_npy(data):
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    return header, array.array("f", data[10 + length:])


def table(name):
    with open(DATA / name, newline="") as file:
        return list(csv.reader(file))


class RoundTrip(CommandTest):
    def test_regression_from_csv(self):
        self.succeed("train", DATA / "cpu-small.csv", "--target", "usr", "--features", 300, "-o", "m")
        score = self.evaluate("m", DATA / "cpu-new.csv")
        self.assertEqual(set(score), {"rows", "relative_error", "rmse", "r2", "mae", "standard_error", "weighted",
                                      "better_than_baseline"})
        self.assertEqual(score["rows"], 200)
        self.assertLess(score["relative_error"], 0.07)

        lines = self.succeed_quietly("predict", "m", DATA / "cpu-new.csv").splitlines()
        truth = table("cpu-new.csv")
        column = truth[0].index("usr")
        targets = [float(row[column]) for row in truth[1:]]
        self.assertEqual(len(lines), len(targets))
        squares = sum((float(p) - t) ** 2 for p, t in zip(lines, targets))
        self.assertAlmostEqual(math.sqrt(squares / sum(t * t for t in targets)), score["relative_error"], places=6)

        self.succeed_quietly("predict", "m", DATA / "cpu-new.csv", "-o", "p.csv")
        self.assertEqual((self.folder / "p.csv").read_text().splitlines(), lines)

    def test_target_by_index_and_absent_in_new_rows(self):
        truth = table("cpu-new.csv")
        column = truth[0].index("usr")
        self.succeed_quietly("train", DATA / "cpu-small.csv", "--target", column, "-o", "m")
        self.file("bare.csv", "".join(",".join(r[:column] + r[column + 1:]) + "\n" for r in truth))
        self.assertEqual(self.succeed_quietly("predict", "m", "bare.csv"),
                         self.succeed_quietly("predict", "m", DATA / "cpu-new.csv"))

    def test_classes_and_text_columns_from_csv(self):
        self.succeed("train", DATA / "adult-small.csv", "--target", "income", "--map", "fourier", "-o", "m")
        score = self.evaluate("m", DATA / "adult-new.csv")
        self.assertEqual(set(score), {"rows", "error", "baseline_error", "standard_error", "weighted",
                                      "better_than_baseline", "labels", "confusion", "recall", "precision",
                                      "f1_per_class", "f1", "auc", "auc_by_chance", "auc_is_exact", "ranking"})
        self.assertLess(score["error"], 0.22)
        lines = self.succeed_quietly("predict", "m", DATA / "adult-new.csv").splitlines()
        truth = table("adult-new.csv")
        column = truth[0].index("income")
        wrong = sum(p != row[column].strip() for p, row in zip(lines, truth[1:], strict=True))
        self.assertAlmostEqual(wrong / len(lines), score["error"], places=9)

    def test_scores_name_the_label(self):
        self.succeed_quietly("train", DATA / "adult-small.csv", "--target", "income", "--features", 64, "-o", "m")
        output = self.succeed_quietly("predict", "m", DATA / "adult-new.csv", "--scores", "--names")
        heading, *rows = list(csv.reader(output.splitlines()))
        self.assertEqual(heading[0], "income")
        above = heading[1].removeprefix("score:")
        for label, score in rows:
            self.assertEqual(label == above, float(score) > 0)

    def test_svmlight_needs_no_target(self):
        self.succeed("train", DATA / "adult-small.svm", "--map", "fourier", "-o", "m")
        score = self.evaluate("m", DATA / "adult-small.svm")
        self.assertEqual(score["rows"], 500)
        self.assertLess(score["error"], 0.2)
        lines = self.succeed_quietly("predict", "m", DATA / "adult-small.svm").split()
        truth = [line.split()[0] for line in (DATA / "adult-small.svm").read_text().splitlines()]
        wrong = sum(float(p) != float(t) for p, t in zip(lines, truth, strict=True))
        self.assertAlmostEqual(wrong / len(lines), score["error"], places=9)

    def test_npy_gives_the_predictions_of_csv(self):
        rows = [[float(x) for x in row] for row in table("cpu-small.csv")[1:]]
        self.file("a.npy", npy(rows))
        self.file("a.csv.gz", gzip.compress("".join(",".join(map(repr, r)) + "\n" for r in rows).encode()))
        last = len(rows[0]) - 1
        for name in ("a.npy", "a.csv.gz"):
            self.succeed_quietly("train", name, "--target", last, "--features", 64, "-o", name + ".model")
        self.assertEqual(self.succeed_quietly("predict", "a.npy.model", "a.npy"),
                         self.succeed_quietly("predict", "a.csv.gz.model", "a.csv.gz"))

    def test_several_targets(self):
        self.succeed_quietly("train", DATA / "cpu-small.csv", "--target", "usr,runqsz", "--task", "regression",
                             "--effort", "fast", "-o", "m")
        rows = list(csv.reader(self.succeed_quietly("predict", "m", DATA / "cpu-new.csv", "--names").splitlines()))
        self.assertEqual(sorted(rows[0]), ["runqsz", "usr"])
        self.assertEqual({len(row) for row in rows}, {2})
        self.assertEqual(len(rows), 201)

    def test_features_have_the_kernel_as_inner_product(self):
        self.succeed_quietly("train", DATA / "cpu-small.csv", "--target", "usr", "--features", 128, "-o", "m")
        self.succeed_quietly("transform", "m", DATA / "cpu-new.csv", "-o", "z.npy")
        self.succeed_quietly("transform", "m", DATA / "cpu-new.csv", "-o", "z.csv")
        header, values = read_npy((self.folder / "z.npy").read_bytes())
        self.assertEqual(header["shape"], (200, 128))
        self.assertEqual(header["descr"], "<f4")
        for i in range(200):  # cos^2 + sin^2: k(x, x) = 1
            self.assertAlmostEqual(sum(z * z for z in values[128 * i:128 * (i + 1)]), 1, places=5)
        text = (self.folder / "z.csv").read_text().replace("\n", ",").rstrip(",").split(",")
        self.assertEqual(array.array("f", map(float, text)), values)

    def test_validation_file_gives_the_score_of_eval(self):
        report = json.loads(self.succeed_quietly("train", DATA / "cpu-small.csv", "--target", "usr", "--json",
                                                 "--validation", DATA / "cpu-new.csv", "-o", "m"))
        score = self.evaluate("m", DATA / "cpu-new.csv")
        self.assertAlmostEqual(report["score"]["relative_error"], score["relative_error"], places=6)

    def test_rows_weigh(self):
        rows = table("cpu-small.csv")
        doubled = [rows[0]] + [row for i, row in enumerate(rows[1:]) for _ in range(1 + i % 2)]
        weighted = [rows[0] + ["w"]] + [row + [str(1 + i % 2)] for i, row in enumerate(rows[1:])]
        for name, content in (("doubled.csv", doubled), ("weighted.csv", weighted)):
            self.file(name, "".join(",".join(row) + "\n" for row in content))
        common = ("--target", "usr", "--scale", "log", "--bandwidth", 8, "--features", 64, "--lambda", "1e-3")
        self.succeed_quietly("train", "doubled.csv", *common, "-o", "d")
        self.succeed_quietly("train", "weighted.csv", *common, "--weights", "w", "-o", "w")
        one = self.succeed_quietly("predict", "d", DATA / "cpu-new.csv").split()
        other = self.succeed_quietly("predict", "w", "weighted.csv").split()
        again = self.succeed_quietly("predict", "d", "weighted.csv").split()
        self.assertEqual(len(one), 200)
        for a, b in zip(other, again, strict=True):
            self.assertAlmostEqual(float(a), float(b), delta=0.5)


if __name__ == "__main__":
    unittest.main()
