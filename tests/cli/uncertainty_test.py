# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""How sure a model is: calibrated probabilities, intervals, and what they leave alone."""

import json
import random
import struct
import unittest

from command import DATA, CommandTest

WORDS = {
    "ridge": ("--map", "fourier"),
    "svm": ("--learner", "svm", "--C", "1"),
    "logistic": ("--learner", "logistic"),
    "bins": ("--map", "binning"),
    "auto": ("--effort", "fast"),
}


def arrays(path, prefix):
    """The arrays of a model file below a name."""
    content = path.read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + length])
    header.pop("__metadata__")
    return {name: content[8 + length + e["data_offsets"][0]:8 + length + e["data_offsets"][1]]
            for name, e in header.items() if name.startswith(prefix)}


def classes(rows, seed, kinds):
    """The class is drawn by chance, so that probabilities far from 0 and 1 are the truth."""
    draw = random.Random(seed)
    lines = ["a,b,y"]
    for _ in range(rows):
        a, b = draw.uniform(-2, 2), draw.uniform(-2, 2)
        lines.append(f"{a:.4f},{b:.4f},{min(kinds - 1, int(kinds * max(0, min(0.999, 0.5 + 0.3 * a + draw.gauss(0, 0.3)))))}k")
    return "\n".join(lines) + "\n"


def numbers(rows, seed):
    """Errors grow with the value."""
    draw = random.Random(seed)
    lines = ["a,b,y,z"]
    for _ in range(rows):
        a, b = draw.uniform(0, 2), draw.uniform(-2, 2)
        lines.append(f"{a:.4f},{b:.4f},{10 * a + (0.1 + a) * draw.gauss(0, 1):.5f},{1e6 * (b + draw.gauss(0, 1)):.3f}")
    return "\n".join(lines) + "\n"


class Uncertainty(CommandTest):
    def test_every_learner_has_probabilities_that_keep_their_promise(self):
        for kinds in (2, 3):
            self.file("t.csv", classes(1200, 1, kinds))
            self.file("new.csv", classes(4000, 2, kinds))
            for name, words in WORDS.items():
                if kinds == 3 and name == "svm":
                    words = ("--learner", "svm", "--C", "1", "--features", "64")
                self.succeed_quietly("train", "t.csv", "--target", "y", *words, "--calibrate", "-o", "m")
                found = self.evaluate("m", "new.csv")
                # 180 rows held out leave some chance in it; an uncalibrated svm or ridge is beyond 0.1 here
                self.assertLess(found["calibration_error"], 0.08, (name, kinds))
                self.assertGreater(found["log_loss"], 0)
                lines = self.succeed_quietly("predict", "m", "new.csv", "--probabilities").splitlines()
                for line in lines[:50]:
                    self.assertAlmostEqual(sum(map(float, line.split(",")[1:])), 1, places=5)

    def test_the_weights_of_the_model_stay_and_the_predictions_too(self):
        for name, words in WORDS.items():
            if name == "auto":
                continue
            self.succeed_quietly("train", DATA / "adult-small.csv", "--target", "income", *words, "-o", "plain")
            self.succeed_quietly("train", DATA / "adult-small.csv", "--target", "income", *words, "--calibrate", "-o", "sure")
            head = arrays(self.folder / "plain", "head")
            self.assertTrue(head)
            self.assertEqual(head, arrays(self.folder / "sure", "head"), name)
            self.assertFalse(arrays(self.folder / "plain", "calibration"))
            self.assertTrue(arrays(self.folder / "sure", "calibration"))
            self.assertEqual(self.succeed_quietly("predict", "plain", DATA / "adult-new.csv", "--scores"),
                             self.succeed_quietly("predict", "sure", DATA / "adult-new.csv", "--scores"))

    def test_the_same_bytes_for_any_threads(self):
        for threads in (1, 2):
            self.succeed_quietly("train", DATA / "cpu-small.csv", "--target", "usr", "--map", "fourier", "--calibrate", "--threads", threads,
                                 "-o", f"m{threads}")
        self.assertEqual((self.folder / "m1").read_bytes(), (self.folder / "m2").read_bytes())

    def test_intervals_hold_the_share_they_promise_of_each_target(self):
        self.file("t.csv", numbers(3000, 1))
        self.file("new.csv", numbers(4000, 2))
        for words in (("--map", "fourier", "--calibrate"), ("--effort", "fast")):
            self.succeed_quietly("train", "t.csv", "--target", "y,z", *words, "-o", "m")
            for coverage in self.evaluate("m", "new.csv")["intervals"]:
                self.assertAlmostEqual(coverage["inside"], 0.9, delta=0.035)
            lines = self.succeed_quietly("predict", "m", "new.csv", "--interval", "0.8", "--names").splitlines()
            self.assertEqual(lines[0], "y,z,lower:y,upper:y,lower:z,upper:z")
            cells = [list(map(float, line.split(","))) for line in lines[1:]]
            self.assertTrue(all(c[2] < c[0] < c[3] and c[4] < c[1] < c[5] for c in cells))
            widths = sorted((c[0], c[3] - c[2]) for c in cells)
            self.assertGreater(sum(w for _, w in widths[-500:]), 2 * sum(w for _, w in widths[:500]))
        self.succeed_quietly("predict", "m", "new.csv", "--interval", "0.8", "-o", "p.npy")
        self.assertIn(b"(4000, 6)", (self.folder / "p.npy").read_bytes()[:128])

    def test_a_deviation_for_each_row(self):
        self.file("t.csv", numbers(2000, 1))
        self.file("new.csv", numbers(4000, 2))
        self.file("far.csv", "a,b,y,z\n40,50,0,0\n")
        for words in (("--map", "fourier", "--deviation"), ("--map", "nystroem", "--deviation"), ("--effort", "fast"),
                      ("--effort", "fast", "--deviation")):
            self.succeed_quietly("train", "t.csv", "--target", "y,z", *words, "-o", "m")
            lines = self.succeed_quietly("predict", "m", "new.csv", "--deviation", "--names").splitlines()
            self.assertEqual(lines[0], "y,z,deviation:y,deviation:z")
            cells = [list(map(float, line.split(","))) for line in lines[1:]]
            plain = self.succeed_quietly("predict", "m", "new.csv").splitlines()
            self.assertEqual([line.split(",")[:2] for line in lines[1:]], [line.split(",") for line in plain])
            truth = [list(map(float, line.split(",")))[2:] for line in (self.folder / "new.csv").read_text().splitlines()[1:]]
            for k in (0, 1):
                inside = sum(abs(t[k] - c[k]) <= 1.645 * c[2 + k] for t, c in zip(truth, cells)) / len(cells)
                self.assertAlmostEqual(inside, 0.9, delta=0.04, msg=(words, k))
            if "nystroem" in words:
                far = float(self.succeed_quietly("predict", "m", "far.csv", "--deviation", "-q").split(",")[3])
                self.assertGreater(far, 1.2 * max(c[3] for c in cells), words)
        self.succeed_quietly("predict", "m", "new.csv", "--interval", "0.8", "--deviation", "-o", "p.npy")
        self.assertIn(b"(4000, 8)", (self.folder / "p.npy").read_bytes()[:128])
        self.assertIn("deviation from the residuals", self.succeed("inspect", "m"))
        self.succeed_quietly("train", "t.csv", "--target", "y,z", "--map", "nystroem", "--deviation", "--threads", 1, "-o", "m1")
        self.succeed_quietly("train", "t.csv", "--target", "y,z", "--map", "nystroem", "--deviation", "--threads", 2, "-o", "m2")
        self.assertEqual((self.folder / "m1").read_bytes(), (self.folder / "m2").read_bytes())
        self.assertIn("deviation of a Gaussian process", self.succeed("inspect", "m1"))
        report = json.loads(self.succeed("inspect", "m1", "--json"))
        self.assertEqual(len(report["report"]["log_marginal_likelihood"]), 2)

    def test_a_deviation_that_cannot_be_given_is_refused(self):
        self.file("t.csv", numbers(400, 1))
        words = ("train", "t.csv", "--target", "y", "--deviation", "-q", "-o", "m")
        self.refuse(1, *words, "--learner", "huber", say="huber")
        self.refuse(1, *words, "--map", "binning", say="bins")
        self.refuse(1, *words, "--solver", "cg", say="cholesky")
        self.refuse(1, "train", DATA / "adult-small.csv", "--target", "income", "--deviation", "-q", say="numbers")
        self.succeed_quietly("train", "t.csv", "--target", "y", "--map", "fourier", "-o", "m")
        self.refuse(1, "predict", "m", "t.csv", "--deviation", say="--deviation")
        self.succeed_quietly("train", DATA / "adult-small.csv", "--target", "income", "--map", "fourier", "-o", "c")
        self.refuse(1, "predict", "c", DATA / "adult-new.csv", "--deviation", say="--probabilities")

    def test_what_cannot_be_given_is_refused(self):
        self.file("t.csv", numbers(400, 1))
        self.succeed_quietly("train", "t.csv", "--target", "y", "--map", "fourier", "-o", "plain")
        self.succeed_quietly("train", "t.csv", "--target", "y", "--map", "fourier", "--calibrate", "-o", "m")
        self.refuse(1, "predict", "plain", "t.csv", "--interval", "0.9", say="--calibrate")
        self.refuse(1, "predict", "m", "t.csv", "--interval", "0.9999", say="rows held out")
        self.refuse(1, "predict", "m", "t.csv", "--interval", "0", say="above 0")
        self.refuse(1, "predict", "m", "t.csv", "--interval", "much", say="a number")
        self.succeed_quietly("train", DATA / "adult-small.csv", "--target", "income", "--map", "fourier", "--calibrate", "-o", "c")
        self.refuse(1, "predict", "c", DATA / "adult-new.csv", "--interval", "0.9", say="--probabilities")

    def test_few_rows_are_calibrated_by_each_others_trainings(self):
        self.file("few.csv", numbers(29, 1))
        self.succeed_quietly("train", "few.csv", "--target", "y", "--calibrate", "-o", "m")
        output = self.succeed_quietly("predict", "m", "few.csv", "--interval", "0.8").splitlines()
        widths = [float(line.split(",")[2]) - float(line.split(",")[1]) for line in output[-29:]]
        self.assertGreater(min(widths), 0)
        self.file("classes.csv", "x,y\n" + "".join(f"{k},{'a' if k % 9 < 5 else 'b'}\n" for k in range(12)))
        self.succeed_quietly("train", "classes.csv", "--target", "y", "--calibrate", "-o", "c")
        output = self.succeed_quietly("predict", "c", "classes.csv", "--probabilities").splitlines()[-12:]
        for line in output:
            self.assertTrue(any(0 < float(cell) < 1 for cell in line.split(",")[1:]), line)

    def test_validation_rows_calibrate(self):
        self.file("t.csv", numbers(500, 1))
        self.file("v.csv", numbers(300, 3))
        said = self.run_command("train", "t.csv", "--target", "y", "--calibrate", "--validation", "v.csv", "-o", "m",
                                "--verbose")
        self.assertEqual(said[0], 0)
        self.assertIn("300 rows held out", said[2])


if __name__ == "__main__":
    unittest.main()
