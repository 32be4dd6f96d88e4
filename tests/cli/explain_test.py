# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner explain`: values that add up to the score, for every kind of model."""

import csv
import io
import json
import os
import random
import re
import struct
import unittest

from command import DATA, CommandTest

CPU, NEW = DATA / "cpu-small.csv", DATA / "cpu-new.csv"
FEW = ("--features", 64, "--bandwidth", 4, "--lambda", 1e-4)


def table(rows, target, seed=1):
    """Numbers a and b with missing cells in b, a text, and a target of them."""
    draw = random.Random(seed)
    lines = ["a,b,city,y"]
    for i in range(rows):
        a, b, city = draw.gauss(0, 1), draw.gauss(0, 1), draw.choice(["Rome", "Oslo, N", "Bern"])
        lines.append(f'{a:.4f},{"" if i % 9 == 4 else f"{b:.4f}"},"{city}",{target(a, b, city)}')
    return "\n".join(lines) + "\n"


def number(a, b, city):
    return f"{2 * a + a * b + (city == 'Rome'):.4f}"


def letter(a, b, city):
    return "x" if a > 0.5 else "y" if b > 0 else "z"


class Explain(CommandTest):
    def lines(self, *words):
        return list(csv.reader(io.StringIO(self.succeed_quietly("explain", *words))))

    def expect_sums(self, lines, first=0):
        """Each line's values and base add up to its score. first: columns of names."""
        for line in lines[1:]:
            *values, score = map(float, line[first:])
            self.assertAlmostEqual(sum(values), score, delta=1e-9 * max(1, abs(score)))

    def test_a_line_holds_values_that_add_up_to_the_prediction(self):
        self.succeed_quietly("train", CPU, "-t", "usr", *FEW, "-o", "m")
        lines = self.lines("m", NEW, "--background", CPU)
        header = CPU.read_text().splitlines()[0].split(",")
        self.assertEqual(lines[0], [*(name for name in header if name != "usr"), "base_value", "score"])
        self.expect_sums(lines)
        predicted = [float(line) for line in self.succeed_quietly("predict", "m", NEW).split()]
        self.assertEqual(len(lines) - 1, len(predicted))
        for line, prediction in zip(lines[1:], predicted):
            self.assertAlmostEqual(float(line[-1]), prediction, delta=1e-3)

    def test_every_kind_of_model_adds_up(self):
        self.file("numbers.csv", table(120, number))
        self.file("classes.csv", table(120, letter))
        kinds = [("--map", "none"), ("--map", "fourier:draw=orthogonal", *FEW), ("--map", "fourier:draw=structured", *FEW),
                 ("--map", "nystroem", *FEW), ("--map", "nystroem", "--kernel", "matern", *FEW),
                 ("--map", "binning", "--features", 16), ("--learner", "knn"), ("--effort", "fast")]
        for file, first in (("numbers.csv", 0), ("classes.csv", 1)):
            for words in kinds:
                with self.subTest(file=file, words=words):
                    self.succeed_quietly("train", file, "-t", "y", *words, "-o", "m")
                    lines = self.lines("m", file, "--evaluations", 100)
                    self.assertEqual(lines[0], [*["class"][:first], "a", "b", "city", "base_value", "score"])
                    self.assertEqual(len(lines), 1 + 120 * (3 if first else 1))
                    self.expect_sums(lines, first)

    def test_three_classes_have_a_line_each(self):
        self.file("classes.csv", table(150, letter))
        self.succeed_quietly("train", "classes.csv", "-t", "y", *FEW, "-o", "m")
        lines = self.lines("m", "classes.csv")
        self.assertEqual([line[0] for line in lines[1:4]], ["x", "y", "z"])
        scores = self.succeed_quietly("predict", "m", "classes.csv", "--scores").split("\n")[0].split(",")[1:]
        for line, score in zip(lines[1:4], scores):
            self.assertAlmostEqual(float(line[-1]), float(score), delta=1e-4)

    def test_pairs_add_up_too(self):
        self.file("rows.csv", table(150, number))
        self.succeed_quietly("train", "rows.csv", "-t", "y", *FEW, "-o", "m")
        lines = self.lines("m", "rows.csv", "--pairs")
        self.assertEqual(lines[0], ["a", "b", "city", "a:b", "a:city", "b:city", "base_value", "score"])
        self.expect_sums(lines)
        values = self.lines("m", "rows.csv")
        for pairs, line in zip(lines[1:], values[1:]):  # half of each pair belongs to each of its columns
            own, ab, ac = float(pairs[0]), float(pairs[3]), float(pairs[4])
            self.assertAlmostEqual(own + (ab + ac) / 2, float(line[0]), places=9)

    def test_other_threads_and_outputs_hold_the_same(self):
        self.file("rows.csv", table(100, number))
        for words in (FEW, ("--learner", "knn")):
            self.succeed_quietly("train", "rows.csv", "-t", "y", *words, "-o", "m")
            text = self.succeed_quietly("explain", "m", "rows.csv", "--threads", 1)
            self.assertEqual(self.succeed_quietly("explain", "m", "rows.csv", "--threads", 3), text)
            self.succeed_quietly("explain", "m", "rows.csv", "-o", "v.csv")
            self.assertEqual((self.folder / "v.csv").read_text(), text)
            self.succeed_quietly("explain", "m", "rows.csv", "-o", "v.npy")
            stored = (self.folder / "v.npy").read_bytes()[-5 * 8 * 100:]
            self.assertEqual(list(struct.unpack("<500d", stored)),
                             [float(cell) for line in text.splitlines()[1:] for cell in line.split(",")])

    def test_json_says_how_and_what_matters(self):
        self.file("rows.csv", table(200, number))
        self.succeed_quietly("train", "rows.csv", "-t", "y", *FEW, "-o", "m")
        tree = json.loads(self.succeed_quietly("explain", "m", "rows.csv", "--json", "--background-rows", 50))
        self.assertEqual((tree["rows"], tree["background_rows"], tree["exact"]), (200, 50, True))
        self.assertEqual(tree["unknown"], "columns")
        self.assertEqual(tree["importance"][0]["column"], "a")
        self.assertGreater(tree["importance"][0]["mean_size"], tree["importance"][1]["mean_size"])
        row = tree["explained"][7]
        self.assertEqual(row["row"], 7)
        self.assertAlmostEqual(sum(row["values"]) + row["base_value"], row["score"], places=9)
        summary = json.loads(self.succeed_quietly("explain", "m", "rows.csv", "--json", "-o", "v.csv"))
        self.assertNotIn("explained", summary)

    def test_sampled_values_say_their_errors(self):
        self.succeed_quietly("train", CPU, "-t", "usr", "--learner", "knn", "-o", "m")
        tree = json.loads(self.succeed_quietly("explain", "m", NEW, "--background", CPU, "--json"))
        self.assertEqual((tree["exact"], tree["unknown"]), (False, "rows"))
        self.assertGreater(tree["largest_standard_error"], 0)
        self.assertEqual(len(tree["explained"][0]["standard_errors"]), len(tree["columns"]))
        code, _, errors = self.run_command("explain", "m", NEW, "--background", CPU, "-o", "v.csv")
        self.assertEqual(code, 0)
        self.assertRegex(errors, r"largest standard error of a value: \d")

    def test_the_page_shows_a_row(self):
        self.file("rows.csv", table(100, number))
        self.succeed_quietly("train", "rows.csv", "-t", "y", *FEW, "-o", "m")
        self.succeed_quietly("explain", "m", "rows.csv", "-o", "v.csv", "--page", "p.html", "--row", 4)
        page = (self.folder / "p.html").read_text()
        for part in ("Row 4: y", "city = ", "a = ", "What matters: y", "<svg", "What a adds", "What city adds", "Rome"):
            self.assertIn(part, page)
        self.assertIsNone(re.search(r"<script|https?://(?!www\.w3\.org)", page))

    def test_far_inputs_keep_their_differences(self):
        near = table(100, number)
        lines = near.splitlines()
        far = [lines[0]]
        for line in lines[1:]:
            cell, rest = line.split(",", 1)
            far.append(f"{float(cell) + 1e9:.4f},{rest}")
        self.file("near.csv", near)
        self.file("far.csv", "\n".join(far) + "\n")
        for name in ("near", "far"):
            self.succeed_quietly("train", f"{name}.csv", "-t", "y", *FEW, "-o", name)
        for one, other in zip(self.lines("near", "near.csv")[1:], self.lines("far", "far.csv")[1:]):
            self.assertAlmostEqual(float(one[0]), float(other[0]), delta=1e-3)

    def test_a_kept_background_is_that_of_its_rows(self):
        self.file("rows.csv", table(150, number))
        for words in (FEW, ("--map", "binning", "--features", 16), ("--learner", "knn")):
            self.succeed_quietly("train", "rows.csv", "-t", "y", *words, "-o", "plain")
            self.succeed_quietly("train", "rows.csv", "-t", "y", *words, "--keep-background", "-o", "kept")
            self.assertLess((self.folder / "plain").stat().st_size, (self.folder / "kept").stat().st_size)
            self.assertEqual(self.succeed_quietly("predict", "kept", "rows.csv"),
                             self.succeed_quietly("predict", "plain", "rows.csv"))
            told = self.lines("plain", "rows.csv", "--background", "rows.csv", "--background-rows", 150)
            kept = self.lines("kept", "rows.csv", "--background-rows", 150)
            self.expect_sums(kept)
            for one, other in zip(told[1:], kept[1:]):
                self.assertAlmostEqual(float(one[-2]), float(other[-2]), delta=1e-6)
        code, _, errors = self.run_command("explain", "kept", "rows.csv")
        self.assertEqual(code, 0)
        self.assertIn("kept in", errors)
        self.assertIn("150 rows of the training", self.succeed_quietly("inspect", "kept"))

    def test_a_kept_background_lets_a_pipe_be_explained(self):
        self.file("rows.csv", table(60, number))
        self.succeed_quietly("train", "rows.csv", "-t", "y", *FEW, "--keep-background", "-o", "m")
        text = self.succeed_quietly("explain", "m", "rows.csv")
        with open(self.folder / "rows.csv") as rows:
            code, found, _ = self.run_command("explain", "m", "-", stdin=rows)
        self.assertEqual((code, found), (0, text))

    def test_parts_keep_the_background_of_all(self):
        lines = table(200, number).splitlines()
        for name, part in (("a.csv", lines[1:90]), ("b.csv", lines[90:])):
            self.file(name, "\n".join([lines[0], *part]) + "\n")
            self.succeed_quietly("accumulate", name, "-t", "y", "-o", name + ".survey")
        self.succeed_quietly("merge", "a.csv.survey", "b.csv.survey", "-o", "all.survey")
        for name in ("a.csv", "b.csv"):
            self.succeed_quietly("accumulate", name, "--spec", "all.survey", *FEW[:4], "--keep-background",
                                 "-o", name + ".sum")
        self.succeed_quietly("merge", "b.csv.sum", "a.csv.sum", "-o", "all.sum")
        self.succeed_quietly("solve", "all.sum", "--lambda", 1e-4, "-o", "m")
        self.expect_sums(self.lines("m", "a.csv"))
        self.assertIn("200 rows of the training", self.succeed_quietly("inspect", "m"))
        self.refuse(1, "accumulate", "a.csv", "-t", "y", "--keep-background", "-o", "s", say="second round")
        self.refuse(1, "accumulate", "a.csv", "--spec", "m", "--keep-background", "-o", "s", "-q", say="survey")
        self.refuse(1, "train", "a.csv", "-t", "y", "--keep-sum", "--keep-background", "-o", "s", "-q",
                    say="--keep-background")

    def test_refuses_in_a_line(self):
        self.file("rows.csv", table(60, number))
        self.file("none.csv", "a,b,city,y\n")
        self.succeed_quietly("train", "rows.csv", "-t", "y", *FEW, "-o", "m")
        self.refuse(1, "explain", "m", "rows.csv", "--unknown", "some", say="columns")
        self.refuse(1, "explain", "m", "rows.csv", "--page", "p.html", say="-o OUT.csv")
        self.refuse(1, "explain", "m", "rows.csv", "-o", "rows.csv", say="rows.csv")
        self.refuse(1, "explain", "m", "rows.csv", "-o", "v.csv", "--page", "v.csv", say="--page")
        self.refuse(1, "explain", "m", "-", say="--background")
        self.refuse(3, "explain", "rows.csv", "rows.csv")
        self.refuse(2, "explain", "m", "rows.csv", "--background", "none.csv", say="background")
        self.refuse(1, "explain", "m", "rows.csv", "-o", "v.csv", "--page", "p.html", "--row", 60, say="0 to 59")
        self.file("walk.csv", "s,a\n" + "".join(f"{i // 10},{i % 7}\n" for i in range(60)))
        self.succeed_quietly("hmm", "walk.csv", "--sequence", "s", "--states", 2, "-o", "h")
        self.refuse(1, "explain", "h", "walk.csv", say="sequences")
        os.mkfifo(self.folder / "pipe")
        self.refuse(1, "explain", "m", "pipe", say="--background")


if __name__ == "__main__":
    unittest.main()
