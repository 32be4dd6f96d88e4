# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner independence`: whether a target depends on the inputs."""

import json
import random
import unittest

from command import CommandTest


def table(rows, seed, depends=True):
    draw = random.Random(seed)
    lines = ["a,b,city,y"]
    for _ in range(rows):
        a, b = draw.gauss(0, 1), draw.gauss(0, 1)
        y = (a * a if depends else 0) + 0.5 * draw.gauss(0, 1)
        lines.append(f"{a!r},{b!r},{draw.choice('xyz')},{y!r}")
    return "\n".join(lines) + "\n"


class Independence(CommandTest):
    def find(self, *words):
        return json.loads(self.succeed_quietly("independence", *words, "--json", "--permutations", 199))

    def test_finds_the_column(self):
        self.file("a.csv", table(400, 1))
        found = self.find("a.csv", "--target", "y")
        self.assertEqual(found["p_value"], 1 / 199)
        p = {column["name"]: column["p_value"] for column in found["columns"]}
        self.assertEqual(list(p), ["a", "b", "city"])
        self.assertEqual(p["a"], 1 / 199)
        self.assertGreater(min(p["b"], p["city"]), 0.01)
        self.assertIn("a ", self.succeed_quietly("independence", "a.csv", "--target", "y"))

    def test_finds_nothing_where_there_is_nothing(self):
        self.file("a.csv", table(400, 2, depends=False))
        found = self.find("a.csv", "--target", "y")
        self.assertGreater(found["p_value"], 0.05)
        self.assertIn("by permutations", found["p_value_is"])

    def test_text_may_be_the_target_and_many_rows_have_the_limit_law(self):
        self.file("a.csv", table(1000, 3))
        self.assertGreater(self.find("a.csv", "--target", "city")["p_value"], 0.01)
        found = self.find("a.csv", "--target", "y", "--permuted-rows", 256)
        self.assertIn("limit", found["p_value_is"])
        self.assertEqual(found["p_value"], 1 / 199)

    def test_bad_words(self):
        self.file("a.csv", table(50, 4))
        self.refuse(2, "independence", "a.csv", "--target", "nothere", say="nothere")
        self.refuse(1, "independence", "a.csv", "--target", "y", "--permutations", 3, say="permutations")
        self.refuse(1, "independence", "a.csv", "--target", "y", "--features", 3, say="features")
        self.refuse(2, "independence", "nothere.csv", "--target", "y", say="nothere.csv")


if __name__ == "__main__":
    unittest.main()
