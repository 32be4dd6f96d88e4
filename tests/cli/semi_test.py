# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner semi`: rows without a target train too."""

import csv
import gzip
import math
import os
import unittest

from command import DATA, CommandTest

DIGITS = os.path.join(DATA, "digits.csv.gz")


class Semi(CommandTest):
    def two_moons(self, rows=200, known=(0, 1, 2, 3)):
        """Two half circles that are no halves of the plane; few rows have a target, the others an empty cell."""
        lines, truth = ["a,b,y"], []
        for i in range(rows):
            t = math.pi * (i // 2 * 0.6180339887 % 1)
            a, b = (math.cos(t), math.sin(t)) if i % 2 else (1 - math.cos(t), 0.3 - math.sin(t))
            truth.append("up" if i % 2 else "down")
            lines.append(f"{a:.5f},{b:.5f},{truth[-1] if i in known else ''}")
        return "\n".join(lines) + "\n", truth

    def test_few_targets_follow_the_shape_of_all_rows(self):
        text, truth = self.two_moons()
        self.file("moons.csv", text)
        self.succeed("semi", "moons.csv", "-t", "y", "--graph-weight", 1000, "-o", "m")
        found = self.succeed("predict", "m", "moons.csv").split()
        self.assertLess(sum(a != b for a, b in zip(found, truth)), 6)

    def test_digits_with_few_targets(self):
        with gzip.open(DIGITS, "rt") as file:
            heading, *rows = list(csv.reader(file))
        few = [row if i % 18 == 0 else [*row[:-1], ""] for i, row in enumerate(rows)]
        known = [row for i, row in enumerate(rows) if i % 18 == 0]
        for name, table in (("few.csv", few), ("known.csv", known)):
            self.file(name, "\n".join(",".join(row) for row in [heading, *table]) + "\n")
        self.succeed("semi", "few.csv", "-t", "digit", "--features", 400, "-o", "m")
        self.succeed("train", "known.csv", "-t", "digit", "--map", "nystroem", "-o", "plain")
        self.assertLess(self.evaluate("m", DIGITS)["error"], 0.6 * self.evaluate("plain", DIGITS)["error"])

    def test_what_cannot_be_learnt_is_refused(self):
        text, _ = self.two_moons()
        self.file("moons.csv", text)
        self.file("none.csv", self.two_moons(known=())[0])
        self.file("one.csv", self.two_moons(known=(1, 3))[0])
        for code, say, words in (
                (2, "no row has a target", ["none.csv", "-t", "y"]),
                (2, "two classes or more", ["one.csv", "-t", "y"]),
                (1, "--target", ["moons.csv"]),
                (1, "graph_weights", ["moons.csv", "-t", "y", "--graph-weight", -1]),
                (1, "--learner", ["moons.csv", "-t", "y", "--learner", "knn"]),
                (1, "--learner", ["moons.csv", "-t", "y", "--learner", "poisson"]),
                (1, "huber", ["moons.csv", "-t", "y", "--learner", "huber"])):
            self.refuse(code, "semi", *words, "-o", "m", say=say)

    def test_other_commands_still_refuse_a_missing_target(self):
        self.file("moons.csv", self.two_moons()[0])
        for words in (("train",), ("lda",), ("gmm", "--components", 2), ("embed", "--group", "a")):
            self.refuse(2, words[0], "moons.csv", "-t", "y", *words[1:], "-o", "m", say="is missing")

    def test_numbers_far_from_zero_and_other_learners(self):
        lines = ["a,b,y"] + [f"{1e9 + i % 17},{i % 13},{'' if i % 3 else 1e6 + i % 17}" for i in range(120)]
        self.file("far.csv", "\n".join(lines) + "\n")
        for learner in ("ridge", "huber"):
            self.succeed("semi", "far.csv", "-t", "y", "--task", "regression", "--learner", learner, "-o", "m")
            found = self.succeed("predict", "m", "far.csv").split()
            worst = max(abs(float(value) - 1e6 - i % 17) for i, value in enumerate(found))
            self.assertLess(worst, 3, learner)


if __name__ == "__main__":
    unittest.main()
