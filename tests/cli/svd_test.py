# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner svd`: from a file to components."""

import json
import math
import random
import signal
import struct
import unittest

from command import DATA, CommandTest
from round_trip_test import npy, read_npy


def low_rank_rows(n, d, rank, offset=0.0):
    draw = random.Random(1)
    v = [[draw.gauss(0, 1) for _ in range(d)] for _ in range(rank)]
    rows = []
    for _ in range(n):
        u = [draw.gauss(0, 1) / (k + 1) for k in range(rank)]
        rows.append([offset + sum(u[k] * v[k][j] for k in range(rank)) for j in range(d)])
    return rows


class Svd(CommandTest):
    def components(self, model, file):
        self.succeed_quietly("transform", model, file, "-o", "out.npy")
        header, values = read_npy((self.folder / "out.npy").read_bytes())
        return header["shape"], values

    def singular_values(self, model):
        return json.loads(self.succeed_quietly("inspect", model, "--json"))["singular_values"]

    def test_components_have_the_lengths_of_the_singular_values(self):
        self.file("a.npy", npy(low_rank_rows(400, 30, 6, 2.0)))
        for words in ([], ["--center"], ["--passes", "1"], ["--passes", "2"], ["--passes", "5"]):
            self.succeed("svd", "a.npy", "--rank", 4, "-o", "m", *words)
            values = self.singular_values("m")
            self.assertEqual(len(values), 4)
            self.assertEqual(values, sorted(values, reverse=True))
            shape, y = self.components("m", "a.npy")
            self.assertEqual(shape, (400, 4))
            for k, value in enumerate(values):
                length = math.sqrt(sum(y[i * 4 + k] ** 2 for i in range(400)))
                self.assertAlmostEqual(length / value, 1, places=3, msg=f"{words} {k}")

    def test_parts_in_any_order_give_one_model(self):
        rows = low_rank_rows(300, 24, 5, 2.0)
        self.file("all.npy", npy(rows))
        for name, begin, end in (("a", 0, 90), ("b", 90, 200), ("c", 200, 300)):
            self.file(f"{name}.npy", npy(rows[begin:end]))
            self.succeed_quietly("svd", f"{name}.npy", "--moments", "-o", f"{name}.sum")
        self.succeed_quietly("merge", "a.sum", "b.sum", "c.sum", "-o", "all.sum")
        self.succeed_quietly("merge", "c.sum", "b.sum", "a.sum", "-o", "other.sum")
        self.assertEqual((self.folder / "all.sum").read_bytes(), (self.folder / "other.sum").read_bytes())
        for name in "abc":
            self.succeed_quietly("svd", f"{name}.npy", "--spec", "all.sum", "--rank", 4, "--center", "-o",
                                 f"{name}.sketch")
        self.succeed_quietly("merge", "a.sketch", "b.sketch", "-o", "ab.sketch")
        self.succeed_quietly("merge", "ab.sketch", "c.sketch", "-o", "all.sketch")
        self.succeed_quietly("merge", "c.sketch", "a.sketch", "b.sketch", "-o", "other.sketch")
        self.assertEqual((self.folder / "all.sketch").read_bytes(), (self.folder / "other.sketch").read_bytes())
        self.succeed_quietly("solve", "all.sketch", "-o", "parts")
        self.succeed_quietly("svd", "all.npy", "--rank", 4, "--center", "-o", "whole")
        for one, other in zip(self.singular_values("parts"), self.singular_values("whole")):
            self.assertAlmostEqual(one / other, 1, places=5)
        self.assertIn("sketch", self.succeed_quietly("inspect", "all.sketch"))
        self.refuse(2, "merge", "ab.sketch", "a.sketch", "-o", "x", "--quiet", say="twice")
        self.refuse(2, "merge", "a.sum", "a.sketch", "-o", "x", "--quiet", say="round")
        self.refuse(2, "solve", "all.sum", "-o", "x", "--quiet", say="moments")
        self.refuse(2, "solve", "ab.sketch", "-o", "x", "--quiet", say="missing")
        self.refuse(1, "svd", "a.npy", "-o", "x", "--quiet", say="--rank")
        self.refuse(3, "svd", "a.npy", "--spec", "a.npy", "--rank", 2, "-o", "x", "--quiet")

    def test_sparse_parts_may_differ_in_width(self):
        self.file("a.svm", "0 1:1 3:2\n0 2:1\n0 1:3 2:-1\n")
        self.file("b.svm", "0 5:4 6:1\n0 1:2 7:1\n")
        self.file("all.svm", (self.folder / "a.svm").read_text() + (self.folder / "b.svm").read_text())
        for name in "ab":
            self.succeed_quietly("svd", f"{name}.svm", "--moments", "-o", f"{name}.sum")
        self.succeed_quietly("merge", "a.sum", "b.sum", "-o", "all.sum")
        for name in "ab":
            self.succeed_quietly("svd", f"{name}.svm", "--spec", "all.sum", "--rank", 2, "-o", f"{name}.sketch")
        self.succeed_quietly("merge", "b.sketch", "a.sketch", "-o", "all.sketch")
        self.succeed_quietly("solve", "all.sketch", "-o", "parts")
        self.succeed_quietly("svd", "all.svm", "--rank", 2, "-o", "whole")
        for one, other in zip(self.singular_values("parts"), self.singular_values("whole")):
            self.assertAlmostEqual(one / other, 1, places=5)

    def test_parts_refuse_what_each_would_read_otherwise(self):
        self.file("a.csv", "x,y\n1,2\n,3\n4,5\n")
        self.file("b.csv", "x,y\n1,red\n2,blue\n3,red\n4,red\n5,blue\n")
        self.refuse(2, "svd", "a.csv", "--moments", "-o", "x", "--quiet", say="missing")
        self.refuse(1, "svd", "b.csv", "--moments", "-o", "x", "--quiet", say="--ignore")
        self.refuse(1, "svd", "a.csv", "--missing", "mean", "--moments", "-o", "x", "--quiet", say="--missing")

    def test_says_what_is_left(self):
        self.file("a.npy", npy(low_rank_rows(300, 20, 3)))
        code, output, errors = self.run_command("svd", "a.npy", "--rank", 3, "-o", "m")
        self.assertEqual((code, output), (0, ""))
        self.assertIn("of |A| (Frobenius)", errors)
        self.assertIn("3 components of 300 rows of 20 inputs", errors)

    def test_csv_with_text_and_a_target_left_out(self):
        self.succeed_quietly("svd", DATA / "adult-small.csv", "--target", "income", "--rank", 3, "--center", "-o", "m")
        self.succeed_quietly("svd", DATA / "adult-small.csv", "--ignore", "income", "--rank", 3, "--center", "-o", "n")
        self.assertEqual(self.singular_values("m"), self.singular_values("n"))
        shape, _ = self.components("m", DATA / "adult-new.csv")
        self.assertEqual(shape, (200, 3))

    def test_sparse_rows(self):
        self.succeed_quietly("svd", DATA / "adult-small.svm", "--rank", 5, "-o", "m")
        self.succeed_quietly("svd", DATA / "adult-small.svm", "--rank", 5, "--center", "-o", "c")
        self.assertLess(self.singular_values("c")[0], self.singular_values("m")[0])
        shape, _ = self.components("c", DATA / "adult-small.svm")
        self.assertEqual(shape, (500, 5))

    def test_same_bytes_for_any_threads_blocks_and_memory(self):
        self.file("a.npy", npy(low_rank_rows(1500, 300, 8, 1.0)))
        models = []
        for words in (["--threads", 1], ["--threads", 3, "--block-rows", 1024], ["--memory", "400M"]):
            self.succeed_quietly("svd", "a.npy", "--rank", 2, "--center", "-o", "m", *words)
            models.append((self.folder / "m").read_bytes())
        self.assertEqual(models[0], models[1])
        self.assertEqual(models[0], models[2])
        self.succeed_quietly("svd", "a.npy", "--rank", 2, "--center", "-o", "m", "--seed", 7)
        other = self.singular_values("m")
        self.assertEqual(len(other), 2)

    def test_goes_on_where_it_was_stopped(self):
        self.file("columns.npy", npy(low_rank_rows(4000, 400, 12, 1.0)))
        self.file("rows.npy", npy(low_rank_rows(300, 900, 12, 1.0)))
        self.file("few.npy", npy(low_rank_rows(4000, 40, 12, 1.0)))
        for name in ("columns", "rows", "few"):
            self.expect_resumed((2, 10, 30, 60, 90), "svd", f"{name}.npy", "--rank", 3, "--center")

    def test_inputs_far_from_zero(self):
        near, far = low_rank_rows(200, 10, 3), low_rank_rows(200, 10, 3, 1e9)
        self.file("near.npy", npy(near))
        self.file("far.npy", npy(far))
        for name in ("near", "far"):
            self.succeed_quietly("svd", f"{name}.npy", "--rank", 3, "--center", "-o", name)
        for a, b in zip(self.singular_values("near"), self.singular_values("far")):
            self.assertAlmostEqual(a / b, 1, places=4)
        self.assertEqual(self.components("far", "far.npy")[0], (200, 3))

    def test_one_row_and_constant_columns(self):
        self.file("one.npy", npy([[3.0, 4.0]]))
        self.succeed_quietly("svd", "one.npy", "--rank", 1, "-o", "m")
        self.assertAlmostEqual(self.singular_values("m")[0], 5, places=5)
        self.file("same.npy", npy([[1.0, 2.0, 3.0]] * 50))
        self.succeed_quietly("svd", "same.npy", "--rank", 2, "--center", "-o", "m")
        for value in self.singular_values("m"):
            self.assertAlmostEqual(value, 0, places=5)

    def test_refusals(self):
        self.file("a.npy", npy(low_rank_rows(20, 5, 3)))
        self.refuse(1, "svd", "a.npy", "--rank", 6, "-o", "m", "--quiet", say="expected 1 to 5")
        self.refuse(1, "svd", "a.npy", "--rank", 0, "-o", "m", "--quiet", say="--rank")
        self.refuse(1, "svd", "a.npy", "--rank", 2, "--passes", 0, "-o", "m", "--quiet", say="--passes")
        self.refuse(1, "svd", "a.npy", "--rank", 2, "-o", "a.npy", "--quiet")
        self.refuse(2, "svd", "absent.npy", "--rank", 2, "-o", "m", "--quiet")
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }"
        header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
        values = struct.pack("<6f", 1, 2, 3, math.nan, 5, 6)
        self.file("nan.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values)
        self.refuse(2, "svd", "nan.npy", "--rank", 1, "-o", "m", "--quiet", say="row 1, column 1")
        self.file("short.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values[:-4])
        self.refuse(2, "svd", "short.npy", "--rank", 1, "-o", "m", "--quiet", say="truncated")

    def test_stops_when_asked(self):
        self.file("a.npy", npy(low_rank_rows(3000, 200, 2)))
        process = self.start("svd", "a.npy", "--rank", 2, "--passes", 900, "-o", "m")
        try:
            process.communicate(timeout=0.3)
        except Exception:  # still running, as it should be
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertIn(process.returncode, (0, 130))


if __name__ == "__main__":
    unittest.main()
