# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The learners beside ridge: their words, their probabilities, and their optimum beside LIBLINEAR's and LIBSVM's."""

import array
import csv
import gzip
import json
import math
import random
import re
import shutil
import struct
import subprocess
import unittest

from command import DATA, CommandTest

ADULT = DATA / "adult-small.csv"
CPU = DATA / "cpu-small.csv"
ROWS, FEATURES = 600, 60
BAD_INPUT, BAD_DATA = 1, 2
BINS = ("--map", "binning:order=1-2", "--features", 100, "--learner")


def head(path):
    """The weights (one row per feature) and intercepts of a saved model: a safetensors file."""
    content = path.read_bytes()
    size, = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + size])
    arrays = {}
    for name, entry in header.items():
        if name.endswith(("weights", "intercept")) and entry.get("dtype") == "F64":
            begin, end = entry["data_offsets"]
            arrays[name.split(".")[-1].split("/")[-1]] = (entry["shape"], array.array("d", content[8 + size:][begin:end]))
    shape, values = arrays["weights"]
    columns = shape[1]
    return [values[i * columns:(i + 1) * columns] for i in range(shape[0])], arrays["intercept"][1]


class Learners(CommandTest):
    def digits(self, labels="0123456789"):
        """A csv of some of the digits, its features through a map, and their labels."""
        with gzip.open(DATA / "digits.csv.gz", "rt") as text:
            rows = list(csv.reader(text))
        kept = [row for row in rows[1:] if row[-1] in labels][:ROWS]
        file = self.file("digits.csv", "\n".join(",".join(row) for row in [rows[0], *kept]) + "\n")
        return file, rows[0][-1], [row[-1] for row in kept]

    def train(self, file, target, *words):
        self.succeed_quietly("train", file, "--target", target, "--task", "classification", "--features", FEATURES,
                             "--bandwidth", 2, "--no-intercept", "-o", "m", *words)
        self.succeed_quietly("transform", "m", file, "-o", "z.csv")
        z = [[float(v) for v in line.split(",")] for line in (self.folder / "z.csv").read_text().split()]
        return z, head(self.folder / "m")

    def peer_weights(self, program, labels, z, *words):
        """One problem, label against the rest, by another program: the weights it finds."""
        lines = ["%+d " % y + " ".join(f"{j + 1}:{v:.9g}" for j, v in enumerate(row)) for y, row in zip(labels, z)]
        self.file("z.svm", "\n".join(lines) + "\n")
        subprocess.run([program, *map(str, words), "z.svm", "peer"], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        return (self.folder / "peer").read_text().split("\n")

    def liblinear(self, solver, loss, *words):
        if not shutil.which("liblinear-train"):
            self.skipTest("liblinear-train is not installed: the optimum is not compared with LIBLINEAR's")
        C = 2.0
        file, target, labels = self.digits()
        z, (weights, _) = self.train(file, target, "--C", C, "--tolerance", "1e-8", *words)
        for k in range(0, len(weights[0]), 3):
            y = [1 if label == str(k) else -1 for label in labels]
            model = self.peer_weights("liblinear-train", y, z, "-s", solver, "-c", C, "-e", "1e-8", "-q")
            sign = 1 if model[2].split()[1] == "1" else -1
            theirs = [sign * float(line) for line in model[6:] if line.strip()]
            ours = [row[k] for row in weights]

            def objective(w):
                scores = (t * math.fsum(a * b for a, b in zip(w, row)) for t, row in zip(y, z))
                return 0.5 * math.fsum(v * v for v in w) + C * math.fsum(map(loss, scores))
            self.assertLessEqual(abs(objective(ours) / objective(theirs) - 1), 1e-6, f"class {k}")

    def test_hinge_reaches_the_optimum_of_liblinear(self):
        self.liblinear("3", lambda u: max(0, 1 - u), "--learner", "svm")

    def test_squared_hinge_reaches_the_optimum_of_liblinear(self):
        self.liblinear("2", lambda u: max(0, 1 - u) ** 2, "--learner", "svm", "--loss", "squared-hinge")

    def test_two_class_logistic_reaches_the_optimum_of_liblinear(self):
        if not shutil.which("liblinear-train"):
            self.skipTest("liblinear-train is not installed: the optimum is not compared with LIBLINEAR's")
        file, target, labels = self.digits("38")
        z, (weights, _) = self.train(file, target, "--C", 2, "--tolerance", "1e-8", "--learner", "logistic")
        y = [1 if label == "8" else -1 for label in labels]
        model = self.peer_weights("liblinear-train", y, z, "-s", "0", "-c", "2", "-e", "1e-8", "-q")
        sign = 1 if model[2].split()[1] == "1" else -1

        def objective(w):
            scores = (t * math.fsum(a * b for a, b in zip(w, row)) for t, row in zip(y, z))
            return 0.5 * math.fsum(v * v for v in w) + 2 * math.fsum(math.log1p(math.exp(-u)) for u in scores)
        ours, theirs = [row[0] for row in weights], [sign * float(line) for line in model[6:] if line.strip()]
        self.assertLessEqual(abs(objective(ours) / objective(theirs) - 1), 1e-6)

    def test_hard_margin_is_that_of_libsvm(self):
        if not shutil.which("svm-train"):
            self.skipTest("svm-train is not installed: the hard margin is not compared with LIBSVM's")
        file, target, labels = self.digits("01")
        self.succeed_quietly("train", file, "--target", target, "--task", "classification", "--features", FEATURES,
                             "--bandwidth", 2, "--learner", "hard-svm", "-o", "m")
        self.succeed_quietly("transform", "m", file, "-o", "z.csv")
        z = [[float(v) for v in line.split(",")] for line in (self.folder / "z.csv").read_text().split()]
        weights, _ = head(self.folder / "m")
        y = [1 if label == "1" else -1 for label in labels]
        model = self.peer_weights("svm-train", y, z, "-t", "0", "-c", "1e6", "-e", "1e-8", "-q")
        w = [0.0] * FEATURES
        for line in model[model.index("SV") + 1:]:
            if line.strip():
                alpha, *cells = line.split()
                for cell in cells:
                    j, v = cell.split(":")
                    w[int(j) - 1] += float(alpha) * float(v)
        ours, theirs = math.fsum(row[0] ** 2 for row in weights), math.fsum(v * v for v in w)
        self.assertLessEqual(abs(ours / theirs - 1), 1e-4)

    def test_probabilities_follow_the_label_and_sum_to_one(self):
        self.succeed_quietly("train", ADULT, "--learner", "logistic", "--C", 1, "--features", 64, "--bandwidth", 5,
                             "-o", "m", "--target", "income")
        lines = self.succeed_quietly("predict", "m", ADULT, "--probabilities", "--names").split("\n")
        self.assertEqual(lines[0].count("probability"), 2)
        for line in lines[1:50]:
            label, *cells = line.rsplit(",", 2)
            self.assertAlmostEqual(sum(map(float, cells)), 1, places=6)

    def test_probabilities_of_values_are_refused(self):
        self.succeed_quietly("train", DATA / "cpu-small.csv", "--target", "usr", "--features", 32, "-o", "m")
        self.refuse(1, "predict", "m", DATA / "cpu-new.csv", "--probabilities", say="puts out values, expected classes")
        self.succeed_quietly("gmm", DATA / "cpu-small.csv", "--components", 2, "-o", "m")
        self.refuse(1, "predict", "m", DATA / "cpu-new.csv", "--probabilities",
                    say="puts out clusters, expected classes; use --scores")

    def test_probabilities_of_another_learner_are_refused(self):
        self.succeed_quietly("train", ADULT, "--learner", "svm", "--C", 1, "--features", 32, "--bandwidth", 5,
                             "-o", "m", "--target", "income")
        self.refuse(1, "predict", "m", ADULT, "--probabilities", say="logistic")

    def test_an_option_of_another_learner_is_refused(self):
        train = ("train", CPU, "--target", "usr")
        self.refuse(1, *train, "--C", 1, say="--lambda")
        self.refuse(1, *train, "--learner", "svr", "--delta", 1, say="huber")
        self.refuse(1, *train, "--learner", "huber", "--C", 1, "--lambda", 1, say="one of them")
        self.refuse(1, *train, "--learner", "svm", say="numbers")

    def test_a_C_beyond_all_digits_is_refused(self):
        for learner in ("svm", "logistic"):
            self.refuse(1, "train", DATA / "adult-small.csv", "--target", "income", "--learner", learner, "--C", "1e300",
                        "--quiet", "-o", "m", say=f"{learner}: C is 1e+300, expected 1e-30 to 1e+30")

    def test_rows_that_cannot_be_separated_name_the_remedy(self):
        self.refuse(2, "train", ADULT, "--target", "income", "--learner", "hard-svm", "--features", 16,
                    "--bandwidth", 5, "--quiet", say="soft margin")

    def test_features_that_do_not_fit_are_refused_with_the_number_that_would(self):
        self.refuse(1, "train", ADULT, "--target", "income", "--learner", "svm", "--C", 1, "--features", 8192,
                    "--bandwidth", 5, "--memory", "128M", "--quiet", say="largest number that fits")

    def test_svm_on_bins_trains_predicts_and_says_how_near_it_is(self):
        for words in ((), ("--loss", "squared-hinge"), ("--C", 5), ("--C", "0.1,1,10"), ("--lambda", 1e-3)):
            report = json.loads(self.succeed_quietly("train", ADULT, "--target", "income", *BINS, "svm", *words, "-o",
                                                     "m", "--json"))
            self.assertEqual(report["learner"], "svm")
            self.assertIn("dual coordinate descent", report["solver"])
            excess = [float(found[1]) for note in report["notes"]
                      if (found := re.search(r"at most (\S+) of it above the optimum", note))]
            self.assertEqual(len(excess), 1, report["notes"])
            self.assertLessEqual(excess[0], 0.01)
            self.assertLess(report["score"]["error"], 0.24)
            self.assertLess(self.evaluate("m", ADULT)["error"], 0.2)
            self.assertEqual(len(set(self.succeed_quietly("predict", "m", ADULT).split())), 2)
        self.refuse(1, "predict", "m", ADULT, "--probabilities", say="logistic")

    def test_svm_on_bins_of_several_classes(self):
        file, target, labels = self.digits()
        self.succeed_quietly("train", file, "--target", target, "--task", "classification", "--map", "binning",
                             "--bandwidth", 60, "--features", 100, "--learner", "svm", "-o", "m")
        self.assertLess(self.evaluate("m", file)["error"], 0.05)

    def test_words_that_do_not_go_with_svm_on_bins_are_refused(self):
        train = ("train", ADULT, "--target", "income", "--bandwidth", 1, "--learner")
        for learner, option, say in (("svm", "steps=3", "epochs="), ("svm", "sweeps=3", "epochs="),
                                     ("svm", "pursuit=3", "ridge or logistic"), ("ridge", "epochs=3", "the learner svm"),
                                     ("logistic", "epochs=3", "the learner svm"), ("svm", "epochs=x", "epochs")):
            self.refuse(1, *train, learner, "--map", f"binning:{option}", "--quiet", say=say)
        self.refuse(1, *train, "hard-svm", "--map", "binning:epochs=3", "--quiet", say="tolerance")
        self.refuse(1, *train, "svm", "--map", "binning", "--C", 0, "--quiet", say="positive")
        self.refuse(1, *train, "svm", "--map", "binning", "--tolerance", 2, "--quiet", say="between 0 and 1")
        self.refuse(1, "train", CPU, "--target", "usr", *BINS, "svm", "--quiet", say="numbers")

    def test_every_learner_trains_on_bins_and_mixtures(self):
        for learner, map, most in (("huber", "binning", 0.06), ("svr", "binning:order=1-2", 0.06),
                                   ("svr", "fourier+binning", 0.06)):
            train = ("train", CPU, "--target", "usr", "--map", map, "--learner", learner, "--C", 10, "--features", 60)
            self.succeed_quietly(*train, "-o", "m", "--json")
            found = self.evaluate("m", CPU)
            self.assertLess(found["relative_error"], most, (learner, map))
            memory = ("--memory", "160M", "--threads", 2)
            self.succeed_quietly(*train, "-o", "again", *memory)
            self.assertEqual((self.folder / "again").read_bytes(), (self.folder / "m").read_bytes(), (learner, map))
        self.refuse(1, "train", CPU, "--target", "usr", *BINS, "hard-svm", "--quiet", say="numbers")
        file, target, labels = self.digits("01")
        for map in ("binning", "fourier+binning"):
            self.succeed_quietly("train", file, "--target", target, "--task", "classification", "--map", map,
                                 "--bandwidth", 60, "--features", 100, "--learner", "hard-svm", "-o", "m")
            self.assertEqual(self.evaluate("m", file)["error"], 0)
        train = ("train", ADULT, "--target", "income", "--map", "fourier+binning:order=1-2", "--features", 60,
                 "--bandwidth", 5, "--learner")
        self.succeed_quietly(*train, "logistic", "--C", 1, "-o", "m")
        self.assertLess(self.evaluate("m", DATA / "adult-new.csv")["error"], 0.21)
        probabilities = self.succeed_quietly("predict", "m", DATA / "adult-new.csv", "--probabilities")
        self.assertGreater(len(probabilities.split()), 10)

    def test_bytes_are_equal_for_any_threads(self):
        for number, words in enumerate((("--learner", "svm"), ("--learner", "svm", "--loss", "squared-hinge"),
                                        ("--learner", "logistic"), ("--map", "binning", "--learner", "svm"),
                                        ("--map", "binning", "--learner", "hard-svm", "--tolerance", 0.1))):
            models = []
            for threads in (1, 2, 3, 7):
                self.succeed_quietly("train", ADULT, "--target", "income", *words, "--features", 48, "--bandwidth", 5,
                                     "--threads", threads, "-o", "m")
                models.append((self.folder / "m").read_bytes())
            self.assertEqual(len(set(models)), 1, words)

    def counts(self, name="counts.csv", rows=400):
        draw = random.Random(3)
        lines = []
        for _ in range(rows):
            x, product, count = draw.uniform(-1, 1), draw.random(), 0
            while product > math.exp(-3 * math.exp(x / 2)):
                product, count = product * draw.random(), count + 1
            lines.append(f"{x:.4f},{draw.gauss(0, 1):.4f},{count}\n")
        return self.file(name, "x,z,y\n" + "".join(lines))

    def test_counts_are_numbers_and_have_a_deviance(self):
        file = self.counts()
        _, _, errors = self.run_command("train", file, "-t", "y", "--map", "none")
        self.assertIn("target y: whole numbers as frequent as counts are, taken as numbers; --task classification takes "
                      "them as classes", errors)
        report = json.loads(self.succeed_quietly("train", file, "-t", "y", "--task", "classification", "--map", "none",
                                                 "--json"))
        self.assertEqual(report["task"], "classification")
        for words in (("poisson",), ("tweedie", "--power", 1.2)):
            self.succeed_quietly("train", file, "-t", "y", "--learner", *words, "--features", 40, "-o", "m")
            found = self.evaluate("m", file)
            self.assertLess(found["deviance"], found["baseline_deviance"])
            answers = [float(line) for line in self.succeed("predict", "m", file).split()]
            self.assertGreater(min(answers), 0)
        code, _, errors = self.run_command("train", file, "-t", "y", "--learner", "gamma", "--features", 20)
        self.assertEqual(code, BAD_DATA)
        self.assertRegex(errors, "counts.csv: row [0-9]+: target y: found 0, expected a number above 0 for gamma")
        self.refuse(BAD_INPUT, "train", file, "-t", "y", "--learner", "poisson", "--power", 1.2, say="--learner tweedie")
        self.file("few.csv", "x,y\n" + "".join(f"{i / 7},{i % 3}\n" for i in range(60)))  # its learner says what it is
        self.succeed_quietly("train", "few.csv", "-t", "y", "--learner", "poisson", "--features", 10)

    def test_several_quantiles_are_in_order_and_judged(self):
        self.succeed_quietly("train", CPU, "-t", "usr", "--learner", "quantile", "--quantile", "0.1,0.5,0.9",
                             "--features", 60, "-o", "m")
        head, *lines = self.succeed("predict", "m", CPU, "--names").splitlines()
        self.assertEqual(head, "quantile0.1,quantile0.5,quantile0.9")
        for line in lines:
            answers = [float(cell) for cell in line.split(",")]
            self.assertEqual(answers, sorted(answers))
        found = self.evaluate("m", CPU)
        self.assertEqual([level["level"] for level in found["quantiles"]], [0.1, 0.5, 0.9])
        for level in found["quantiles"]:
            self.assertAlmostEqual(level["below"], level["level"], delta=0.06)
        self.assertIn("quantile 0.9:", self.succeed("eval", "m", CPU))
        self.assertIn("3 of quantiles", self.succeed("inspect", "m"))
        for words, say in ((("0.9,0.5",), "expected growing ones"), (("0.1,0.9", "--calibrate"), "leave it out")):
            code, _, errors = self.run_command("train", CPU, "-t", "usr", "--learner", "quantile", "--features", 20,
                                               "--quantile", *words)
            self.assertEqual(code, BAD_INPUT)
            self.assertIn(say, errors)
        self.refuse(BAD_INPUT, "report", "m", CPU, "-o", "page.html", say="train with one quantile")

    def test_what_is_best_is_the_users_choice(self):
        file = self.file("skewed.csv", "x,y\n" + "".join(
            f"{x:.4f},{x + draw.expovariate(1):.4f}\n" for draw in [random.Random(5)] for x in
            (draw.uniform(0, 3) for _ in range(300))))
        means = {}
        for best in ("rmse", "mae", "quantile:0.9"):
            report = json.loads(self.succeed_quietly("train", file, "-t", "y", "--effort", "fast", "--optimize", best,
                                                     "-o", "m", "--json"))
            answers = [float(line) for line in self.succeed("predict", "m", file).split()]
            means[best] = sum(answers) / len(answers)
            self.assertEqual(any("by absolute error" in note for note in report["notes"]), best == "mae")
        self.assertLess(means["mae"], means["rmse"] - 0.1)
        self.assertGreater(means["quantile:0.9"], means["rmse"] + 0.5)
        code, _, errors = self.run_command("train", file, "-t", "y", "--optimize", "log-loss")
        self.assertEqual(code, BAD_INPUT)
        self.assertIn("found a score of classes, the targets are numbers; use rmse, mae or quantile:LEVEL", errors)
        few = self.file("few.csv", "x,y\n" + "".join(f"{i},{i * i % 7 + 0.5}\n" for i in range(25)))
        self.refuse(BAD_DATA, "train", few, "-t", "y", "--quiet", "--optimize", "quantile:0.9",
                    say="--learner quantile")
        noise = self.file("noise.csv", "x,y\n" + "".join(
            f"{draw.random():.4f},{draw.random():.4f}\n" for draw in [random.Random(2)] for _ in range(200)))
        report = json.loads(self.succeed_quietly("train", noise, "-t", "y", "--effort", "fast", "--optimize", "quantile:0.9",
                                                 "-o", self.folder / "quantile.model", "--json"))
        self.assertIn("no signal was found: the model answers a constant", report["notes"])
        self.assertFalse(any("the mean" in note for note in report["notes"]), report["notes"])
        self.assertNotIn("the mean", self.run_command("eval", self.folder / "quantile.model", noise)[2])
        for words, say in ((("--optimize", "mean"), "expected error, log-loss or auc"),
                           (("--optimize", "mae", "--learner", "huber"), "found with --optimize")):
            self.refuse(BAD_INPUT, "train", file, "-t", "y", *words, say=say)


if __name__ == "__main__":
    unittest.main()
