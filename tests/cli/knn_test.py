# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`train --learner knn`: beside a plain search, its words, its file."""

import json
import math
import random
import unittest

from command import DATA, CommandTest


def numbers_table(n, seed):
    draw = random.Random(seed)
    rows = []
    for _ in range(n):
        a, b = draw.uniform(-2, 2), draw.uniform(-2, 2)
        rows.append((a, b, math.sin(2 * a) + b * b))
    return rows


def csv_text(rows, last):
    return "\n".join([f"a,b,{last}", *(",".join(f"{v:.7g}" if isinstance(v, float) else v for v in r) for r in rows)]) + "\n"


class Knn(CommandTest):
    def lines(self, name):
        return (self.folder / name).read_text().split()

    def test_predicts_what_a_plain_search_does(self):
        train, new = numbers_table(80, 1), numbers_table(9, 2)
        self.file("t.csv", csv_text(train, "y"))
        self.file("n.csv", csv_text(new, "y"))
        for words, weigh in ((("--weighting", "equal"), lambda d: 1),
                             (("--weighting", "kernel"), None)):
            self.succeed_quietly("train", "t.csv", "--target", "y", "--learner", "knn", "--neighbors", 4, "--scale", "none",
                                 "--bandwidth", 1, *words, "-o", "m")
            self.succeed_quietly("predict", "m", "n.csv", "-o", "p.csv")
            found = [float(v) for v in self.lines("p.csv")]
            for (a, b, _), value in zip(new, found):
                near = sorted((math.dist((a, b), row[:2]), row[2]) for row in train)[:4]
                if weigh is None:
                    self.assertTrue(min(y for _, y in near) - 1e-5 <= value <= max(y for _, y in near) + 1e-5)
                else:
                    self.assertAlmostEqual(value, sum(y for _, y in near) / 4, places=4)

    def test_learns_chooses_and_answers_with_probabilities(self):
        said = json.loads(self.succeed_quietly("train", DATA / "digits.csv.gz", "--target", "digit", "--learner", "knn",
                                               "--bandwidth", "median", "--test", 0.25, "-o", "m", "--json"))
        self.assertLess(said["test"]["error"], 0.04)
        self.assertLess(said["score"]["error"], 0.04)
        self.assertTrue(any(note.startswith("neighbours: ") for note in said["notes"]), said["notes"])
        self.succeed_quietly("predict", "m", DATA / "digits.csv.gz", "--probabilities", "-o", "p.csv")
        for line in self.lines("p.csv")[1:50]:
            shares = [float(v) for v in line.split(",")[1:]]
            self.assertAlmostEqual(sum(shares), 1, places=5)
        self.assertIn("log_loss", json.dumps(self.evaluate("m", DATA / "digits.csv.gz")))
        self.assertIn("knn", self.succeed_quietly("inspect", "m"))

    def test_equal_weights_search_no_bandwidth(self):
        self.file("t.csv", csv_text(numbers_table(400, 1), "y"))
        words = ("train", "t.csv", "--target", "y", "--learner", "knn", "--neighbors", 5, "--weighting", "equal", "--json")
        searched = json.loads(self.succeed_quietly(*words))
        self.assertTrue(any("by the median rule" in note for note in searched["notes"]), searched["notes"])
        self.assertEqual(searched["score"], json.loads(self.succeed_quietly(*words, "--bandwidth", 3))["score"])

    def test_two_classes_of_a_mixed_table(self):
        said = json.loads(self.succeed_quietly("train", DATA / "adult-small.csv", "--target", "income", "--learner", "knn",
                                               "-o", "m", "--json"))
        self.assertLess(said["score"]["error"], 0.21)
        self.succeed_quietly("predict", "m", DATA / "adult-new.csv", "--probabilities", "--names", "-o", "p.csv")
        self.assertEqual({line.split(",")[0] for line in self.lines("p.csv")[1:]}, {"<=50K", ">50K"})

    def test_is_the_same_for_any_threads_and_validation_rows_choose(self):
        words = ("train", DATA / "cpu-small.csv", "--target", "usr", "--learner", "knn", "--bandwidth", "median")
        for threads in (1, 2, 7):
            self.succeed_quietly(*words, "--threads", threads, "-o", f"m{threads}")
        first = (self.folder / "m1").read_bytes()
        for threads in (2, 7):
            self.assertEqual((self.folder / f"m{threads}").read_bytes(), first)
        said = json.loads(self.succeed_quietly(*words, "--validation", DATA / "cpu-new.csv", "--json"))
        self.assertGreater(said["score"]["r2"], 0.8)

    def test_far_rows_equal_rows_and_few_rows(self):
        self.file("t.csv", "a,y\n" + "".join(f"{1e9 + i % 3},{1e6 * (i % 3)}\n" for i in range(9)))
        self.succeed_quietly("train", "t.csv", "--target", "y", "--task", "regression", "--learner", "knn", "--neighbors", 3,
                             "--bandwidth", 1, "-o", "m")
        self.succeed_quietly("predict", "m", "t.csv", "-o", "p.csv")
        self.assertEqual([float(v) for v in self.lines("p.csv")], [1e6 * (i % 3) for i in range(9)])

    def test_words_that_do_not_go_together_are_refused(self):
        file = ("train", DATA / "cpu-small.csv", "--target", "usr")
        knn = (*file, "--learner", "knn")
        for words in (("--C", 1), ("--lambda", 1), ("--tolerance", 0.1), ("--features", 10), ("--no-intercept",),
                      ("--neighbors", 0), ("--neighbors", "x"), ("--weighting", "no"), ("--map", "fourier"),
                      ("--map", "binning"), ("--solver", "cg")):
            self.refuse(1, *knn, *words)
        self.refuse(1, *file, "--neighbors", 3, say="--learner knn")
        self.refuse(1, "train", DATA / "digits.csv.gz", "--target", "digit", "--learner", "knn", "--calibrate", "--quiet")

    def test_rows_beyond_the_memory_are_refused(self):
        self.file("t.csv", csv_text(numbers_table(20000, 3), "y"))
        self.refuse(1, "train", "t.csv", "--target", "y", "--learner", "knn", "--memory", "20M", "--quiet", say="memory")


if __name__ == "__main__":
    unittest.main()
