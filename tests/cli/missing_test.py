# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""That a cell is missing tells something: flags of 1 or blank, dates that some rows have, in every command."""

import datetime
import json
import random
import re
import unittest

from command import CommandTest

QUICK = ("--map", "fourier", "--features", 64, "--bandwidth", 1.5, "--lambda", "1e-4")


def flags(rows, seed, blank="", mark="1"):
    """A flag that is 1 or blank, a number, and a class of both."""
    draw = random.Random(seed)
    lines = ["a,vip,y"]
    for _ in range(rows):
        vip, a = draw.random() < 0.4, draw.gauss(0, 1)
        lines.append(f"{a:.3f},{mark if vip else blank},{'buy' if 2 * vip + a + draw.gauss(0, 0.5) > 1 else 'no'}")
    return "\n".join(lines) + "\n"


def cancellations(rows, seed, share=172 / 3000, plain=False):
    """A date that few rows have, and a number that depends on whether they do. plain: 0 or 1 instead of the date."""
    draw = random.Random(seed)
    lines = ["a,cancelled,y"]
    for _ in range(rows):
        gone, a = draw.random() < share, draw.gauss(0, 1)
        date = datetime.date(2024, 1, 1) + datetime.timedelta(draw.randrange(300))
        cell = str(int(gone)) if plain else str(date) if gone else ""
        lines.append(f"{a:.3f},{cell},{a + 5 * gone + 0.1 * draw.gauss(0, 1):.4f}")
    return "\n".join(lines) + "\n"


class Missing(CommandTest):
    def train(self, file, *words):
        self.succeed_quietly("train", file, "--target", "y", *words, "-o", file + ".m")
        return file + ".m"

    def inputs(self, model):
        return json.loads(self.succeed("inspect", model, "--json"))["report"]["inputs"]

    def test_a_flag_of_1_or_blank_is_worth_as_much_as_one_of_1_or_0(self):
        for name, blank in (("blank", ""), ("zero", "0")):
            self.file(name, flags(2000, 4, blank))
            self.file(name + "-new", flags(1000, 5, blank))
        for words in (("--effort", "fast"), QUICK, ("--map", "binning"), ("--learner", "logistic")):
            errors = {name: self.evaluate(self.train(name, *words), name + "-new")["error"] for name in ("blank", "zero")}
            self.assertLess(abs(errors["blank"] - errors["zero"]), 0.005 + 1e-9, (words, errors))
            self.assertLess(errors["blank"], 0.13, words)
        self.assertGreater(self.evaluate(self.train("blank", *QUICK, "--missing", "mean"), "blank-new")["error"], 0.25)

    def test_a_date_that_few_rows_have_is_useful_whether_it_varies_or_not(self):
        self.file("plain", cancellations(3000, 1, plain=True))
        self.file("plain-new", cancellations(1000, 2, plain=True))
        self.file("dates", cancellations(3000, 1))
        self.file("dates-new", cancellations(1000, 2))
        same = re.compile(r"2024-\d\d-\d\d")
        self.file("one-date", same.sub("2024-05-01", cancellations(3000, 1)))
        self.file("one-date-new", same.sub("2024-05-01", cancellations(1000, 2)))
        r2 = {name: self.evaluate(self.train(name, *QUICK), name + "-new")["r2"] for name in ("plain", "dates", "one-date")}
        self.assertGreater(r2["one-date"], r2["plain"] - 0.005, r2)
        self.assertGreater(r2["dates"], r2["plain"] - 0.02, r2)

    def test_every_command_reads_the_mark_by_the_model(self):
        self.file("t", flags(600, 1))
        model = self.train("t", *QUICK)
        self.assertIn("vip: constant (1) or missing", self.run_command("train", "t", "-t", "y", *QUICK)[2])
        self.assertEqual(self.inputs(model), 3)
        self.file("with.csv", "a,vip\n0.25,1\n0.25,\n")
        scores = [float(line.split(",")[-1]) for line in
                  self.succeed_quietly("predict", model, "with.csv", "--scores").splitlines()]
        self.assertGreater(abs(scores[0] - scores[1]), 0.5)
        self.file("missing.csv", "a,vip\n0.25,NA\n0.25,\n")  # however it is written, and if no row has a value
        again = [float(line.split(",")[-1]) for line in
                 self.succeed_quietly("predict", model, "missing.csv", "--scores").splitlines()]
        self.assertEqual(again, [scores[1]] * 2)
        for threads in (1, 16):
            self.succeed_quietly("transform", model, "t", "--threads", threads, "-o", f"{threads}.csv")
        self.assertEqual((self.folder / "1.csv").read_bytes(), (self.folder / "16.csv").read_bytes())

    def test_marks_do_not_touch_tables_without_missing_cells(self):
        self.file("t", flags(300, 1, "0"))
        default = (self.folder / self.train("t", *QUICK)).read_bytes()
        for rule in ("mean", "mark"):
            self.assertEqual((self.folder / self.train("t", *QUICK, "--missing", rule)).read_bytes(), default)

    def test_few_gaps_are_no_input_unless_asked_for(self):
        for gaps, inputs in ((19, 2), (20, 3)):
            lines = [f"{'' if i < gaps else i % 17},{i % 5},{i % 7 + i % 5}.5" for i in range(200)]
            self.file("t", "a,b,y\n" + "\n".join(lines) + "\n")
            self.assertEqual(self.inputs(self.train("t", *QUICK)), inputs)
            self.assertEqual(self.inputs(self.train("t", *QUICK, "--missing", "mark")), 3)
            self.assertEqual(self.inputs(self.train("t", *QUICK, "--missing", "mean")), 2)

    def test_a_column_without_any_cell_is_left_out_with_a_word(self):
        self.file("t", "a,b,y\n" + "".join(f"{i % 17},,{i % 7}.5\n" for i in range(300)))
        for words in (QUICK, ("--effort", "fast")):
            code, _, errors = self.run_command("train", "t", "-t", "y", *words, "-o", "m")
            self.assertEqual(code, 0, errors)
            self.assertIn("b: missing in every row, left out", errors)

    def test_parts_agree_whichever_of_them_have_gaps(self):
        whole = flags(900, 3).splitlines(keepends=True)
        heading, rows = whole[0], whole[1:]
        full = [row for row in rows if ",1," in row]
        rest = [row for row in rows if ",1," not in row]
        parts = {"full": full[:200], "some": full[200:] + rest[:100], "none": rest[100:]}
        for name, lines in parts.items():
            self.file(name, heading + "".join(lines))
            self.succeed_quietly("accumulate", name, "--target", "y", "-o", name + ".survey")
        self.file("all", heading + "".join(sum(parts.values(), [])))
        bytes_of = set()
        for order in (("full", "some", "none"), ("none", "full", "some")):
            self.succeed_quietly("merge", *(name + ".survey" for name in order), "-o", "all.survey")
            bytes_of.add((self.folder / "all.survey").read_bytes())
        self.assertEqual(len(bytes_of), 1)
        for name in parts:
            self.succeed_quietly("accumulate", name, "--spec", "all.survey", "--features", 64, "--bandwidth", 1.5, "-o",
                                 name + ".sum")
        self.succeed_quietly("merge", *(name + ".sum" for name in parts), "-o", "all.sum")
        self.succeed_quietly("solve", "all.sum", "--lambda", "1e-4", "-o", "m")
        self.assertEqual(self.inputs("m"), 3)
        self.file("new", flags(1000, 6))
        wanted = self.evaluate(self.train("all", *QUICK), "new")["error"]
        self.assertLess(abs(self.evaluate("m", "new")["error"] - wanted), 0.01)

    def test_the_page_shows_the_column_once_and_what_missing_means(self):
        self.file("t", cancellations(600, 1, share=0.4))
        model = self.train("t", *QUICK)
        found = json.loads(self.succeed_quietly("report", model, "t", "--json"))
        self.assertEqual([i["column"] for i in found["importance"]], ["cancelled", "a"])
        date = found["dependence"][0]
        self.assertTrue(date["dates"])
        self.assertGreater(min(date["at"]), 19700)
        self.assertGreater(min(date["curves"][0]["mean"]) - date["curves"][0]["missing"], 3)
        self.succeed_quietly("report", model, "t", "-o", "page.html")
        page = (self.folder / "page.html").read_text()
        self.assertIn(">missing</text>", page)
        self.assertRegex(page, r">2024-\d\d</text>")
        self.assertNotIn("19.8k", page)

    def test_drift_tells_missing_cells_from_a_shift(self):
        def sample(rows, seed, share, shift=0.0):
            draw = random.Random(seed)
            lines = ["a,when,b"]
            for _ in range(rows):
                a = f"{10 + draw.gauss(0, 1) + shift:.4f}" if draw.random() >= share else ""
                when = datetime.date(2020, 1, 1) + datetime.timedelta(draw.randrange(900))
                lines.append(f"{a},{when},{draw.gauss(0, 1):.4f}")
            return "\n".join(lines) + "\n"

        self.file("old", sample(1500, 1, 0.025))
        self.file("new", sample(1500, 2, 0.30))
        output = self.succeed_quietly("drift", "old", "new", "-o", "page.html")
        line = next(line for line in output.splitlines() if line.lstrip().startswith("a "))
        self.assertRegex(line, r"missing 2\.\d % -> (29|30|31)\.\d %  mean (9\.9|10\.0)")
        found = json.loads(self.succeed_quietly("drift", "old", "new", "--json"))
        a, when, _ = found["columns"]
        self.assertLess(a["p_value"], 0.01)
        self.assertAlmostEqual(a["missing_new"], 0.3, delta=0.04)
        self.assertAlmostEqual(sum(a["share_new"]) + a["missing_new"], 1, places=9)
        values = [float(cell) for cell in (line.split(",")[0] for line in (self.folder / "new").read_text().split()[1:])
                  if cell]
        self.assertAlmostEqual(a["mean_new"], sum(values) / len(values), places=4)
        self.assertLess(max(a["share_new"]) / (1 - a["missing_new"]), 0.08)  # no spike of filled cells
        self.assertTrue(when["dates"])
        page = (self.folder / "page.html").read_text()
        self.assertRegex(page, r"missing 2\.\d % → (29|30|31)\.\d %")
        self.assertRegex(page, r">202\d(-\d\d)?</text>")
        self.assertRegex(page, r">202\d-\d\d-\d\d</td>")
        # The other way round: cells that moved, as many missing.
        self.file("moved", sample(1500, 3, 0.025, shift=0.5))
        line = next(line for line in self.succeed_quietly("drift", "old", "moved").splitlines()
                    if line.lstrip().startswith("a "))
        self.assertRegex(line, r"distance \S+  mean 10\.\d+ -> 10\.[45]\d+")

    def test_drift_of_a_column_that_one_file_has_no_cell_of(self):
        lines = [f"{i % 13},{i % 7}" for i in range(300)]
        self.file("old", "a,b\n" + "\n".join(lines) + "\n")
        self.file("new", "a,b\n" + "\n".join("," + line.split(",")[1] for line in lines) + "\n")
        output = self.succeed_quietly("drift", "old", "new", "-o", "page.html")
        self.assertRegex(output, r"missing 0\.0 % -> 100\.0 %  mean \S+ -> none")
        self.assertIsNone(json.loads(self.succeed_quietly("drift", "old", "new", "--json"))["columns"][0]["mean_new"])


if __name__ == "__main__":
    unittest.main()
