# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The words scripts rely on: options, JSON, what goes to stdout and what to stderr."""

import json
import math
import unittest

from command import DATA, CommandTest

CPU = DATA / "cpu-small.csv"
COMMANDS = ("demo", "train", "predict", "eval", "transform", "project", "svd", "drift", "independence", "embed", "reduce", "plot", "gmm", "hmm", "sample", "text", "index", "neighbors", "graph", "dedup", "retrieve", "inspect", "dims", "check", "papers",
            "accumulate", "merge", "solve")


class Words(CommandTest):
    def train(self, *words):
        """The report of a training on the CPU rows."""
        return json.loads(self.succeed_quietly("train", CPU, "--target", "usr", *words, "--json"))

    def test_help_and_version(self):
        for words in (("--help",), ("--version",), *((command, "--help") for command in COMMANDS)):
            code, output, errors = self.run_command(*words)
            self.assertEqual((code, errors), (0, ""), words)
            self.assertIn("bochner", output)
        for command in COMMANDS:
            self.assertIn("Example", self.succeed(command, "--help"))

    def test_train_says_what_it_picked_and_what_to_try(self):
        code, output, errors = self.run_command("train", CPU, "--target", "usr", "--map", "fourier", "--verbose", "-o", "m")
        self.assertEqual(code, 0)
        self.assertRegex(output, r"\AR2 [^\n]*lambda[^\n]*\n\Z")
        for word in ("scaling", "bandwidth", "features", "lambda" if "lambda" in errors else "saved", "to try next"):
            self.assertIn(word, errors)

    def test_train_without_output_saves_nothing_and_says_so(self):
        code, _, errors = self.run_command("train", CPU, "--target", "usr", "--features", 32)
        self.assertEqual(code, 0)
        self.assertIn("nothing was saved", errors)
        self.assertEqual(self.contents(), {})

    def test_report(self):
        report = self.train("--features", 64, "--lambda", "1e-6,1e-4", "--lambda", "1e-2")
        self.assertEqual(report["features"], 64)
        self.assertEqual([point["lambda"] for point in report["path"]], [1e-6, 1e-4, 1e-2])
        self.assertIn(report["lambda"], (1e-6, 1e-4, 1e-2))
        self.assertEqual(report["rows"], 1000)
        self.assertGreater(report["seconds"]["total"], 0)

    def test_option_values_do_not_swallow_the_file(self):
        self.succeed_quietly("train", "--target", "usr", "--lambda", "1e-3", CPU, "--features", 32)

    def test_gamma_is_the_bandwidth_in_another_spelling(self):
        for kernel, sigma, gamma in (("gaussian", 2, 1 / 8), ("laplacian", 4, 1 / 4)):
            common = ("--features", 32, "--lambda", "1e-4")
            spelled = [self.train("--kernel", kernel, "--bandwidth", sigma, *common),
                       self.train("--kernel", kernel, "--gamma", gamma, *common),
                       self.train("--kernel", f"{kernel}:gamma={gamma}", *common),
                       self.train("--kernel", f"{kernel}:sigma={sigma}", *common)]
            for other in spelled[1:]:
                self.assertEqual(other["score"], spelled[0]["score"])
            wider = self.train("--kernel", kernel, "--bandwidth", 3 * sigma, *common)
            self.assertNotEqual(wider["score"], spelled[0]["score"])

    def test_every_kernel_rule_and_form_trains(self):
        for kernel in ("gaussian", "laplacian", "cauchy", "matern", "matern:nu=2.5", "rational-quadratic:alpha=2",
                       "laplacian2", "gaussian+laplacian:weight=2"):
            with self.subTest(kernel):
                report = self.train("--kernel", kernel, "--features", 128)
                self.assertLess(report["score"]["relative_error"], 0.2)
        for words in (("--bandwidth", "scale"), ("--bandwidth", "median"), ("--map", "fourier:form=cossin"),
                      ("--map", "fourier:form=shifted"), ("--map", "none"), ("--scale", "quantile"),
                      ("--map", "fourier+binning:features=20,weight=2"),
                      ("--scale", "minmax", "--scale", "lread=log"), ("--precision", "double"), ("--no-intercept",),
                      ("--select", "loo"), ("--select", "holdout"), ("--ignore", "lread,lwrite"), ("--memory", "1.5G")):
            with self.subTest(words):
                report = self.train("--features", 128, *words) if "none" not in words else self.train(*words)
                self.assertLess(report["score"]["relative_error"], 0.35)

    def test_class_weights_shift_the_predictions(self):
        def rich(*words):
            self.succeed_quietly("train", DATA / "adult-small.csv", "--target", "income", "--features", 64,
                                 "--bandwidth", 10, "--lambda", "1e-4", *words, "-o", "m")
            return self.succeed_quietly("predict", "m", DATA / "adult-new.csv").count(">50K")
        plain = rich()
        self.assertGreater(rich("--class-weight", "balanced"), plain)
        self.assertGreater(rich("--class-weight", ">50K=5"), plain)
        self.assertLess(rich("--class-weight", ">50K=0.2"), plain)

    def test_task_and_file_details(self):
        self.file("few.txt", "".join(f"{i % 7};{i % 3}\n" for i in range(60)))
        common = ("few.txt", "--format", "csv", "--delimiter", ";", "--no-header", "--target", "1")
        report = json.loads(self.succeed_quietly("train", *common, "--json"))
        self.assertEqual((report["task"], report["rows"]), ("classification", 60))
        report = json.loads(self.succeed_quietly("train", *common, "--task", "regression", "--json"))
        self.assertEqual(report["task"], "regression")

    def test_inspect(self):
        self.succeed_quietly("train", DATA / "adult-small.csv", "--target", "income", "--features", 64, "-o", "m")
        text = self.succeed_quietly("inspect", "m")
        for word in ("classification", "<=50K", "fourier", "64", "1500 rows"):
            self.assertIn(word, text)
        tree = json.loads(self.succeed_quietly("inspect", "m", "--json"))
        self.assertEqual(tree["bytes"], (self.folder / "m").stat().st_size)
        self.assertEqual(tree["report"]["features"], 64)

    def test_dims(self):
        def answers(*words):
            tree = json.loads(self.succeed_quietly("dims", *words, "--json"))
            return {(a["bound"], a["map"]): a for a in tree["answers"]}
        found = answers("--epsilon", 0.1, "--delta", 0.01, "--points", 100000000)
        pair = math.ceil(4 * math.log(2 / 0.01) / 0.01)
        self.assertIn(found["one pair", "fourier:form=shifted"]["size"], (pair, pair + 1))
        self.assertEqual(found["some draw's", "projection"]["size"], 15789)
        gain, pairs = 0.1 ** 2 / 2 - 0.1 ** 3 / 3, 1e8 * (1e8 - 1) / 2
        for words in (("--points", 9), ("--kernel", "laplacian")):
            self.refuse(1, "dims", "--shell", "--epsilon", 0.1, *words, say="--shell")
        self.assertEqual(found["distances", "project:kind=sign"]["size"], math.ceil(2 * math.log(2 * pairs / 0.01) / gain))
        back = answers("--features", pair, "--delta", 0.01)
        self.assertAlmostEqual(back["one pair", "fourier:form=shifted"]["epsilon"], 0.1, places=4)
        every = answers("--epsilon", 0.1, "--diameter", 10, "--inputs", 5, "--kernel", "laplacian")
        self.assertIn("why_not", every["all pairs", "fourier:form=cossin"])
        self.assertGreater(every["all pairs", "binning"]["size"], 0)
        self.assertIn("features", self.succeed_quietly("dims", "--epsilon", 0.1))

    def test_dims_of_shells(self):
        found = json.loads(self.succeed_quietly("dims", "--shell", "--epsilon", 0.1, "--json"))["answers"]
        self.assertEqual([answer["size"] for answer in found],
                         [math.ceil(4 * math.log(200) / (0.01 - 0.002 / 3)), math.ceil(4.5 * math.log(200) / 0.01)])
        for answer in found:
            back = json.loads(self.succeed_quietly("dims", "--shell", "--features", answer["size"], "--json"))
            self.assertAlmostEqual(back["answers"][found.index(answer)]["epsilon"], 0.1, places=3)
        flat = json.loads(self.succeed_quietly("dims", "--shell", "--features", 2, "--json"))
        self.assertAlmostEqual(math.exp(flat["log_ball_in_cube"]), math.pi / 4)

    def test_dims_counts_free_parameters(self):
        for covariance, count in {"full": 19, "diag": 13, "tied": 13, "spherical": 9}.items():
            found = json.loads(self.succeed_quietly("dims", "--components", 2, "--inputs", 3, "--covariance", covariance,
                                                    "--json"))
            self.assertEqual(found, {"emissions": count, "chain": 0, "parameters": count})
        chain = json.loads(self.succeed_quietly("dims", "--components", 10, "--states", 100, "--inputs", 1000,
                                                "--covariance", "diag", "--json"))
        self.assertEqual(chain, {"emissions": 100 * (10 * 2000 + 9), "chain": 9999, "parameters": 2010899})
        self.refuse(1, "dims", "--components", 3, "--quiet", say="--inputs")
        self.refuse(1, "dims", "--states", 3, "--epsilon", 0.1, "--quiet", say="--components")

    def test_demo_meets_the_founding_table(self):
        tree = json.loads(self.succeed_quietly("demo", "--seeds", 2, "--json"))
        of = {(t["map"], t["learner"]): t["accuracy"] for t in tree["ours"]}
        row = 1.5 / 809  # one row and a half of the test
        self.assertGreater(of["nystroem", "svm"], tree["founding"]["rbf_svm"] - row)
        self.assertGreater(of["nystroem", "ridge"], tree["founding"]["rbf_svm"] - row)
        self.assertGreater(of["none", "svm"], tree["founding"]["linear_svm"] - row)
        self.assertGreater(of["automatic", "automatic"], 0.95)
        ours = {t["features"]: t["accuracy"] for t in tree["ours"] if t["map"] == "fourier"}
        self.assertGreater(ours[270], 0.94)
        self.assertGreater(ours[1080], 0.96)
        self.assertGreater(ours[270], ours[30])


if __name__ == "__main__":
    unittest.main()
