# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner gmm` and `bochner hmm`: from files to components, densities, classes and states."""

import math
import random
import unittest

from command import DATA, CommandTest


def blobs(n, centers, seed=1, spread=1.0, classes=False):
    draw = random.Random(seed)
    lines = ["a,b" + (",class" if classes else "")]
    for i in range(n):
        c = i % len(centers)
        row = [f"{value + spread * draw.gauss(0, 1):.6f}" for value in centers[c]]
        lines.append(",".join(row + ([f"c{c % 2}"] if classes else [])))
    return "\n".join(lines) + "\n"


CENTERS = [(0, 0), (20, 0), (0, 20)]


class Gmm(CommandTest):
    def test_components_shares_and_log_likelihood(self):
        self.file("a.csv", blobs(300, CENTERS))
        for covariance in ("full", "diag", "spherical", "tied", "lowrank:1"):
            self.succeed("gmm", "a.csv", "--components", 3, "--covariance", covariance, "-o", "m")
            found = self.succeed_quietly("predict", "m", "a.csv").split()
            self.assertEqual(len(found), 300)
            self.assertEqual(len({found[i::3][k] for i in range(3) for k in range(100)}), 3)
            for i in range(3):
                self.assertEqual(len(set(found[i::3])), 1, covariance)
            self.succeed_quietly("transform", "m", "a.csv", "-o", "shares.csv")
            for line in (self.folder / "shares.csv").read_text().split():
                self.assertAlmostEqual(sum(map(float, line.split(","))), 1, places=4)
            score = self.evaluate("m", "a.csv")
            self.assertEqual(score["rows"], 300)
            # ln(1/3) of the component, and twice the entropy of N(0, 1)
            self.assertAlmostEqual(score["log_likelihood"], -math.log(3) - 2 * 1.4189, delta=0.15)

    def test_draws_rows_of_the_same_kind(self):
        centers = [(0, 0), (1e9, 0), (0, 20), (1e9, 20)]
        self.file("a.csv", blobs(400, centers, classes=True))
        self.succeed("gmm", "a.csv", "--target", "class", "--components", 2, "-o", "m", "--precision", "double")
        self.succeed("sample", "m", "--rows", 500, "-o", "made.csv")
        lines = (self.folder / "made.csv").read_text().split()
        self.assertEqual(lines[0], "a,b,class")
        self.assertEqual(len(lines), 501)
        self.assertEqual(self.evaluate("m", "made.csv")["error"], 0)
        corners = {(round(float(a) / 1e9), round(float(b) / 20), c) for a, b, c in (l.split(",") for l in lines[1:])}
        self.assertEqual(corners, {(0, 0, "c0"), (0, 1, "c0"), (1, 0, "c1"), (1, 1, "c1")})
        again = self.succeed_quietly("sample", "m", "--rows", 500, "-o", "-").split()
        self.assertEqual(again, lines)
        self.assertNotEqual(self.succeed_quietly("sample", "m", "--rows", 500, "--seed", 1, "-o", "-").split(), lines)

    def test_draws_levels_and_constants_and_says_what_cannot_be_drawn(self):
        self.file("a.csv", "x,kind,same\n" + "".join(f"{i % 7},{'left' if i % 2 else 'right'},3\n" for i in range(60)))
        self.succeed("gmm", "a.csv", "--components", 2, "-o", "m")
        for line in self.succeed_quietly("sample", "m", "--rows", 20, "-o", "-").split()[1:]:
            self.assertRegex(line, "^[^,]+,(left|right),3$")
        self.succeed("kmeans", "a.csv", "--clusters", 2, "-o", "k")
        self.refuse(1, "sample", "k", "--rows", 2, "-o", "-", say="sample: the model has no density to draw from")
        self.refuse(1, "sample", "m", "--rows", 0, "-o", "-", say="--rows: found 0")
        self.succeed("gmm", "a.csv", "--components", 2, "--map", "fourier", "--features", 8, "-o", "f")
        self.refuse(1, "sample", "f", "--rows", 2, "-o", "-", say="sample: fourier has no way back")

    def test_draws_dates_that_can_be_read_again(self):
        self.file("a.csv", "day,x\n" + "".join(f"2024-{i % 12 + 1:02}-{i % 28 + 1:02},{i % 7}\n" for i in range(90)))
        self.succeed("gmm", "a.csv", "--components", 2, "-o", "m")
        self.succeed("sample", "m", "--rows", 40, "-o", "made.csv")
        for line in (self.folder / "made.csv").read_text().split()[1:]:
            self.assertRegex(line, r"^202[345]-\d\d-\d\d(T\d\d:\d\d:\d\d\.\d\d\d)?,[^,]+$")
        found, expected = (self.evaluate("m", file)["log_likelihood"] for file in ("made.csv", "a.csv"))
        self.assertAlmostEqual(found, expected, delta=1)

    def test_the_unit_of_one_input_does_not_matter(self):
        draw = random.Random(3)
        rows = [(draw.gauss(i % 2, 1), draw.gauss(0, 2)) for i in range(200)]
        found = []
        for unit in (1, 1e-30, 1e30):
            self.file("a.csv", "a,b\n" + "".join(f"{a * unit!r},{b!r}\n" for a, b in rows))
            self.succeed("gmm", "a.csv", "--components", 2, "-o", "m")
            found.append(self.evaluate("m", "a.csv")["log_likelihood"] + math.log(unit))
        for likelihood in found[1:]:
            self.assertAlmostEqual(likelihood, found[0], places=4)

    def test_chooses_the_number_of_components(self):
        self.file("a.csv", blobs(600, CENTERS))
        _, _, errors = self.run_command("gmm", "a.csv", "--components", "auto", "-o", "m")
        self.assertIn("components: 3 has the least BIC", errors)
        self.assertIn("it never fell", errors)

    def test_classifies_by_one_mixture_a_class(self):
        centers = [(0, 0), (20, 0), (0, 20), (20, 20)]  # class c0 at two corners, c1 at the others
        self.file("a.csv", blobs(400, centers, classes=True))
        self.file("b.csv", blobs(200, centers, seed=2, classes=True))
        self.succeed("gmm", "a.csv", "--target", "class", "--components", 2, "-o", "m")
        score = self.evaluate("m", "b.csv")
        self.assertEqual(score["error"], 0)
        self.assertIn("log_likelihood", score)
        self.assertIn("log_loss", score)
        self.assertEqual(set(self.succeed_quietly("predict", "m", "b.csv").split()), {"c0", "c1"})
        self.succeed_quietly("predict", "m", "b.csv", "--probabilities")

    def test_projected_and_mapped_back(self):
        draw = random.Random(3)
        lines = [",".join(f"x{j}" for j in range(40))]
        for i in range(400):
            lines.append(",".join(f"{(8 if (i % 2 and j < 20) else 0) + draw.gauss(0, 1):.5f}" for j in range(40)))
        self.file("a.csv", "\n".join(lines) + "\n")
        code, _, errors = self.run_command("gmm", "a.csv", "--components", 2, "--project", "auto", "-o", "m")
        self.assertEqual(code, 0, errors)
        self.assertIn("in 7 dimensions: c-separation", errors)  # 10 ln 2
        found = self.succeed_quietly("predict", "m", "a.csv").split()
        self.assertEqual((len(set(found[0::2])), len(set(found[1::2]))), (1, 1))

    def test_the_same_bytes_for_any_threads_and_blocks(self):
        for words in (["--components", 3], ["--components", 2, "--project", 2, "--covariance", "diag"]):
            models = []
            for threads in (1, 2, 3):
                self.succeed("gmm", DATA / "cpu-small.csv", "--ignore", "usr", *words, "--seed", 5, "--threads", threads,
                             "-o", "m")
                models.append((self.folder / "m").read_bytes())
            self.assertEqual(len(set(models)), 1, words)

    def test_goes_on_where_it_was_stopped(self):
        many = "".join((DATA / "cpu-small.csv").read_text().split("\n", 1)[1] for _ in range(3))
        self.file("a.csv", (DATA / "cpu-small.csv").read_text() + many)
        for words in (["--components", 3],
                      ["--components", 2, "--project", 3, "--projections", 2, "--rounds-after", 3, "--covariance", "diag"],
                      ["--target", "usr", "--task", "classification", "--components", 1, "--covariance", "tied"]):
            words = ["a.csv", *words, "--tolerance", 1e-7, "--rounds", 12, "--seed", 3, "--restarts", 1, "--floor", 1e-3]
            words = words if "--target" in words else ["a.csv", "--ignore", "usr", *words[1:]]
            self.succeed("gmm", *words, "-o", "expected")
            saved = 0  # stops in the rounds, behind the starts on a sample
            for point in range(500, 1600, 30):
                code, _, errors = self.run_command("gmm", *words, "--quiet", "--checkpoint-seconds", 0, "--stop-after",
                                                   point, "-o", "m", "--resume", "--threads", 1, "--block-rows", 1024)
                self.assertIn(code, (0, 130), errors)
                if code == 0:
                    break
                self.assertRegex(errors, r"\Abochner: stopped[^\n]*\n\Z")
                saved += (self.folder / "m.checkpoint").stat().st_size > 1000
                if saved == 1:
                    self.refuse(2, "gmm", *words[:-1], 0.1, "-o", "m", "--resume", "--quiet", say="--floor")
            self.assertGreater(saved, 0, words)
            self.succeed("gmm", *words, "-o", "m", "--resume", "--threads", 3)
            self.assertEqual((self.folder / "m").read_bytes(), (self.folder / "expected").read_bytes(), words)
            self.assertFalse((self.folder / "m.checkpoint").exists())

    def test_bad_data_is_no_trouble(self):
        self.file("few.csv", "a,b\n1,2\n3,4\n")
        self.file("same.csv", "a,b\n" + "1,2\n" * 50)
        self.file("far.csv", blobs(100, [(1e9, 1e9), (1e9 + 30, 1e9)]))
        self.file("large.csv", blobs(100, [(0, 0), (3e7, 0)], spread=1e6))
        for name in ("few", "same", "far", "large"):
            for covariance in ("full", "diag", "spherical", "tied", "lowrank:1"):
                self.succeed("gmm", f"{name}.csv", "--components", 5, "--covariance", covariance, "-o", "m")
                self.assertTrue(math.isfinite(self.evaluate("m", f"{name}.csv")["log_likelihood"]), name)
        self.succeed("gmm", "far.csv", "--components", 2, "-o", "m")
        found = self.succeed_quietly("predict", "m", "far.csv").split()
        self.assertEqual((len(set(found[0::2])), len(set(found[1::2]))), (1, 1))

    def test_refuses(self):
        self.file("a.csv", blobs(50, CENTERS))
        self.refuse(1, "gmm", "a.csv", "--components", "0", "-o", "m", say="expected 1 or more, or auto")
        self.refuse(1, "gmm", "a.csv", "--components", "2", "--covariance", "round", "-o", "m", say="lowrank:R")
        self.refuse(1, "gmm", "a.csv", "--components", "2", "--covariance", "lowrank:9", "-o", "m", "--quiet", say="at most 2")
        self.refuse(1, "gmm", "a.csv", "--components", "2", "--floor", "2", "-o", "m", "--quiet", say="floor")
        self.refuse(1, "gmm", DATA / "cpu-small.csv", "--target", "usr", "--components", "2", "-o", "m", "--quiet",
                    say="classes")


def sequences(count, seed=1, classes=True):
    """Chains that rise or fall: rows alone do not tell their class."""
    draw = random.Random(seed)
    lines = ["id,value" + (",class" if classes else "")]
    for i in range(count):
        length = draw.randint(6, 20)
        for t in range(length):
            high = (t * 2 // length) ^ (i % 2)
            value = 5 * high + draw.gauss(0, 1)
            lines.append(f"s{i},{value:.5f}" + (f",{'fall' if i % 2 else 'rise'}" if classes else ""))
    return "\n".join(lines) + "\n"


class Hmm(CommandTest):
    def test_classifies_sequences_by_their_order(self):
        self.file("a.csv", sequences(60))
        self.file("b.csv", sequences(40, seed=2))
        for words in (["--states", 2], ["--states", 2, "--topology", "left-to-right"], ["--states", "auto"],
                      ["--states", 2, "--components", 2, "--covariance", "full"],
                      ["--states", 2, "--covariance", "auto", "--shrink", "auto"],
                      ["--states", 2, "--covariance", "full", "--shrink", 20], ["--states", 2, "--slopes", 1],
                      ["--states", 2, "--slopes", "auto"]):
            self.succeed("hmm", "a.csv", "--sequence", "id", "--target", "class", *words, "-o", "m")
            found = self.succeed_quietly("predict", "m", "b.csv").split()
            self.assertEqual(found, ["rise", "fall"] * 20, words)
            score = self.evaluate("m", "b.csv")
            self.assertEqual((score["error"], score["sequences"]), (0, 40))
            self.assertEqual(score["rows"], len((self.folder / "b.csv").read_text().split()) - 1)
            text = self.succeed_quietly("eval", "m", "b.csv")
            self.assertIn("on 40 sequences", text)
            self.assertIn(f"on {score['rows']} rows of 40 sequences", text)
            self.assertIn("sequences of the true class", text)
            self.assertTrue(-4 < score["log_likelihood"] < 0)

    def test_states_of_rows(self):
        self.file("a.csv", sequences(60, classes=False))
        self.succeed("hmm", "a.csv", "--sequence", "id", "--states", 2, "-o", "m")
        rows = (self.folder / "a.csv").read_text().split()[1:]
        states = self.succeed_quietly("predict", "m", "a.csv").split()
        self.assertEqual(len(states), len(rows))
        high = {states[i] for i, row in enumerate(rows) if float(row.split(",")[1]) > 4.5}
        self.assertEqual(len(high), 1)
        self.assertIn("log_likelihood", self.evaluate("m", "a.csv"))

    def test_slopes_need_sequences(self):
        self.file("a.csv", sequences(60, classes=False))
        self.succeed("hmm", "a.csv", "--sequence", "id", "--states", 2, "--slopes", 2, "-o", "m")
        rows = (self.folder / "a.csv").read_text().split()[1:]
        self.assertEqual(len(self.succeed_quietly("predict", "m", "a.csv").split()), len(rows))
        self.assertIn("log_likelihood", self.evaluate("m", "a.csv"))
        self.refuse(1, "transform", "m", "a.csv", "-o", "t.csv", say="slopes along sequences")
        words = ["--sequence", "id", "--states", 2, "-o", "m", "--quiet"]
        self.refuse(1, "hmm", "a.csv", *words, "--slopes", "auto", say="without classes")
        self.refuse(1, "hmm", "a.csv", *words, "--slopes", "steep", say="--slopes")

    def test_goes_on_where_it_was_stopped(self):
        self.file("a.csv", sequences(60))
        for words in (["--states", 3, "--tolerance", 1e-9, "--rounds", 20],
                      ["--states", "auto", "--covariance", "diag", "--shrink", "auto"],
                      ["--states", 2, "--slopes", "auto"],
                      ["--states", 3, "--project", 1, "--tolerance", 1e-9]):
            self.expect_resumed(range(40, 4000, 160), "hmm", "a.csv", "--sequence", "id", "--target", "class", *words)

    def test_the_same_bytes_for_any_threads(self):
        self.file("a.csv", sequences(60))
        models = set()
        for threads in (1, 2, 3):
            self.succeed("hmm", "a.csv", "--sequence", "id", "--target", "class", "--states", 2, "--threads", threads,
                         "-o", "m")
            models.add((self.folder / "m").read_bytes())
        self.assertEqual(len(models), 1)

    def test_refuses(self):
        self.file("a.csv", sequences(10))
        self.file("mixed.csv", "id,value,class\ns0,1,x\ns0,2,y\ns1,3,x\ns1,3,x\n")
        self.file("again.csv", "id,value,class\ns0,1,x\ns1,2,y\ns0,3,x\n")
        words = ["--sequence", "id", "--target", "class", "--states", 2, "-o", "m", "--quiet"]
        self.refuse(2, "hmm", "mixed.csv", *words, say="one class for each sequence")
        self.refuse(2, "hmm", "again.csv", *words, say="begins again")
        self.refuse(1, "hmm", "a.csv", *words, "--covariance", "tied", say="tied")
        self.refuse(1, "hmm", "a.csv", *words, "--shrink", -1, say="shrink")
        many = [*words[:5], 1000, *words[6:]]
        self.refuse(1, "hmm", "a.csv", *many, say="the number of rows")
        self.refuse(1, "hmm", "a.csv", *words, "--covariance", "lowrank:1", "--shrink", 5, say="lowrank")
        self.file("weights.csv", "id,value,class,w\ns0,1,x,1\ns0,2,x,2\ns1,3,y,1\ns1,3,y,1\n")
        self.refuse(2, "hmm", "weights.csv", *words, "--weights", "w", say="one weight for each sequence")

    def test_a_weight_is_so_many_sequences(self):
        lines = sequences(40, classes=False).split()
        count = {f"s{i}": 1 + i % 3 for i in range(40)}
        weighted = [lines[0] + ",w"] + [f"{line},{count[line.split(',')[0]]}" for line in lines[1:]]
        repeated = [lines[0]]
        for copy in range(3):
            repeated += [f"c{copy}{line}" for line in lines[1:] if count[line.split(",")[0]] > copy]
        self.file("w.csv", "\n".join(weighted) + "\n")
        self.file("r.csv", "\n".join(repeated) + "\n")
        found = []
        for name, words in (("w", ["--weights", "w"]), ("r", [])):
            self.succeed("hmm", f"{name}.csv", "--sequence", "id", "--states", 2, "--tolerance", 1e-9, "--rounds", 500,
                         "--floor", 1e-3, "-o", name, *words)
            found.append(self.evaluate(name, "r.csv")["log_likelihood"])
        self.assertAlmostEqual(found[0], found[1], places=4)


if __name__ == "__main__":
    unittest.main()
