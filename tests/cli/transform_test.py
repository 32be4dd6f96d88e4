# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The features of a model in a file: the bins of a model that has them."""

import math
import random
import unittest

from command import CommandTest

SCALES = (3.6, 2.7, 6.0)


def hat(a, b, scales=SCALES):
    return math.prod(max(0.0, 1 - abs(p - q) / s) for p, q, s in zip(a, b, scales, strict=True))


class Transform(CommandTest):
    def train(self, *words):
        rng = random.Random(5)
        self.rows = [[rng.gauss(0, 1) for _ in range(3)] for _ in range(80)]
        lines = [",".join(map(str, row + [row[0] + math.sin(row[1])])) for row in self.rows]
        self.file("x.csv", "a,b,c,y\n" + "\n".join(lines) + "\n")
        self.succeed("train", "x.csv", "--target", "y", "--scale", "none", *words, "-o", "m")

    def sparse(self, name):
        return [{int(j) - 1: float(v) for j, v in (pair.split(":") for pair in line.split()[1:])}
                for line in (self.folder / name).read_text().splitlines()]

    def expect_kernel(self, rows, kernel, within):
        for a, left in enumerate(rows):
            for b in range(a + 1):
                found = sum(v * rows[b].get(j, 0) for j, v in left.items())
                self.assertAlmostEqual(found, kernel(self.rows[a], self.rows[b]), delta=1e-5 if a == b else within)

    def test_inner_products_of_bins_are_their_kernel(self):
        binning = ("--map", "binning:law=hat", "--features", 400, "--bandwidth", ",".join(map(str, SCALES)))
        written = set()
        for learner in (("--lambda", "1e-2"), ("--learner", "huber"), ("--learner", "svr", "--C", 1)):
            self.train(*binning, *learner)
            self.succeed_quietly("transform", "m", "x.csv", "-o", "z.svm")
            rows = self.sparse("z.svm")
            self.assertEqual({len(row) for row in rows}, {400}, learner)  # a bin of every grid
            self.expect_kernel(rows, hat, 0.13)
            written.add((self.folder / "z.svm").read_bytes())
            self.succeed_quietly("transform", "m", "x.csv", "-o", "z.csv")
            table = [line.split(",") for line in (self.folder / "z.csv").read_text().splitlines()]
            self.assertEqual([{j: float(v) for j, v in enumerate(row) if float(v)} for row in table], rows)
        self.assertEqual(len(written), 1)  # the learner changes no bin
        for words in (("--threads", 1), ("--block-rows", 7, "--threads", 3)):
            self.succeed_quietly("transform", "m", "x.csv", "-o", "z.svm", *words)
            self.assertEqual((self.folder / "z.svm").read_bytes(), *written)

    def test_a_mixture_has_both_parts(self):
        self.train("--map", "fourier:features=600,bandwidth=2,weight=0.5+binning:features=400,bandwidth=3,law=hat",
                   "--lambda", "1e-2")
        self.succeed_quietly("transform", "m", "x.csv", "-o", "z.svm")
        self.expect_kernel(self.sparse("z.svm"),
                           lambda a, b: 0.5 * math.exp(-math.dist(a, b) ** 2 / 8) + hat(a, b, (3, 3, 3)), 0.3)

    def test_a_table_that_would_be_too_wide_is_refused(self):
        self.train("--map", "binning:law=hat", "--features", 400, "--bandwidth", "0.5", "--lambda", "1e-2")
        for name in ("z.csv", "z.npy", "-"):
            self.refuse(1, "transform", "m", "x.csv", "-o", name, "--quiet", say="write them as .svm")
        self.refuse(1, "transform", "m", "x.csv", "--group", "a", "-o", "z.csv", "--quiet", say="write them as .svm")
        self.succeed_quietly("transform", "m", "x.csv", "-o", "z.svm.gz")
        self.refuse(1, "transform", "m", "z.svm.gz", "--inverse", "-o", "z.npy", "--quiet", say="--inverse")


if __name__ == "__main__":
    unittest.main()
