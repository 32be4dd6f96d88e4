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
        self.expect_same("cpu.csv", "--target", "usr", "--map", "fourier")

    def test_held_out_rows(self):
        self.expect_same("cpu.csv", "--target", "usr", "--features", 96, "--select", "holdout")

    def test_classes_of_text_rows(self):
        self.expect_same(DATA / "adult-small.csv", "--target", "income", "--features", 64)

    def test_sparse_rows(self):
        self.expect_same(DATA / "adult-small.svm", "--kernel", "laplacian", "--map", "fourier:form=shifted")

    def test_learners(self):
        few = (DATA / "adult-small.csv", "--target", "income", "--features", 48, "--bandwidth", 4, "--C", 1)
        numbers = (DATA / "cpu-small.csv", "--target", "usr", "--features", 48, "--bandwidth", 2, "--C", 1)
        separable = ("blobs.csv", "--target", "class", "--features", 64, "--bandwidth", 2)
        rows = [f"{i % 3 * 4 + i * 7 % 11 / 11:.3f},{i * 5 % 13 / 13:.3f},{'xyz'[i % 3]}\n" for i in range(1500)]
        self.file("blobs.csv", "a,b,class\n" + "".join(rows))
        for words in ((*few, "--learner", "svm"), (*few, "--learner", "svm", "--loss", "squared-hinge"),
                      (*few, "--learner", "logistic"), (*separable, "--learner", "hard-svm"),
                      (*separable, "--learner", "logistic", "--C", 1), (*numbers, "--learner", "huber"),
                      (*numbers, "--learner", "svr")):
            first = self.model(*words, "--threads", 1)
            for threads in (2, 3, 7):
                self.assertEqual(self.model(*words, "--threads", threads), first, f"{words}, {threads} threads")

    def test_another_seed_gives_another_model(self):
        """Model files hold their seed and differ anyway: predictions show that it was used."""
        predictions = []
        for seed in (1, 2, 1):
            self.model("cpu.csv", "--target", "usr", "--features", 64, "--seed", seed)
            predictions.append(self.succeed_quietly("predict", "m", "cpu.csv"))
        self.assertNotEqual(predictions[0], predictions[1])
        self.assertEqual(predictions[0], predictions[2])

    def test_predictions(self):
        self.model("cpu.csv", "--target", "usr", "--features", 64)
        first = self.succeed_quietly("predict", "m", "cpu.csv", "--threads", 1)
        for threads in (2, 3, 7):
            self.assertEqual(self.succeed_quietly("predict", "m", "cpu.csv", "--threads", threads), first)
        self.assertEqual(self.succeed_quietly("predict", "m", "cpu.csv", "--block-rows", 1024), first)


if __name__ == "__main__":
    unittest.main()
