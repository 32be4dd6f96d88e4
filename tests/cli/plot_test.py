# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner plot`: contours of densities and of reduced sets."""

import random
import unittest
import xml.etree.ElementTree as tree

from command import CommandTest


class Plot(CommandTest):
    def setUp(self):
        super().setUp()
        draw = random.Random(1)
        rows = "".join(f"{draw.gauss(0, 1)!r},{draw.gauss(3, 2)!r},{draw.choice('pq')}\n" for _ in range(200))
        self.file("a.csv", "u,v<w,kind\n" + rows)

    def picture(self, *words):
        self.succeed_quietly("plot", *words, "-o", "a.svg")
        text = (self.folder / "a.svg").read_text()
        root = tree.fromstring(text)
        self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg")
        return text

    def test_density_of_two_columns(self):
        text = self.picture("a.csv", "--x", "u", "--y", "v<w", "--title", "two & two")
        self.assertIn("v&lt;w", text)
        self.assertIn("two &amp; two", text)
        self.assertGreater(text.count('class="level"'), 100)
        self.assertEqual(text.count("<circle"), 200)

    def test_reduced_set_beside_it(self):
        self.succeed_quietly("reduce", "a.csv", "--ignore", "kind", "--points", 7, "--bandwidth", 1, "-o", "p.csv")
        text = self.picture("p.csv", "--coefficients", "weight", "--bandwidth", 1, "--window", "-3,3,-2,8")
        self.assertEqual(text.count("<circle"), 7)

    def test_bad_words(self):
        self.refuse(1, "plot", "a.csv", "-o", "b.svg", say="--x, --y")
        self.refuse(1, "plot", "a.csv", "--x", "u", "--y", "nothere", "-o", "b.svg", say="nothere")
        self.refuse(1, "plot", "a.csv", "--x", "u", "--y", "u", "-o", "b.svg", say="--y")
        self.refuse(1, "plot", "a.csv", "--x", "u", "--y", "v<w", "--window", "1,2", "-o", "b.svg", say="--window")
        self.refuse(1, "plot", "a.csv", "--x", "u", "--y", "v<w", "-o", "a.csv", say="a.csv")


if __name__ == "__main__":
    unittest.main()
