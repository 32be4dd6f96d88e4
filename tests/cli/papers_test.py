# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner papers`: claims of the founding documents beside what is computed."""

import json
import os
import unittest
from unittest import mock

from command import CommandTest

KEYS = {"document", "place", "claim", "printed", "ours", "spread", "seconds", "verdict"}


@mock.patch.dict(os.environ, {"BOCHNER_DATA": "/nowhere"})
class Papers(CommandTest):
    def rows(self, *words):
        return json.loads(self.succeed_quietly("papers", "--json", *words))

    def test_rows_have_the_same_keys_and_no_data_is_a_reason(self):
        rows = {group: self.rows("--only", group) for group in ("jl", "ladder", "slips", "tables", "ads", "usps")}
        for row in sum(rows.values(), []):
            self.assertEqual(set(row), KEYS)
            self.assertIn(row["verdict"], ("beaten", "level", "lost", "skipped"))
            self.assertEqual(row["ours"] is None, row["verdict"] == "skipped")
            self.assertRegex(row["document"], r"\A00[0-4]\Z")
        self.assertEqual({row["verdict"] for group in ("tables", "ads", "usps") for row in rows[group]}, {"skipped"})
        self.assertEqual({row["verdict"] for row in rows["slips"]}, {"beaten"})
        self.assertRegex(self.succeed_quietly("papers", "--only", "usps"), "skipped.*set BOCHNER_DATA")

    def test_known_constants(self):
        found = {row["claim"]: row["ours"] for group in ("slips", "ladder") for row in self.rows("--only", group)}
        self.assertEqual(found["n = 100M, epsilon = 0.1: k is about 7K"], 15789)
        self.assertEqual(found["gaussian entries in memory, GB"], 40)
        self.assertAlmostEqual(found["|determinant| of the 4 x 4 Hadamard matrix, orthogonal if it is 1"], 1, places=6)

    def test_digits_are_as_good_as_printed(self):
        rows = self.rows("--only", "digits", "--seeds", 2)
        self.assertEqual(len(rows), 7)
        for row in rows:
            self.assertIn(row["verdict"], ("beaten", "level"), row)
            self.assertGreater(row["ours"], 0.9)

    def test_laws_hold(self):
        for group in ("maps", "jl", "mixtures"):
            for row in self.rows("--only", group):
                self.assertIn(row["verdict"], ("beaten", "level"), row)

    def test_same_numbers_for_any_threads(self):
        one, two = (self.rows("--only", "jl", "--threads", n) for n in (1, 2))
        for a, b in zip(one, two):
            self.assertEqual({**a, "seconds": 0}, {**b, "seconds": 0})

    def test_pages(self):
        self.succeed_quietly("papers", "--only", "maps", "-o", "p.html")
        page = (self.folder / "p.html").read_text()
        self.assertEqual(page.count("<svg"), 3)
        self.assertNotRegex(page, r"(src|href)=")
        self.succeed_quietly("papers", "--only", "ladder", "-o", "p.md")
        text = (self.folder / "p.md").read_text()
        self.assertIn("## ladder", text)
        self.assertEqual(text.count("| 001 "), 7)

    def test_page_is_whole_or_not_there(self):
        self.file("p.html", "old")
        self.refuse(1, "papers", "--only", "jk", "-o", "p.html", say="jl")
        self.refuse(1, "papers", "--seeds", 0, "-o", "p.html", say="--seeds")
        self.refuse(1, "papers", "--only", "jl", "--json", "-o", "-", say="--json")
        self.assertEqual((self.folder / "p.html").read_text(), "old")


if __name__ == "__main__":
    unittest.main()
