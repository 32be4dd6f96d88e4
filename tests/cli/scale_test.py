# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""A file in other units trains to the same model: targets, weights, and tables wider than long."""

import json
import math
import random
import unittest

from command import CommandTest

WORDS = ("--features", 20, "--bandwidth", 1)
BINS = ("--map", "binning", "--kernel", "laplacian")


class Scale(CommandTest):
    def rows(self, name, factor=1.0, weight=None, rows=300):
        draw = random.Random(5)
        lines = ["a,b,y" + (",w" if weight else "")]
        for _ in range(rows):
            a, b = draw.gauss(0, 1), draw.uniform(0, 3)
            y = (math.sin(2 * a) + b + draw.gauss(0, 0.1)) * factor
            lines.append(f"{a!r},{b!r},{y!r}" + (f",{weight}" if weight else ""))
        return self.file(name, "\n".join(lines) + "\n")

    def score(self, file, *words):
        found = json.loads(self.succeed_quietly("train", file, "--target", "y", "--json", "-o", "m", *WORDS, *words))
        return found["score"]["r2"]

    def test_the_unit_of_the_target_does_not_matter(self):
        for words in (("--learner", "svr"), ("--learner", "svr", "--loss", "squared-epsilon"), ("--learner", "huber"),
                      ("--learner", "ridge"), BINS):
            expected = self.score(self.rows("rows.csv"), *words)
            self.assertGreater(expected, 0.5, words)
            for power in (-20, 6, 20):
                with self.subTest(words=words, power=power):
                    file = self.rows("scaled.csv", 10.0**power)
                    self.assertAlmostEqual(self.score(file, *words), expected, 4)

    def test_targets_that_vanish_are_refused(self):
        self.score(self.rows("rows.csv"))
        for power, remedy in ((-200, "their unit\n"), (-100, "their unit, or train with --precision double\n")):
            file = self.rows("tiny.csv", 10.0**power)
            for words in (WORDS, ("--effort", "fast")):
                self.refuse(2, "train", file, "--target", "y", "-q", "-o", "t", *words,
                            say="expected 1e-36 to 1e+36 in float; divide the targets by " + remedy)
        for power in (-200, 200):
            file = self.rows("far.csv", 10.0**power)
            self.refuse(2, "eval", "m", file, say="expected 1e-145 to 1e+145 in double; divide the targets by their unit")

    def test_tiny_targets_in_double(self):
        file = self.rows("tiny.csv", 1e-100)
        self.assertAlmostEqual(self.score(file, "--precision", "double"), self.score(self.rows("rows.csv")), 3)
        self.score(file, "--precision", "double")
        # No standard error rather than one of powers that vanished.
        self.assertRegex(self.succeed_quietly("eval", "m", file), r"\AR2 0\.\d+, rmse \S+e-10\d,")

    def test_the_unit_of_weights_does_not_matter(self):
        for words in (("--learner", "svr"), ("--learner", "huber"), ("--learner", "ridge"), BINS,
                      (*BINS, "--lambda", "1e-3"), ("--map", "fourier+binning:bandwidth=1")):
            self.score(self.rows("rows.csv"), *words)
            expected = self.predictions()
            for weight in ("1", "1e-4", "1e-6", "1e5", "1e-200"):
                with self.subTest(words=words, weight=weight):
                    self.score(self.rows("weighted.csv", weight=weight), *words, "--weights", "w")
                    self.assertEqual(self.predictions(), expected)

    def predictions(self):
        return self.succeed_quietly("predict", "m", self.folder / "rows.csv")

    def test_a_fit_through_zero_of_inputs_far_from_it(self):
        draw = random.Random(7)
        lines = ["a,b,y"]
        for _ in range(200):
            a, b = 1e7 + draw.gauss(0, 10), draw.gauss(0, 1e6)
            lines.append(f"{a!r},{b!r},{3e-6 * b + 2e-7 * a!r}")
        words = ("train", self.file("far.csv", "\n".join(lines) + "\n"), "--target", "y", "--map", "none", "--scale",
                 "none", "--no-intercept", "--lambda", "1e-9")
        code, _, errors = self.run_command(*words, "-o", "m")
        self.assertEqual(code, 2)
        self.assertIn("a - 1", errors)
        self.assertIn("--precision double", errors)
        found = json.loads(self.succeed_quietly(*words, "--precision", "double", "--json", "-o", "m"))
        self.assertGreater(found["score"]["r2"], 0.99)

    def test_equal_rows_end(self):
        file = self.file("equal.csv", "a,y\n" + "1.5,0.3\n" * 100)
        for words in (("--learner", "svr"), ("--learner", "svr", "--loss", "squared-epsilon"), ("--learner", "huber")):
            code, _, errors = self.run_command("train", file, "--target", "y", "--task", "regression", "--map", "none",
                                               "--scale", "quantile", *words)
            self.assertIn(code, (0, 2), errors)  # trained, or refused for want of an input that varies

    def test_fewer_rows_than_inputs(self):
        draw = random.Random(3)
        columns = 3000
        lines = [",".join(f"x{j}" for j in range(columns)) + ",y,c"]
        sparse = []
        for i in range(40):
            x = [draw.gauss(0, 1) for _ in range(columns)]
            y = sum(x[:10])
            lines.append(",".join(f"{v:.4f}" for v in x) + f",{y:.4f},{'abc'[i % 3]}")
            sparse.append(f"{y:.4f} " + " ".join(f"{j + 1}:{v:.4f}" for j, v in enumerate(x) if j % 20 == i % 20))
        dense, svm = self.file("wide.csv", "\n".join(lines) + "\n"), self.file("wide.svm", "\n".join(sparse) + "\n")
        words = ("--map", "none", "--json", "-o", "m")
        models = []
        for threads in (1, 3):
            found = json.loads(self.succeed_quietly("train", dense, "--target", "y", "--ignore", "c", "--threads",
                                                    threads, *words))
            self.assertEqual(found["solver"], "dual")
            models.append((self.folder / "m").read_bytes())
        self.assertEqual(models[0], models[1])
        found = json.loads(self.succeed_quietly("train", svm, "--task", "regression", *words))
        self.assertEqual(found["solver"], "dual")
        for learner in ("logistic", "svm"):
            found = json.loads(self.succeed_quietly("train", dense, "--target", "c", "--ignore", "y", "--learner", learner,
                                                    "--C", 1, *words))
            self.assertTrue(any("space of the rows" in note for note in found["notes"]), found)
            wrong = self.evaluate("m", dense)
            self.assertEqual((wrong.get("score") or wrong)["error"], 0)  # as many features separate any rows
        self.refuse(1, "train", dense, "--target", "y", "--solver", "dual", "--select", "holdout", say="leave-one-out")


if __name__ == "__main__":
    unittest.main()
