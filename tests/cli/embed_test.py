# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner embed` and `transform --group`: from groups of rows to one row each, and learners of these."""

import csv
import json
import random
import unittest

from command import CommandTest


def visits(patients, seed, classes=False, shuffled=False):
    """Patients differ in the spread of v alone; the target is that spread."""
    draw = random.Random(seed)
    lines = []
    for p in range(patients):
        spread = draw.uniform(0.5, 3)
        target = ("wide" if spread > 1.75 else "narrow") if classes else f"{spread:.5f}"
        lines += [f"p{p},{draw.gauss(0, spread):.6f},{draw.gauss(5, 1):.6f},{target}" for _ in range(draw.randint(20, 60))]
    if shuffled:
        draw.shuffle(lines)
    return "\n".join(["patient,v,w,y", *lines]) + "\n"


class Embed(CommandTest):
    def groups(self, model, file):
        self.succeed_quietly("transform", model, file, "--group", "patient", "-o", "groups.csv")
        with open(self.folder / "groups.csv", newline="") as lines:
            return list(csv.DictReader(lines))

    def embed(self, file, *words):
        self.succeed_quietly("embed", file, "--target", "y", "--group", "patient", "--features", 64, "-o", "m.embed", *words)

    def test_learns_from_distributions(self):
        self.file("train.csv", visits(150, 1))
        self.file("test.csv", visits(60, 2))
        self.embed("train.csv")
        self.groups("m.embed", "train.csv")
        self.succeed_quietly("train", "groups.csv", "--target", "y", "--ignore", "patient", "--map", "fourier", "-o", "y.model")
        self.groups("m.embed", "test.csv")
        found = json.loads(self.succeed_quietly("eval", "y.model", "groups.csv", "--json"))
        self.assertGreater(found["r2"], 0.8)

    def test_a_row_for_each_group_wherever_its_rows_lie(self):
        self.file("a.csv", visits(20, 3))
        self.file("b.csv", visits(20, 3, shuffled=True))
        self.embed("a.csv")
        a = {row["patient"]: row for row in self.groups("m.embed", "a.csv")}
        b = {row["patient"]: row for row in self.groups("m.embed", "b.csv")}
        self.assertEqual(len(a), 20)
        self.assertEqual(a.keys(), b.keys())
        for name, row in a.items():
            for column in ("y", "mean0", "mean63"):
                self.assertAlmostEqual(float(row[column]), float(b[name][column]), places=5)

    def test_classes_are_carried_and_must_agree(self):
        text = visits(20, 4, classes=True)
        self.file("a.csv", text)
        self.embed("a.csv")
        self.assertEqual({row["y"] for row in self.groups("m.embed", "a.csv")}, {"wide", "narrow"})
        first = text.splitlines()[1]
        other = first.replace("wide", "?").replace("narrow", "wide").replace("?", "narrow")
        self.file("b.csv", text + other + "\n")
        self.refuse(2, "transform", "m.embed", "b.csv", "--group", "patient", "-o", "x.csv", say="one class for each group")

    def test_new_files_need_no_target(self):
        self.file("a.csv", visits(20, 5))
        self.embed("a.csv")
        self.file("new.csv", "\n".join(line.rsplit(",", 1)[0] for line in visits(5, 6).splitlines()) + "\n")
        rows = self.groups("m.embed", "new.csv")
        self.assertEqual(len(rows), 5)
        self.assertNotIn("y", rows[0])

    def test_bad_words(self):
        self.file("a.csv", visits(5, 7))
        self.embed("a.csv")
        self.refuse(2, "transform", "m.embed", "a.csv", "--group", "nothere", "-o", "x.csv", say="nothere")
        self.refuse(1, "transform", "m.embed", "a.csv", "--group", "patient", "--inverse", "-o", "x.csv", say="--group")
        self.refuse(1, "transform", "m.embed", "a.csv", "--group", "patient", "-o", "x.npy", say="x.npy")
        self.refuse(1, "embed", "a.csv", "--group", "patient", "--map", "none", "--scale", "none", "-q", "-o", "x.embed", say="map")


if __name__ == "__main__":
    unittest.main()
