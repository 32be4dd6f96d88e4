# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Rows that other tools would take without a word: predictions are right, or the command says why not."""

import unittest

from command import CommandTest

BAD_DATA = 2


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


if __name__ == "__main__":
    unittest.main()
