# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The same rows, words and seed give the same bytes, however the work is shared out."""

import unittest

from command import DATA, CommandTest

# Several blocks and chunks of rows, with a rest: sums that depend on the split would show.
COPIES = 3


class SameBytes(CommandTest):
    def setUp(self):
        super().setUp()
        heading, *rows = (DATA / "cpu-small.csv").read_bytes().splitlines(keepends=True)
        self.file("cpu.csv", heading + b"".join(rows * COPIES + rows[:71]))

    def model(self, *words):
        self.succeed_quietly("train", *words, "-o", "m")
        return (self.folder / "m").read_bytes()

    def expect_same(self, *words):
        first = self.model(*words, "--threads", 1)
        for threads in (2, 3, 7):
            self.assertEqual(self.model(*words, "--threads", threads), first, f"{threads} threads")
        for rows in (1, 1024, 2048, 5000):
            self.assertEqual(self.model(*words, "--threads", 2, "--block-rows", rows), first, f"blocks of {rows} rows")

    def test_regression_where_everything_is_chosen(self):
        self.expect_same("cpu.csv", "--target", "usr")

    def test_held_out_rows(self):
        self.expect_same("cpu.csv", "--target", "usr", "--features", 96, "--select", "holdout")

    def test_classes_of_text_rows(self):
        self.expect_same(DATA / "adult-small.csv", "--target", "income", "--features", 64)

    def test_sparse_rows(self):
        self.expect_same(DATA / "adult-small.svm", "--kernel", "laplacian", "--map", "fourier:form=shifted")


    def test_another_seed_gives_another_model(self):
        words = ("cpu.csv", "--target", "usr", "--features", 64)
        self.assertNotEqual(self.model(*words, "--seed", 1), self.model(*words, "--seed", 2))

    def test_predictions(self):
        self.model("cpu.csv", "--target", "usr", "--features", 64)
        first = self.succeed_quietly("predict", "m", "cpu.csv", "--threads", 1)
        for threads in (2, 3, 7):
            self.assertEqual(self.succeed_quietly("predict", "m", "cpu.csv", "--threads", threads), first)
        self.assertEqual(self.succeed_quietly("predict", "m", "cpu.csv", "--block-rows", 1024), first)


if __name__ == "__main__":
    unittest.main()
