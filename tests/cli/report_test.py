# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The page of a model: what it shows, that it stands alone, and that strangers' names stay text."""

import html.parser
import json
import random
import re
import unittest
import xml.etree.ElementTree

from command import DATA, CommandTest

EMPTY = {"meta", "br", "img", "link", "input", "hr"}


class Outline(html.parser.HTMLParser):
    """Every tag that is opened is closed, in order; collects headings and attributes."""

    def __init__(self):
        super().__init__()
        self.open, self.tags, self.attributes, self.text = [], [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


def table(rows, target, names=("a", "b", "c", "y"), seed=1):
    draw = random.Random(seed)
    lines = [",".join(names)]
    for _ in range(rows):
        x = [draw.gauss(0, 1) for _ in names[:-1]]
        lines.append(",".join([f"{v:.4f}" for v in x] + [str(target(draw, x))]))
    return "\n".join(lines) + "\n"


class Report(CommandTest):
    def page(self, model, rows, *words):
        self.succeed_quietly("report", model, rows, "-o", "report.html", *words)
        text = (self.folder / "report.html").read_bytes().decode()
        outline = Outline()
        outline.feed(text)
        outline.close()
        self.assertEqual(outline.open, [])
        self.assertNotIn("script", outline.tags)
        self.assertNotRegex(text, r"https?://|url\(|\bnan\b|\binf\b")
        self.assertFalse([name for name, _ in outline.attributes if name.startswith("on") or name in ("src", "href")])
        for svg in re.findall(r"<svg.*?</svg>", text, re.DOTALL):
            xml.etree.ElementTree.fromstring(svg)
        self.svgs = text.count("<svg")
        return text, "".join(outline.text)

    def test_of_numbers_shows_what_matters_and_how_sure_it_is(self):
        self.file("t.csv", table(600, lambda draw, x: f"{x[1] ** 2 + 0.3 * x[2] + 0.1 * draw.gauss(0, 1):.5f}"))
        self.file("new.csv", table(500, lambda draw, x: f"{x[1] ** 2 + 0.3 * x[2] + 0.1 * draw.gauss(0, 1):.5f}", seed=2))
        self.succeed_quietly("train", "t.csv", "--target", "y", "-o", "m")
        text, words = self.page("m", "new.csv")
        for section in ("What matters", "How sure it is", "How it answers", "How it was made", "90 % intervals",
                        "candidate", "rows learnt from"):
            self.assertIn(section, words)
        self.assertGreaterEqual(self.svgs, 5)
        self.assertEqual(text.count('<span class="track"'), 3)  # bars of HTML, a line for each column
        self.assertNotRegex(text, r"unexplained variance [\d.]+ % on")  # the table of candidates says it once
        found = json.loads(self.succeed_quietly("report", "m", "new.csv", "--json"))
        self.assertEqual([i["column"] for i in found["importance"][:2]], ["b", "c"])
        rises = {i["column"]: i["rise"] for i in found["importance"]}
        self.assertGreater(rises["b"], 0.5)
        self.assertLess(abs(rises["a"]), 0.05)
        curve = found["dependence"][0]
        self.assertEqual(curve["column"], "b")
        middle = curve["curves"][0]["mean"][len(curve["at"]) // 2]
        self.assertGreater(curve["curves"][0]["mean"][0], middle + 1)  # a parabola
        self.assertGreater(curve["curves"][0]["mean"][-1], middle + 1)
        report = found["report"]
        self.assertEqual(report["importance"][0]["column"], "b")
        self.assertAlmostEqual(sum(i["distance"] for i in report["importance"]), 1, places=6)
        self.assertLess(report["learning_curve"][-1]["left_over"], report["learning_curve"][0]["left_over"])
        self.assertAlmostEqual(sum(c["weight"] for c in report["candidates"]), 1, delta=0.3)

    def test_of_classes_for_every_learner_and_any_threads(self):
        for words in (("--map", "fourier"), ("--learner", "svm", "--C", "1"), ("--learner", "logistic"),
                      ("--map", "binning"), ("--map", "fourier", "--calibrate")):
            self.succeed_quietly("train", DATA / "adult-small.csv", "--target", "income", *words, "-o", "m")
            text, said = self.page("m", DATA / "adult-new.csv", "--threads", 1)
            self.assertIn("most frequent class", said)
            self.assertIn("What it mistakes for what", said)
            sure = "logistic" in words or "--calibrate" in words
            self.assertEqual("calibration error" in said, sure)
            self.assertEqual("What a threshold does" in said, sure)
            self.assertIn("How it ranks", said)
            points = json.loads(self.succeed("eval", "m", DATA / "adult-new.csv", "--json"))["ranking"]
            self.assertEqual([points[-1][key] for key in ("recall", "false_alarms")], [1, 1])
            self.assertTrue(all(a["recall"] <= b["recall"] and a["false_alarms"] <= b["false_alarms"]
                                for a, b in zip(points, points[1:])))
            self.assertEqual(text, self.page("m", DATA / "adult-new.csv", "--threads", 2)[0])
            if sure:
                self.expect_intervals_of_shares(text)

    def expect_intervals_of_shares(self, text):
        """Each dot of the calibration curve has a whisker: the interval of Wilson (1927), zeros of a quadratic."""
        told = r"found ([\d.]+) % \(95 %: ([\d.]+) % to ([\d.]+) %\), (\d+) rows"
        dots = [tuple(map(float, dot)) for dot in re.findall(told, text)]
        self.assertGreater(len(dots), 3)
        self.assertEqual(len(dots), text.count('class="whisker"'))
        for found, low, high, rows in dots:
            share = round(found / 100 * rows) / rows
            self.assertLessEqual(low, found)
            self.assertLessEqual(found, high)
            for end in (low / 100, high / 100):  # (share - end)^2 = 1.96^2 end (1 - end) / rows
                slack = 0.0006 * (2 * abs(share - end) + 1.96**2 / rows)
                self.assertAlmostEqual((share - end) ** 2, 1.96**2 * end * (1 - end) / rows, delta=slack)

    def test_hostile_names_stay_text(self):
        evil = ["<script>alert(1)</script>", "\"><img src=x onerror=alert(2)>", "a&amp;b ' \u202e \u00e9" + "long" * 60]
        names = ['"' + n.replace('"', '""') + '"' for n in evil] + ["y"]
        self.file("t.csv", table(300, lambda draw, x: "<b>yes</b>" if x[0] + x[1] > 0 else "no&no", names=names))
        self.succeed_quietly("train", "t.csv", "--target", "y", "--map", "fourier", "--calibrate", "-o", "m")
        text, said = self.page("m", "t.csv", "--title", "<script>title</script>")
        self.assertNotIn("<script", text)
        self.assertNotIn("<img", text)
        self.assertIn("<script>alert(1)", said)
        self.assertIn("<b>yes</b>", said)

    def test_bytes_that_are_no_text_become_a_mark(self):
        text = table(100, lambda draw, x: "A" if x[0] > 0 else "B").encode().replace(b"a,b,c,y", b"a\xff\xfe,b,c\x01,y")
        self.file("t.csv", text)
        code, _, errors = self.run_command("train", "t.csv", "--target", "y", "--map", "fourier", "-o", "m")
        if code == 0:  # a reader may as well refuse such names
            self.assertIn("\ufffd", self.page("m", "t.csv")[0])
        else:
            self.assertEqual(code, 2, errors)

    def test_many_classes_one_input_one_row(self):
        draw = random.Random(3)
        lines = [f"{i % 100 + 0.2 * draw.gauss(0, 1):.3f},class {i % 100}" for i in range(1500)]
        self.file("t.csv", "x,y\n" + "\n".join(lines) + "\n")
        self.file("one.csv", "x,y\n5,class 5\n")
        self.succeed_quietly("train", "t.csv", "--target", "y", "--map", "fourier", "--calibrate", "-o", "m")
        self.assertIn("answered as", self.page("m", "t.csv")[1])
        self.page("m", "one.csv")
        self.file("n.csv", "x,y\n" + "\n".join(f"{i},{i % 7 + 0.5}" for i in range(300)) + "\n")
        self.file("n1.csv", "x,y\n5,5.5\n")
        self.succeed_quietly("train", "n.csv", "--target", "y", "--map", "fourier", "--calibrate", "-o", "m")
        self.page("m", "n.csv")
        self.page("m", "n1.csv")

    def test_constant_and_far_inputs_and_several_targets(self):
        draw = random.Random(4)
        lines = ["far,same,y,z"]
        for _ in range(400):
            x = draw.gauss(0, 1)
            lines.append(f"{1e9 + x:.5f},7,{x * 1e6:.3f},{-x:.5f}")
        self.file("t.csv", "\n".join(lines) + "\n")
        self.succeed_quietly("train", "t.csv", "--target", "y,z", "--map", "fourier", "-o", "m")
        found = json.loads(self.succeed_quietly("report", "m", "t.csv", "--json"))
        self.assertEqual(found["importance"][0]["column"], "far")
        self.assertGreater(found["importance"][0]["rise"], 1)
        self.assertLess(found["measured"], 0.05)
        self.page("m", "t.csv")

    def test_sparse_rows(self):
        self.succeed_quietly("train", DATA / "adult-small.svm", "--map", "fourier", "-o", "m")
        self.page("m", DATA / "adult-small.svm")

    def test_what_cannot_be_done_is_refused(self):
        self.succeed_quietly("train", DATA / "cpu-small.csv", "--target", "usr", "--map", "none", "-o", "m")
        self.refuse(1, "report", "m", DATA / "cpu-new.csv", say="report.html")
        self.refuse(1, "report", "m", DATA / "cpu-new.csv", "--json", "-o", "x.html", say="--json")
        self.refuse(1, "report", "m", "-", "-o", "x.html", say="pipe")
        self.refuse(2, "report", "m", "absent.csv", "-o", "x.html", say="absent.csv")
        self.refuse(3, "report", DATA / "cpu-new.csv", DATA / "cpu-new.csv", "-o", "x.html")
        self.refuse(2, "report", "m", DATA / "cpu-new.csv", "-o", "no/folder/x.html")
        self.file("empty.csv", (DATA / "cpu-small.csv").read_text().splitlines()[0] + "\n")
        self.refuse(2, "report", "m", "empty.csv", "-o", "x.html")


if __name__ == "__main__":
    unittest.main()
