# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Rows that other tools would take without a word: predictions are right, or the command says why not."""

import json
import math
import random
import unittest

from command import DATA, CommandTest

BAD_DATA = 2
CPU = DATA / "cpu-small.csv"


class OneClass(CommandTest):
    def test_is_refused_by_every_map_and_learner(self):
        self.file("one.csv", "a,y\n1,yes\n2,yes\n3,yes\n")
        self.file("one.svm", "1 1:2\n1 1:3\n1 1:4\n")
        for words in ((), ("--map", "binning"), ("--map", "nystroem"), ("--map", "none"), ("--learner", "svm"),
                      ("--learner", "logistic"), ("--class-weight", "balanced")):
            with self.subTest(words):
                self.refuse(BAD_DATA, "train", "one.csv", "-t", "y", *words, say="one.csv: every row is of the class 'yes'")
                self.refuse(BAD_DATA, "train", "one.svm", *words, "--task", "classification", say="class '1'")

    def test_is_refused_where_parts_are_summed(self):
        self.file("one.csv", "a,y\n1,yes\n2,yes\n3,yes\n")
        self.succeed("accumulate", "one.csv", "-t", "y", "-o", "one.survey")
        code, _, errors = self.run_command("accumulate", "one.csv", "--spec", "one.survey", "-o", "one.sum")
        self.assertEqual(code, BAD_DATA, errors)
        self.assertIn("every row is of the class 'yes'", errors)


class FarFromZero(CommandTest):
    """A wave over an hour, in milliseconds since 1970 and in Julian days."""

    def wave(self, name, offset, unit, count=1500):
        draw = random.Random(0)
        lines = ["t,y"]
        for _ in range(count):
            t = draw.randrange(3600000)
            lines.append(f"{offset + unit * t!r},{math.sin(t / 95493) + draw.gauss(0, .1):.4f}")
        return self.file(name, "\n".join(lines) + "\n")

    def r2(self, *words):
        return json.loads(self.succeed_quietly(*words, "--json"))

    def test_keeps_its_digits(self):
        for name, offset, unit in (("ms.csv", 1700000000000, 1), ("julian.csv", 2460000.0, 1 / 86400000)):
            self.wave(name, offset, unit)
            for words in (("--effort", "fast"), ("--map", "fourier"), ("--precision", "double")):
                with self.subTest(name, words=words):
                    trained = self.r2("train", name, "-t", "y", *words, "-o", "m")
                    self.assertGreater(trained["score"]["r2"], 0.97)
                    self.assertGreater(self.evaluate("m", name)["r2"], 0.97)
            self.assertIn("precision double", self.succeed("inspect", "m"))
            code, _, errors = self.run_command("train", name, "-t", "y", "--effort", "fast", "-o", "m")
            self.assertRegex(errors, r"offsets: t - \d+")
            self.assertRegex(self.succeed("inspect", "m"), r"offsets +t - \d+")

    def test_beyond_float_is_for_double(self):
        self.wave("huge.csv", 0, 1e300)
        code, _, errors = self.run_command("train", "huge.csv", "-t", "y", "-o", "m")
        self.assertEqual(code, BAD_DATA)
        self.assertIn("--precision double", errors)
        self.succeed_quietly("train", "huge.csv", "-t", "y", "--precision", "double", "-o", "m")
        self.assertGreater(self.evaluate("m", "huge.csv")["r2"], 0.97)


class BeyondFloat(CommandTest):
    """A number that float cannot hold beside a column far from zero, whose offset is taken off in double."""

    def expect_refused(self, *words):
        code, output, errors = self.run_command(*words, "--quiet")
        self.assertEqual((code, output), (BAD_DATA, ""), errors)
        self.assertRegex(errors, r"\Abochner: beyond.csv:( row 99 \(from 0\)|101:1): '?1e\+?39'? in column 'a' is beyond the "
                                 r"range of float; scale the column[^\n]*\n\Z")

    def setUp(self):
        super().setUp()
        draw = random.Random(3)
        rows = [f"{draw.gauss(0, 1):.6f},{1e9 + draw.gauss(0, 1):.6f}\n" for _ in range(100)]
        self.file("far.csv", "a,b\n" + "".join(rows))
        self.file("beyond.csv", "a,b\n" + "".join(rows[:-1]) + "1e39,1e9\n")

    def test_is_refused_with_its_file_and_row(self):
        for words in (("index", "beyond.csv", "-o", "i"), ("graph", "beyond.csv", "-k", 1),
                      ("anomaly", "beyond.csv", "-o", "m"), ("kmeans", "beyond.csv", "--clusters", 2, "-o", "m"),
                      ("drift", "beyond.csv", "far.csv"), ("drift", "far.csv", "beyond.csv")):
            with self.subTest(words):
                self.expect_refused(*words)

    def test_of_new_rows_is_refused_by_transform_and_predict(self):
        for method in (("anomaly",), ("kmeans", "--clusters", 2), ("pca", "--rank", 1), ("gmm", "--components", 2)):
            self.succeed_quietly(method[0], "far.csv", *method[1:], "-o", "m")
            for use in ("transform", "predict"):
                with self.subTest(method, use=use):
                    self.expect_refused(use, "m", "beyond.csv", "-o", "z.csv")

    def test_of_a_projection_is_refused_before_there_is_a_model(self):
        self.file("huge.csv", "a,b\n1,1e150\n2,2e150\n3,5e150\n")
        self.refuse(BAD_DATA, "project", "huge.csv", "--dims", 1, "-o", "m", "--quiet",
                    say="'1e150' in column 'b' is beyond the range of float")

    def test_that_a_transform_would_write_is_refused(self):
        self.file("t.csv", "a,y\n" + "".join(f"{i}e37,{i}\n" for i in range(-9, 10)))
        self.file("n.csv", "a\n1e39\n")
        self.succeed_quietly("train", "t.csv", "-t", "y", "--map", "none", "--scale", "none", "--precision", "double",
                             "--lambda", "1e-3", "-o", "m")
        self.refuse(BAD_DATA, "transform", "m", "n.csv", "--quiet", "-o", "z.csv", say="row 0: number 0")


class NeverVaries(CommandTest):
    def test_is_left_out_and_said(self):
        for value, file in ((5, CPU), (6, DATA / "cpu-new.csv"), (5000, DATA / "cpu-new.csv")):
            lines = file.read_text().splitlines()
            rows = [lines[0] + ",firmware"] + [line + f",{value}" for line in lines[1:]]
            self.file(f"{file.stem}-{value}.csv", "\n".join(rows) + "\n")
        _, _, errors = self.run_command("train", "cpu-small-5.csv", "-t", "usr", "--features", 64, "-o", "m")
        self.assertIn("firmware: constant (5), left out", errors)
        self.assertIn("left_out=1", self.succeed("inspect", "m"))
        self.assertEqual(self.succeed("predict", "m", "cpu-new-6.csv"), self.succeed("predict", "m", "cpu-new-5000.csv"))


class TooLarge(CommandTest):
    def rows(self, name, target=1.0, weights=lambda i: 1):
        lines = ["a,w,y"]
        for i in range(60):
            lines.append(f"{i % 7 + 0.1 * i},{weights(i)!r},{target * math.sin(i)!r}")
        return self.file(name, "\n".join(lines) + "\n")

    def test_targets_and_weights_are_refused_with_their_row(self):
        self.rows("targets.csv", target=1e38)
        self.rows("huge.csv", target=1e200)
        self.rows("weights.csv", weights=lambda i: 1e308)
        self.rows("zero.csv", weights=lambda i: 0)
        for words, say in ((("targets.csv",), "targets.csv: row 1: found the target"),
                           (("huge.csv", "--precision", "double"), "row 1: found the target"),
                           (("weights.csv", "--weights", "w"), "row 0: found the weight"),
                           (("zero.csv", "--weights", "w"), "every row has the weight 0")):
            with self.subTest(words):
                code, _, errors = self.run_command("train", *words, "-t", "y", "--quiet", "-o", "m")
                self.assertEqual(code, BAD_DATA, errors)
                self.assertIn(say, errors)
                self.assertEqual(errors.count("\n"), 1)

    def test_what_trains_predicts_finite_numbers(self):
        cases = {"denormal.csv": dict(target=1e-310), "tiny.csv": dict(target=1e-40), "large.csv": dict(target=1e35),
                 "spread.csv": dict(weights=lambda i: 10.0 ** random.Random(i).randint(-30, 30)),
                 "light.csv": dict(weights=lambda i: 1e-300), "heavy.csv": dict(weights=lambda i: 1e250)}
        for name, how in cases.items():
            self.rows(name, **how)
            for words in ((), ("--map", "binning"), ("--map", "nystroem"), ("--map", "none"), ("--learner", "huber"),
                          ("--map", "fourier+binning"), ("--precision", "double")):
                with self.subTest(name, words=words):
                    code, _, errors = self.run_command("train", name, "-t", "y", "--weights", "w", "--features", 16,
                                                       "--bandwidth", 1, *words, "--quiet", "-o", "m")
                    self.assertIn(code, (0, BAD_DATA), errors)
                    if code == 0:
                        for line in self.succeed("predict", "m", name).split():
                            self.assertTrue(math.isfinite(float(line)), line)


class NewRows(CommandTest):
    def test_that_differ_from_training_are_said(self):
        draw = random.Random(1)
        rows = lambda n, city, far: "a,city,y\n" + "".join(
            f"{'' if far and i % 4 == 0 else draw.uniform(0, 1) + far * (i < 3)},{city(i)},{draw.gauss(0, 1)}\n"
            for i in range(n))
        self.file("train.csv", rows(200, lambda i: ("Rome", "Oslo")[i % 2], 0))
        self.file("same.csv", rows(100, lambda i: ("Rome", "Oslo")[i % 2], 0))
        self.file("other.csv", rows(100, lambda i: "Mars" if i % 10 == 5 else "Rome", 50))
        self.succeed("train", "train.csv", "-t", "y", "--features", 16, "-o", "m")
        for command in ("predict", "eval"):
            _, _, errors = self.run_command(command, "m", "same.csv")
            self.assertNotIn("of 100 rows", errors)
            self.assertNotIn("missing", errors)
            _, _, errors = self.run_command(command, "m", "other.csv")
            self.assertIn("10 of 100 rows have levels never seen in training: city=Mars", errors)
            self.assertIn("2 of 100 rows lie outside the training range of a by more than its width", errors)
            self.assertIn("12.5 % of the inputs are missing, 0.0 % were in training", errors)
            self.assertNotIn("Mars", self.run_command(command, "m", "other.csv", "--quiet")[2])


if __name__ == "__main__":
    unittest.main()
