# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What a newcomer types first: help in every form, mistyped words, arguments in the wrong order, too few rows."""

import json
import pathlib
import random
import re
import unittest

from command import DATA, CommandTest

CPU, NEW = DATA / "cpu-small.csv", DATA / "cpu-new.csv"


class Help(CommandTest):
    def test_help_in_every_form(self):
        whole = self.succeed("--help")
        for words in ((), ("help",), ("-h",)):
            self.assertEqual(self.succeed(*words), whole, words)
        for command in ("train", "predict", "check"):
            self.assertEqual(self.succeed("help", command), self.succeed(command, "--help"))
        self.refuse(1, "help", "trian", say="did you mean 'train'")

    def test_help_of_train_is_short_and_help_all_is_whole(self):
        short, whole = self.succeed("train", "--help"), self.succeed("train", "--help-all")
        self.assertLess(short.count("\n"), 45)
        self.assertGreater(whole.count("\n"), 55)
        for word in ("--target", "--output", "--test", "--map", "--features", "--help-all", "Examples"):
            self.assertIn(word, short)
        for word in ("--tolerance", "--delimiter", "--checkpoint", "--no-header"):
            self.assertNotIn(word, short)
            self.assertIn(word, whole)
        self.assertNotIn("{false}", whole)

    def test_flags_that_messages_name_are_known(self):
        table = (pathlib.Path(__file__).parents[2] / "src/base/option.cc").read_text()
        flags = set(re.findall(r"--[a-z][a-z-]+", table))
        self.assertGreater(len(flags), 20)
        commands = re.findall(r"^  ([a-z]+) ", self.succeed("--help"), re.MULTILINE)
        known = "".join(self.run_command(command, word)[1] for command in commands for word in ("--help", "--help-all"))
        self.assertEqual([flag for flag in sorted(flags) if not re.search(flag + r"\b", known)], [])

    def test_usage_names_the_program(self):
        for command in ("train", "predict", "merge"):
            self.assertIn(f"Usage: bochner {command} [OPTIONS]", self.succeed(command, "--help"))
        self.assertIn("Usage: bochner train [OPTIONS]", self.succeed("train", "--help-all"))
        self.assertNotIn("--validation a9a.t", self.succeed("train", "--help"))  # which would choose by the test set

    def test_an_option_without_its_value_is_told(self):
        self.refuse(1, "kmeans", CPU, "--clusters", say="--clusters: found no value, expected K; see")
        self.refuse(1, "train", CPU, "--target", say="--target: found no value, expected NAME|INDEX; see")

    def test_quiet_may_come_first(self):
        code, _, errors = self.run_command("--quiet", "train", CPU, "--target", "usr", "--features", 32)
        self.assertEqual((code, errors), (0, ""))

    def test_mistyped_words_have_a_suggestion(self):
        for words, meant in ((("trian", CPU), "train"), (("--versio",), "--version"), (("--hlep",), "--help"),
                             (("train", CPU, "--traget", "usr"), "--target"),
                             (("train", CPU, "--target", "usr", "--bandwith=3"), "--bandwidth"),
                             (("predict", "m", NEW, "--score"), "--scores"),
                             (("train", CPU, "--target", "usr", "--learner", "SVM"), "svm"),
                             (("train", CPU, "--target", "usr", "--map", "furier"), "fourier"),
                             (("train", CPU, "--target", "usr", "--map", "rff"), "fourier"),
                             (("train", CPU, "--target", "usr", "--select", "lo"), "loo"),
                             (("train", CPU, "--target", "usr", "--kernel", "gausian"), "gaussian")):
            with self.subTest(words):
                self.refuse(1, *words, say=f"'{meant}'")

    def test_too_many_words(self):
        self.refuse(1, "predict", "m", NEW, "extra", say="found 'extra'")

    def test_swapped_arguments_are_told(self):
        self.succeed_quietly("train", CPU, "--target", "usr", "--features", 32, "-o", "m")
        for command in ("predict", "eval"):
            self.refuse(3, command, CPU, "m", say="order of the files")
        self.refuse(3, "transform", CPU, "m", "-o", "f.csv", say="order of the files")
        self.refuse(3, "predict", DATA / "digits.csv.gz", "m", say="order of the files")
        for words in (("neighbors", CPU, "m"), ("solve", CPU, "-o", "s"), ("merge", CPU, "-o", "s"),
                      ("retrieve", CPU, "word")):
            self.refuse(3, *words, say="order of the files")
        self.refuse(3, "predict", "absent", "m", say="absent")

    def test_few_rows_are_refused_by_every_map(self):
        for rows in (1, 4):
            self.file("few.csv", "a,y\n" + "".join(f"{i},{i}.5\n" for i in range(rows)))
            for map in ("fourier", "binning", "nystroem", "none"):
                self.refuse(2, "train", "few.csv", "--target", "y", "--map", map, say="expected at least 5")

    def test_features_that_are_none_or_odd(self):
        self.refuse(1, "train", CPU, "--target", "usr", "--features", 0, say="expected at least 1")
        code, output, errors = self.run_command("train", CPU, "--target", "usr", "--features", 101, "--verbose")
        self.assertEqual(code, 0)
        self.assertIn("102 features", output)
        self.assertIn("pairs", errors)

    def test_a_constant_target_is_said(self):
        self.file("flat.csv", "a,y\n" + "".join(f"{i},2.5\n" for i in range(30)))
        code, output, errors = self.run_command("train", "flat.csv", "--target", "y", "--task", "regression", "-o", "m")
        self.assertEqual(code, 0, errors)
        self.assertIn("2.5 in every row", errors)
        self.assertNotRegex(output + errors, r"\b-?(inf|nan)\b")
        self.assertEqual(set(self.succeed_quietly("predict", "m", "flat.csv").split()), {"2.5"})

    def test_lines_count_in_plain_words(self):
        self.file("one.csv", "a,y\n" + "".join(f"{i},{i}.5\n" for i in range(30)))
        code, output, errors = self.run_command("train", "one.csv", "--target", "y")
        self.assertEqual(code, 0)
        self.assertIn("30 rows, 1 input, regression of 1 target", errors)
        self.assertNotIn("memory:", errors)
        self.assertEqual(errors.count("solver:"), min(1, errors.count("solver:")))
        _, output, _ = self.run_command("train", "one.csv", "--target", "y", "--map", "binning", "--features", 10)
        self.assertRegex(output, r"\d+ bins, lambda")


class Advice(CommandTest):
    def advice(self, *words):
        code, _, errors = self.run_command("train", *words, "--verbose")
        self.assertEqual(code, 0, errors)
        return errors[errors.index("to try next:"):]

    def test_advice_knows_the_rows_and_the_map(self):
        cpu, adult = (CPU, "--target", "usr"), (DATA / "adult-small.csv", "--target", "income")
        first = self.advice(*cpu, "--map", "fourier")
        self.assertIn("--bandwidth auto", first)
        self.assertIn("--test 0.2", first)
        self.assertNotIn("--validation", first)
        self.assertNotIn("--bandwidth auto", self.advice(*cpu, "--bandwidth", "auto"))
        self.assertIn("binning:order=1-2", self.advice(*adult, "--map", "fourier"))
        low = self.advice(*adult, "--map", "binning:order=1-2")
        self.assertIn("--features 600: twice the grids", low)
        self.assertIn("--features 40: twice the grids", self.advice(*cpu, "--map", "binning", "--features", 20))
        self.assertIn("nystroem", self.advice(*cpu, "--bandwidth", "median", "--features", 3000))
        self.assertNotIn("--test", self.advice(*cpu, "--map", "fourier", "--test", 0.2))

    def test_advice_sends_nobody_after_what_is_not_there(self):
        draw = random.Random(2)
        rows = [[draw.gauss(0, 1) for _ in range(3)] for _ in range(300)]
        self.file("known.csv", "a,b,y\n" + "".join(f"{a:.4f},{b:.4f},{3 * a - b:.6f}\n" for a, b, _ in rows))
        known = self.advice("known.csv", "--target", "y")
        self.assertNotIn("--effort best", known)
        self.assertIn("--test 0.2", known)
        self.file("noise.csv", "a,b,y\n" + "".join(f"{a:.4f},{b:.4f},{c:.4f}\n" for a, b, c in rows))
        noise = self.advice("noise.csv", "--target", "y", "--effort", "fast")
        self.assertNotIn("--effort best", noise)

    def test_kernel_and_bandwidth_are_fields_of_the_report(self):
        report = json.loads(self.succeed_quietly("train", CPU, "--target", "usr", "--bandwidth", 3, "--json"))
        self.assertEqual((report["kernel"], report["bandwidth"]), ("gaussian", [3]))
        report = json.loads(self.succeed_quietly("train", CPU, "--target", "usr", "--bandwidth", "auto", "--kernel",
                                                 "matern:nu=2.5", "--features", 64, "--json"))
        self.assertEqual(len(report["bandwidth"]), 21)
        self.assertTrue(report["kernel"].startswith("matern"))


if __name__ == "__main__":
    unittest.main()
