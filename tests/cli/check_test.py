# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""`bochner check`, and the Nystroem map in every command."""

import json
import math
import random
import unittest

from command import DATA, CommandTest

CPU, NEW, ADULT = DATA / "cpu-small.csv", DATA / "cpu-new.csv", DATA / "adult-small.svm"


class Check(CommandTest):
    def check(self, *words):
        return json.loads(self.succeed_quietly("check", *words, "--json"))

    def test_maps_of_each_family(self):
        common = (CPU, "--target", "usr", "--sample", 300)
        found = self.check(*common, "--features", 512)
        self.assertEqual((found["rows"], found["pairs"], found["draws"]), (300, 300 * 299 // 2, 20))
        self.assertLess(abs(found["bias"]), 5 * found["bias_deviation"])
        self.assertLess(abs(found["variance"] / found["expected_variance"] - 1), 0.4)
        self.assertGreater(found["variance_deviation"], 0)
        self.assertLess(found["worst"]["error"], found["bounds"][1]["epsilon"])

        binned = self.check(*common, "--map", "binning", "--kernel", "laplacian", "--bandwidth", 500, "--features", 50)
        self.assertEqual(binned["kernel"], "laplacian")
        self.assertIsNotNone(binned["expected_variance"])

        nystroem = self.check(*common, "--map", "nystroem", "--features", 100)
        self.assertTrue(nystroem["one_sided"])
        self.assertIsNone(nystroem["variance"])
        self.assertLess(nystroem["spectral_error"], found["spectral_error"])

    def test_mixtures(self):
        common = (CPU, "--target", "usr", "--sample", 200, "--features", 200)
        for words in (("--map", "fourier+binning"), ("--kernel", "gaussian+laplacian:weight=2"),
                      ("--map", "fourier+fourier:kernel=laplacian+binning:order=1-2,weight=3"),
                      ("--map", "fourier+binning", "--bandwidth", "auto")):
            found = self.check(*common, *words)
            self.assertLess(abs(found["bias"]), 5 * found["bias_deviation"], words)
            self.assertLess(abs(found["variance"] / found["expected_variance"] - 1), 0.5, words)
            self.assertLess(found["worst"]["error"], found["bounds"][1]["epsilon"], words)
        self.assertEqual(self.check(*common, "--kernel", "gaussian+laplacian:weight=2", "--seeds", 1)["weight"], 3)
        orthogonal = self.check(*common, "--map", "fourier:draw=orthogonal+binning")
        self.assertEqual(orthogonal["bounds"], [])

    def test_bandwidth_auto_is_the_search_of_train(self):
        words = (CPU, "--target", "usr", "--map", "binning", "--bandwidth", "auto")
        code, _, said = self.run_command("train", *words, "--verbose", "-o", "m")
        self.assertEqual(code, 0)
        found = [note for note in self.check(*words, "--sample", 100)["notes"] if note.startswith("bandwidth: one per")]
        self.assertEqual(len(found), 1)
        self.assertIn(found[0], said)

    def test_no_bound_of_a_projection_is_violated(self):
        """Rows of two ones, which verysparse and hash of one sign keep badly."""
        draw = random.Random(1)
        pairs = [sorted(draw.sample(range(1, 2001), 2)) for _ in range(101)]
        self.file("spiky.svm", "".join(f"0 {a}:1 {b}:1\n" for a, b in pairs))
        bounded = set()
        for kind in ("gaussian", "sign", "sparse", "verysparse", "fastjl", "srht", "hash", "sparse,density=0.02"):
            for dims in (60, 400, 2000):
                found = self.check("spiky.svm", "--map", f"project:kind={kind},dims={dims}", "--seeds", 1)
                one, these = found["bounds"]
                self.assertEqual((one["of"], these["of"], these["probability"]), ("one pair", "these pairs", 0.99))
                if these["epsilon"] is None:
                    continue
                bounded.add(kind)
                self.assertLess(found["worst"]["error"], these["epsilon"], (kind, dims))
                gain = these["epsilon"] ** 2 / 2 - these["epsilon"] ** 3 / 3
                if kind in ("gaussian", "sign", "sparse"):
                    self.assertAlmostEqual(2 * 5050 * math.exp(-dims * gain / 2), 0.01, places=6)
        self.assertLessEqual({"gaussian", "sign", "sparse"}, bounded)
        self.assertFalse({"verysparse", "hash", "sparse,density=0.02"} & bounded)
        text = self.succeed_quietly("check", "spiky.svm", "--map", "project:kind=hash,dims=400", "--seeds", 1)
        self.assertIn("none for these pairs: too few outputs", text)
        self.assertIn("with probability 0.99 for one pair", text)

    def test_the_norm_1_of_outputs_is_read_and_its_bias_said(self):
        draw = random.Random(3)
        rows = [[draw.gauss(0, 1) for _ in range(100)] for _ in range(40)]
        self.file("x.csv", "\n".join(",".join(map(str, row)) for row in rows) + "\n")
        words = ("x.csv", "--no-header", "--map", "project:kind=fastjl,dims=32,norm=1", "--seeds", 60)
        found = self.check(*words)
        density = float(found["map"].split("density=")[1].split(",")[0])
        self.assertIn("norm=1", found["map"])
        # An output is N(0, s^2) of s^2 = sum of B squares of about N(0, 1) over their mean number, B binomial.
        mean = sum(math.comb(128, b) * density ** b * (1 - density) ** (128 - b) * math.sqrt(2 / (128 * density)) *
                   math.exp(math.lgamma((b + 1) / 2) - math.lgamma(b / 2)) for b in range(1, 129))
        self.assertAlmostEqual(found["bias"], mean - 1, delta=0.015)
        self.assertLess(found["bias"], -0.05)
        self.assertEqual((found["bounds"], found["expected_variance"]), ([], None))
        text = self.succeed_quietly("check", *words)
        self.assertIn("|f(x) - f(y)|_1", text)
        self.assertIn("too small on average", text)
        self.succeed_quietly("project", "x.csv", "--no-header", "--kind", "fastjl", "--norm", 1, "--dims", 8, "-o", "m")
        self.assertIn("norm=1", self.check("x.csv", "--no-header", "--model", "m", "--seeds", 2)["map"])
        self.refuse(1, "project", "x.csv", "--no-header", "--kind", "sign", "--norm", 1, "--dims", 8, "-o", "o",
                    "--quiet", say="norm 1 goes with fastjl")

    def test_no_target_is_needed(self):
        self.check(CPU, "--features", 64, "--sample", 100)
        self.check(ADULT, "--features", 64, "--sample", 100, "--map", "nystroem", "--kernel", "laplacian")

    def test_text_names_every_figure(self):
        text = self.succeed_quietly("check", CPU, "--target", "usr", "--features", 64, "--sample", 100)
        for word in ("map ", "kernel ", "worst ", "bound ", "bias ", "variance ", "spectral ", "trace ", "by theory"):
            self.assertIn(word, text)

    def test_threads_do_not_change_it(self):
        words = (CPU, "--target", "usr", "--features", 64, "--sample", 150, "--seeds", 3)
        self.assertEqual(self.check(*words, "--threads", 1), self.check(*words, "--threads", 3))

    def test_a_model(self):
        for number, words in enumerate((("--map", "fourier"), ("--map", "nystroem"), ("--map", "binning"),
                                        ("--map", "fourier+binning"), ("--kernel", "gaussian+laplacian:weight=2"))):
            model = f"{number}.model"
            self.succeed_quietly("train", CPU, "--target", "usr", *words, "--features", 50, "-o", model)
            found = self.check(NEW, "--model", model, "--sample", 100)
            for part in words[1].split("+") if number != 4 else ("gaussian", "laplacian"):
                self.assertIn(part, found["map"])
        self.refuse(1, "check", NEW, "--model", "0.model", "--kernel", "laplacian", say="--kernel")

    def test_an_automatic_model(self):
        self.succeed_quietly("train", CPU, "--target", "usr", "--effort", "fast", "-o", "m")
        found = self.check(NEW, "--model", "m", "--sample", 100)
        self.assertRegex(found["kernel"], r"stable:p=2,q=[0-9.]+")
        self.assertLess(found["worst"]["error"], 1)
        self.assertTrue(any("has no kernel" in note for note in found["notes"]), found["notes"])

    def test_limits(self):
        words = ("check", CPU, "--target", "usr", "--features", 64, "--sample", 100, "--quiet", "--json")
        self.succeed(*words, "--fail-above", "2", "--fail-above", "spectral=1,rms=1")
        code, output, errors = self.run_command(*words, "--fail-above", "0.0001,rms=1")
        self.assertEqual(code, 4)
        self.assertIn("worst", json.loads(output))
        self.assertRegex(errors, r"\Abochner: [^\n]*worst error is [^\n]*\n\Z")
        self.refuse(1, *words, "--fail-above", "best=1", say="best")
        self.refuse(1, *words, "--fail-above", "x", say="x")

    def test_misuse(self):
        words = ("check", CPU, "--target", "usr")
        self.refuse(1, *words, "--sample", 1, say="--sample")
        self.refuse(1, *words, "--sample", 6000, "--seeds", 0, say="--seeds")
        self.refuse(1, *words, "--map", "none", "-q", say="kernel")
        self.refuse(1, *words, "--lambda", 0, say="--lambda")
        self.refuse(1, *words, "--delta", 1, say="--delta")
        for kind in ("binning", "fourier+binning"):
            self.refuse(1, "check", CPU, "--map", kind, "--bandwidth", "auto", "-q", say="--target")
        self.refuse(2, "check", "absent.csv", say="absent.csv")
        self.refuse(3, "check", CPU, "--model", "absent.model", say="absent.model")


class Nystroem(CommandTest):
    def test_every_command(self):
        for choice in ("uniform", "leverage", "rpcholesky"):
            self.succeed_quietly("train", CPU, "--target", "usr", "--map", f"nystroem:landmarks={choice}",
                                 "--features", 80, "-o", "m")
            self.assertGreater(self.evaluate("m", NEW)["r2"], 0.9)
            self.assertIn(f"landmarks={choice}", self.succeed("inspect", "m"))
        self.succeed_quietly("transform", "m", NEW, "-o", "z.npy")
        self.succeed_quietly("accumulate", CPU, "--target", "usr", "-o", "survey")
        self.succeed_quietly("accumulate", CPU, "--spec", "survey", "--map", "nystroem", "--features", 60, "-o", "sum")
        self.succeed_quietly("solve", "sum", "-o", "solved")
        self.assertGreater(self.evaluate("solved", NEW)["r2"], 0.9)

    def test_learners_kernels_and_sparse_rows(self):
        self.succeed_quietly("train", ADULT, "--map", "nystroem", "--kernel", "laplacian", "--learner", "logistic",
                             "--features", 50, "-o", "m")
        self.succeed_quietly("train", CPU, "--target", "usr", "--map", "nystroem", "--kernel", "matern:nu=0.9",
                             "--bandwidth", "auto", "--features", 40, "--precision", "double", "-o", "m")

    def test_same_bytes_for_any_threads(self):
        models = []
        for threads in (1, 2, 3, 7):
            self.succeed_quietly("train", CPU, "--target", "usr", "--map", "nystroem", "--features", 70,
                                 "--threads", threads, "-o", f"{threads}.model")
            models.append((self.folder / f"{threads}.model").read_bytes())
        self.assertEqual(len(set(models)), 1)

    def test_misuse(self):
        words = ("train", CPU, "--target", "usr", "-q", "--map")
        self.refuse(1, *words, "nystroem:landmarks=best", say="rpcholesky")
        self.refuse(1, *words, "nystroem:points=3", say="points")
        self.refuse(1, *words, "nystroem:tolerance=2", say="tolerance")
        self.refuse(1, *words, "nystrom", say="nystroem")


if __name__ == "__main__":
    unittest.main()
