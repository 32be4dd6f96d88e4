# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner drift`: two files, one p-value, one for each column, one page."""

import json
import random
import unittest

from command import CommandTest


def table(rows, seed, shift=0.0, names="abcd", cities="xyz", far=0.0):
    """Columns of numbers in the order of `names`, the third of them moved by `shift`, and a column of text."""
    draw = random.Random(seed)
    lines = [",".join([*names, "city"])]
    for _ in range(rows):
        values = {name: far + draw.gauss(0, 1) + (shift if name == "c" else 0) for name in "abcd"}
        lines.append(",".join([*(repr(values[name]) for name in names), draw.choice(cities)]))
    return "\n".join(lines) + "\n"


class Drift(CommandTest):
    def drift(self, *words):
        return json.loads(self.succeed_quietly("drift", *words, "--json"))

    def columns(self, found):
        return {column["name"]: column["p_value"] for column in found["columns"]}

    def test_finds_the_column_that_moved_whatever_the_order(self):
        self.file("a.csv", table(800, 1))
        self.file("b.csv", table(600, 2, shift=0.6, names="dcba"))
        found = self.drift("a.csv", "b.csv")
        self.assertLess(found["p_value"], 0.01)
        self.assertGreater(found["statistic"], 0)
        p = self.columns(found)
        self.assertEqual(list(p), ["a", "b", "c", "d", "city"])
        self.assertLess(p["c"], 0.01)
        self.assertGreater(min(p["a"], p["b"], p["d"], p["city"]), 0.01)
        for column in found["columns"]:
            self.assertLessEqual(column["p_value_alone"], column["p_value"])

    def test_the_same_rows_have_not_moved(self):
        self.file("a.csv", table(300, 1))
        found = self.drift("a.csv", "a.csv")
        self.assertEqual(found["p_value"], 1)
        self.assertEqual(set(self.columns(found).values()), {1})

    def test_new_levels_and_lost_ones_count(self):
        self.file("a.csv", table(300, 1, cities="xyz"))
        self.file("b.csv", table(300, 2, cities="xyw"))
        found = self.drift("a.csv", "b.csv")
        self.assertLess(self.columns(found)["city"], 0.01)
        city = found["columns"][-1]
        self.assertEqual(sorted(city["levels"]), ["w", "x", "y", "z"])
        self.assertLess(found["p_value"], 0.01)

    def test_a_column_that_one_file_lacks_is_named(self):
        self.file("a.csv", table(200, 1))
        self.file("b.csv", table(200, 2, names="abc"))
        found = self.drift("a.csv", "b.csv")
        self.assertEqual((found["missing_in_new"], found["missing_in_reference"]), (["d"], []))
        found = self.drift("b.csv", "a.csv")
        self.assertEqual((found["missing_in_new"], found["missing_in_reference"]), ([], ["d"]))
        self.assertEqual(list(self.columns(found)), ["a", "b", "c", "city"])

    def test_numbers_far_from_zero(self):
        self.file("a.csv", table(400, 1, far=1e9))
        self.file("b.csv", table(400, 2, shift=0.8, far=1e9))
        p = self.columns(self.drift("a.csv", "b.csv"))
        self.assertLess(p["c"], 0.01)
        self.assertGreater(min(p["a"], p["b"], p["d"]), 0.01)

    def test_a_number_that_became_text(self):
        self.file("a.csv", "k,x\n" + "".join(f"{i % 3},{i * 7 % 11}\n" for i in range(60)))
        self.file("b.csv", "k,x\n" + "".join(f"{'abc'[i % 3]},{i * 5 % 11}\n" for i in range(60)))
        found = self.drift("a.csv", "b.csv")
        self.assertIn("taken as text", " ".join(found["notes"]))
        self.assertLess(self.columns(found)["k"], 0.01)

    def test_constant_columns_and_few_rows(self):
        self.file("a.csv", "k,x\n1,2\n1,3\n1,4\n")
        self.file("b.csv", "k,x\n1,2\n1,5\n")
        found = self.drift("a.csv", "b.csv")
        self.assertGreater(found["p_value"], 0.05)
        self.assertEqual(self.columns(found)["k"], 1)

    def test_the_same_for_any_threads(self):
        self.file("a.csv", table(3000, 1))
        self.file("b.csv", table(2000, 2, shift=0.05))
        one, two = (self.drift("a.csv", "b.csv", "--threads", n) for n in (1, 2))
        one.pop("seconds"), two.pop("seconds")
        self.assertEqual(one, two)

    def test_windows_say_from_when_on(self):
        self.file("a.csv", table(400, 1))
        before, after = table(300, 2), table(300, 3, shift=1.0)
        self.file("b.csv", before + after.split("\n", 1)[1])
        windows = self.drift("a.csv", "b.csv", "--windows", 4, "--permutations", 199)["windows"]
        self.assertEqual([(w["first_row"], w["rows"]) for w in windows], [(0, 150), (150, 150), (300, 150), (450, 150)])
        self.assertGreater(min(w["p_value_alone"] for w in windows[:2]), 0.01)
        self.assertLess(max(w["p_value"] for w in windows[2:]), 0.05)
        for w in windows:
            self.assertAlmostEqual(w["p_value"], min(1, 4 * w["p_value_alone"]))
        self.refuse(2, "drift", "a.csv", "b.csv", "--windows", 500, say="windows")

    def test_page(self):
        self.file("a.csv", table(200, 1))
        self.file("b.csv", table(200, 2, shift=1))
        output = self.succeed_quietly("drift", "a.csv", "b.csv", "-o", "page.html")
        self.assertIn("p-value", output)
        page = (self.folder / "page.html").read_text()
        for word in ("<svg", "Which columns moved", "Westfall", "b.csv beside a.csv"):
            self.assertIn(word, page)
        self.assertNotIn("<script", page)

    def test_refusals(self):
        self.file("a.csv", table(50, 1))
        self.file("one.csv", "a,b,c,d,city\n1,2,3,4,x\n")
        self.file("other.csv", "p,q\n1,2\n3,4\n")
        self.refuse(2, "drift", "a.csv", "nothere.csv", say="nothere.csv")
        self.refuse(2, "drift", "a.csv", "one.csv", say="one row")
        self.refuse(2, "drift", "a.csv", "other.csv", say="no input column in common")
        self.refuse(1, "drift", "a.csv", "a.csv", "--permutations", 3, say="permutations")
        self.refuse(1, "drift", "a.csv", "a.csv", "--bandwidths", "0", say="bandwidths")
        self.refuse(1, "drift", "a.csv", "a.csv", "-o", "a.csv", say="a.csv")


if __name__ == "__main__":
    unittest.main()
