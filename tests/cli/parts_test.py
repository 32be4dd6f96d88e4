# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Training from parts: two rounds of accumulate and merge, then solve."""

import gzip
import json
import lzma
import random
import unittest

from command import DATA, OTHER_PROCESSOR, CommandTest


class Parts(CommandTest):
    def split(self, file, count):
        heading, *rows = (DATA / file).read_bytes().splitlines(keepends=True)
        names = [f"p{i}.csv" for i in range(count)]
        for i, name in enumerate(names):
            self.file(name, heading + b"".join(rows[len(rows) * i // count:len(rows) * (i + 1) // count]))
        return names

    def survey(self, names, target, *words):
        for name in names:
            self.succeed_quietly("accumulate", name, "--target", target, *words, "-o", name + ".survey")
        self.succeed_quietly("merge", *(name + ".survey" for name in names), "-o", "all.survey")

    def accumulate(self, names, *words):
        for name in names:
            self.succeed_quietly("accumulate", name, "--spec", "all.survey", *words, "-o", name + ".sum")

    def test_a_metric_is_learnt_from_the_merged_survey(self):
        names = self.split("cpu-small.csv", 2)
        self.survey(names, "usr")
        self.accumulate(names, "--features", 32, "--bandwidth", "median", "--map", "metric|fourier")
        models = []
        for order in (names, names[::-1]):
            self.succeed_quietly("merge", *(name + ".sum" for name in order), "-o", "all.sum")
            self.succeed_quietly("solve", "all.sum", "--lambda", 1e-6, "-o", "parts.model")
            models.append((self.folder / "parts.model").read_bytes())
        self.assertEqual(models[0], models[1])

    def test_two_rounds_give_a_model_in_any_order(self):
        names = self.split("adult-small.csv", 4)
        self.survey(names, "income")
        first = (self.folder / "all.survey").read_bytes()
        self.accumulate(names, "--features", 128, "--bandwidth", "median")
        sums = [name + ".sum" for name in names]
        self.succeed_quietly("merge", *sums, "-o", "all.sum")
        second = (self.folder / "all.sum").read_bytes()
        shuffle = random.Random(1)
        for _ in range(20):
            shuffle.shuffle(names)
            self.succeed_quietly("merge", *(name + ".survey" for name in names), "-o", "again")
            self.assertEqual((self.folder / "again").read_bytes(), first)
            self.succeed_quietly("merge", *(name + ".sum" for name in names), "-o", "again")
            self.assertEqual((self.folder / "again").read_bytes(), second)
        output = self.succeed_quietly("solve", "all.sum", "--lambda-path", "-o", "m")
        self.assertEqual(output.count("\n"), 24)
        self.assertEqual(output.count("best"), 1)
        # Always naming the more frequent class is wrong on 24 %.
        self.assertLess(self.evaluate("m", DATA / "adult-new.csv")["error"], 0.21)

    def test_a_copy_in_another_guise_is_the_same_part(self):
        name, = self.split("adult-small.csv", 1)
        plain = (self.folder / name).read_bytes()
        lines = plain.splitlines()
        self.succeed_quietly("accumulate", name, "--target", "income", "-o", "plain")
        copies = {"a.csv.gz": gzip.compress(plain), "b.csv": plain + b"\n", "c.csv": plain.rstrip(b"\n"),
                  "d.csv": b"\r\n".join(lines) + b"\r\n", "e.csv": b"\n\n".join(lines),
                  "f.csv.xz": lzma.compress(b"\r\n".join(lines))}
        for copy, content in copies.items():
            self.file(copy, content)
            self.succeed_quietly("accumulate", copy, "--target", "income", "-o", "copy")
            self.refuse(2, "merge", "plain", "copy", "-o", "x", say="count twice")
        self.succeed_quietly("accumulate", "b.csv", "--target", "income", "--part", 7, "-o", "copy")
        self.succeed_quietly("merge", "plain", "copy", "-o", "x")
        self.file("other.csv", plain.replace(b"39,", b"40,", 1))
        self.succeed_quietly("accumulate", "other.csv", "--target", "income", "-o", "copy")
        self.succeed_quietly("merge", "plain", "copy", "-o", "x")

    def test_a_learner_that_is_no_sum_says_why(self):
        names = self.split("adult-small.csv", 2)
        for learner in ("svm", "hard-svm", "logistic", "huber", "svr"):
            self.refuse(1, "accumulate", names[0], "--target", "income", "--learner", learner, "-o", "x", "--quiet",
                        say="again and again")
        for method in ("gmm", "hmm", "kmeans", "pca", "lda", "cca", "anomaly"):
            self.refuse(1, "accumulate", names[0], "--target", "income", "--learner", method, "-o", "x", "--quiet",
                        say=f"`bochner {method}`; it is not trained in parts: ")
        self.survey(names, "income", "--learner", "ridge")
        self.refuse(1, "accumulate", names[0], "--spec", "all.survey", "--learner", "svm", "-o", "x", "--quiet",
                    say="cannot be trained in parts")
        self.refuse(1, "accumulate", names[0], "--spec", "all.survey", "--map", "binning", "-o", "x", "--quiet",
                    say="cannot be trained in parts")

    def test_a_lambda_too_small_to_solve_for_is_not_chosen(self):
        heading, *rows = (DATA / "cpu-small.csv").read_bytes().splitlines(keepends=True)
        self.file("few.csv", heading + b"".join(rows[:20]))  # fewer rows than features: lambda 0 has no solution
        self.succeed_quietly("accumulate", "few.csv", "--target", "usr", "-o", "s")
        self.succeed_quietly("accumulate", "few.csv", "--spec", "s", "--features", 64, "--bandwidth", 3, "-o", "g")
        output = self.succeed_quietly("solve", "g", "--lambda", "0,1e-3", "-o", "m")
        self.assertIn("too small", output.splitlines()[0])
        self.assertIn("best", output.splitlines()[1])
        self.assertEqual(json.loads(self.succeed_quietly("solve", "g", "--lambda", "0,1e-3", "--json"))["lambda"], 1e-3)
        self.refuse(2, "solve", "g", "--lambda", 0, "--quiet", say="raise lambda")

    def test_threads_change_no_byte(self):
        names = self.split("cpu-small.csv", 1)
        found = set()
        for threads in (1, 2, 3, 7):
            words = ("--threads", threads)
            self.succeed_quietly("accumulate", *names, "--target", "usr", *words, "-o", "s")
            self.succeed_quietly("accumulate", *names, "--spec", "s", "--features", 64, *words, "-o", "g")
            self.succeed_quietly("solve", "g", *words, "-o", "m")
            found.add(tuple((self.folder / name).read_bytes() for name in ("s", "g", "m")))
        self.assertEqual(len(found), 1)

    def test_sparse_rows_of_different_widths(self):
        rows = (DATA / "adult-small.svm").read_bytes().splitlines(keepends=True)
        self.file("a.svm", b"".join(rows[:700]))
        self.file("b.svm", b"".join(rows[700:]) + b"1 500:1\n")
        for name in ("a", "b"):
            self.succeed_quietly("accumulate", name + ".svm", "-o", name + ".survey")
        self.succeed_quietly("merge", "a.survey", "b.survey", "-o", "all.survey")
        for name in ("a", "b"):
            self.succeed_quietly("accumulate", name + ".svm", "--spec", "all.survey", "--features", 128, "--bandwidth",
                                 "median", "-o", name + ".sum")
        self.succeed_quietly("merge", "b.sum", "a.sum", "-o", "all.sum")
        self.succeed_quietly("solve", "all.sum", "-o", "m")
        self.assertLess(self.evaluate("m", "a.svm")["error"], 0.2)

    def test_a_model_of_a_sample_as_spec(self):
        names = self.split("cpu-small.csv", 3)
        self.succeed_quietly("train", names[0], "--target", "usr", "--features", 64, "-o", "sample")
        for name in names:
            self.succeed_quietly("accumulate", name, "--spec", "sample", "-o", name + ".sum")
        self.succeed_quietly("merge", *(name + ".sum" for name in names), "-o", "all.sum")
        report = json.loads(self.succeed_quietly("solve", "all.sum", "-o", "m", "--json"))
        self.assertEqual(report["rows"], 1000)
        self.assertEqual(json.loads(self.succeed("inspect", "all.sum", "--json"))["kind"], "gram")

    def test_each_step_says_the_next(self):
        names = self.split("cpu-small.csv", 2)
        steps = [
            (("accumulate", names[0], "--target", "usr", "-o", "a"), "--spec"),
            (("accumulate", names[1], "--target", "usr", "-o", "b"), "--spec"),
            (("merge", "a", "b", "-o", "all"), "accumulate PART --spec all"),
            (("accumulate", names[0], "--spec", "all", "--features", 32, "-o", "ga"), "bochner merge"),
            (("accumulate", names[1], "--spec", "ga", "-o", "gb"), "bochner merge"),
            (("merge", "ga", "gb", "-o", "g"), "bochner solve g"),
            (("solve", "g", "-o", "m"), "saved m"),
        ]
        for words, say in steps:
            code, _, errors = self.run_command(*words)
            self.assertEqual(code, 0, errors)
            self.assertIn(say, errors)

    def sums_on_two_kinds(self, *words):
        """Two sums of two parts: the first made here, the second by another kind of processor."""
        names = self.split("cpu-small.csv", 2)
        self.survey(names, "usr")
        self.accumulate(names, *words)
        code, _, errors = self.run_command("accumulate", names[1], "--spec", "all.survey", *words, "-o", "other.sum",
                                           env=OTHER_PROCESSOR)
        self.assertEqual(code, 0, errors)
        alike, _, errors = self.run_command("merge", *(name + ".sum" for name in names), "-o", "alike.sum")
        self.assertEqual(alike, 0)
        self.assertNotIn("kinds of processor", errors)
        return names[0] + ".sum", "other.sum"

    def test_sums_of_another_kind_of_processor_are_said(self):
        mixed = self.sums_on_two_kinds("--features", 32, "--bandwidth", 1, "--precision", "double")
        for order in (mixed, mixed[::-1]):
            code, _, errors = self.run_command("merge", *order, "-o", "-".join(order))
            self.assertEqual(code, 0, errors)
            self.assertIn("2 kinds of processor", errors)
        one, two = (self.folder / "-".join(files) for files in (mixed, mixed[::-1]))
        self.assertEqual(one.read_bytes(), two.read_bytes())
        self.assertEqual(self.succeed("inspect", one).count("machine "), 2)

    def test_sums_of_whole_numbers_are_the_same_on_another_kind_of_processor(self):
        mixed = self.sums_on_two_kinds("--features", 32, "--bandwidth", 1)
        code, _, errors = self.run_command("merge", *mixed, "-o", "mixed.sum")
        self.assertEqual(code, 0, errors)
        self.assertNotIn("kinds of processor", errors)
        self.assertEqual((self.folder / "mixed.sum").read_bytes(), (self.folder / "alike.sum").read_bytes())

    def test_refusals(self):
        names = self.split("cpu-small.csv", 2)
        self.survey(names, "usr")
        self.accumulate(names, "--features", 32, "--bandwidth", 1)
        a, b = (name + ".sum" for name in names)
        self.refuse(2, "solve", "all.survey", say="accumulate each part with --spec all.survey")
        self.refuse(2, "merge", a, "all.survey", "-o", "x", say="first round")
        self.refuse(2, "merge", a, a, "-o", "x", say="count twice")
        self.refuse(1, "accumulate", names[0], "--target", "usr", "--kernel", "laplacian", "-o", "x", say="--spec")
        self.refuse(1, "accumulate", names[0], "--spec", "all.survey", "--target", "usr", "-o", "x", say="--target")
        self.refuse(1, "accumulate", names[0], "--spec", a, "--features", 64, "-o", "x", "-q", say="--features")
        self.refuse(3, "merge", names[0], a, "-o", "x")
        self.refuse(3, "solve", "absent")
        self.succeed_quietly("accumulate", names[1], "--spec", "all.survey", "--features", 32, "--bandwidth", 2, "-o",
                             "other")
        self.refuse(2, "merge", a, "other", "-o", "x", say="length_scale is 1.0 in p0.csv.sum and 2.0 in other")
        self.succeed_quietly("merge", a, b, "-o", "all.sum")
        self.refuse(1, "solve", "all.sum", "--lambda", 1, "--lambda-path", say="--lambda-path")


if __name__ == "__main__":
    unittest.main()
