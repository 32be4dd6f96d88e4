# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The score a user sees: baseline, standard error, weights, details, and honest splits."""

import json
import math
import random
import unittest

from command import DATA, CommandTest

CPU, NEW = DATA / "cpu-small.csv", DATA / "cpu-new.csv"
ADULT, ADULT_NEW = DATA / "adult-small.csv", DATA / "adult-new.csv"
FAST = ("--features", 32, "--bandwidth", 4, "--lambda", "1e-4")


def noise(rows, target, seed=1):
    draw = random.Random(seed)
    return "a,b,y\n" + "".join(f"{draw.gauss(0, 1):.4f},{draw.gauss(0, 1):.4f},{target(draw, i)}\n"
                               for i in range(rows))


class Scores(CommandTest):
    def report(self, *words):
        return json.loads(self.succeed_quietly("train", *words, "--json"))

    def test_regression_begins_with_r2_and_names_the_relative_error(self):
        code, output, _ = self.run_command("train", CPU, "--target", "usr", *FAST)
        self.assertEqual(code, 0)
        self.assertRegex(output, r"\AR2 0\.\d+ ± 0\.\d+, rmse \S+, mean absolute error \S+, relative error "
                                 r"\|yhat-y\|/\|y\| \S+ % on 1000 rows")

    def test_noise_about_a_large_mean_is_no_success(self):
        self.file("noise.csv", noise(300, lambda draw, i: f"{1000 + draw.gauss(0, 1):.4f}"))
        code, output, errors = self.run_command("train", "noise.csv", "--target", "y", "-o", "m")
        self.assertEqual(code, 0)
        self.assertIn("R2", output.split(",")[0])
        self.assertRegex(errors, "warning: no(t clearly)? better than always answering the mean")
        self.assertIn("warning", self.succeed("inspect", "m"))

    def test_balanced_classes_without_signal_are_a_coin(self):
        self.file("coin.csv", noise(400, lambda draw, i: "ab"[i % 2]))
        for words in ((), ("--class-weight", "balanced")):
            score = self.report("coin.csv", "--target", "y", "--select", "loo", *words)["score"]
            self.assertGreater(score["error"], 0.35)
            self.assertLess(score["error"], 0.65)
            self.assertAlmostEqual(score["baseline_error"], 0.5)
        _, _, errors = self.run_command("train", "coin.csv", "--target", "y")
        self.assertIn("always answering the most frequent class", errors)

    def test_weighted_scores_say_so(self):
        plain = self.succeed_quietly("train", ADULT, "--target", "income", *FAST, "-o", "plain")
        self.assertNotIn("weighted", plain)
        balanced = self.succeed_quietly("train", ADULT, "--target", "income", *FAST, "--class-weight", "balanced",
                                        "-o", "balanced")
        self.assertRegex(balanced, r"\Aweighted error \S+ % ± \S+, unweighted \S+ %, always the most frequent class 50")
        self.assertNotIn("weighted", self.succeed_quietly("eval", "balanced", ADULT_NEW))

    def test_eval_says_whose_weights_it_used(self):
        rows = [f"{i % 7},{i % 3},{1 + i % 4},{i % 7 * 2 + (i % 5) / 10}" for i in range(200)]
        self.file("w.csv", "a,b,w,y\n" + "\n".join(rows) + "\n")
        self.file("plain.csv", "a,b,y\n" + "\n".join(",".join(r.split(",")[:2] + r.split(",")[3:]) for r in rows) + "\n")
        self.succeed_quietly("train", "w.csv", "--target", "y", "--weights", "w", *FAST, "-o", "m")
        weighted, unweighted = ("eval", "m", "w.csv"), ("eval", "m", "w.csv", "--unweighted")
        self.assertIn("weighted by the column 'w'", self.run_command(*weighted)[2])
        self.assertTrue(json.loads(self.succeed_quietly(*weighted, "--json"))["weighted"])
        self.assertIn("left aside", self.run_command(*unweighted)[2])
        found = json.loads(self.succeed_quietly(*unweighted, "--json"))
        self.assertFalse(found["weighted"])
        self.assertIn("unweighted", self.run_command("eval", "m", "plain.csv")[2])
        self.assertEqual(self.evaluate("m", "plain.csv")["rmse"], found["rmse"])

    def test_details_of_classes(self):
        self.succeed_quietly("train", ADULT, "--target", "income", "--learner", "logistic", "--C", 1, "--features", 64,
                             "--bandwidth", 10, "-o", "m")
        found = self.evaluate("m", ADULT_NEW)
        lines = self.succeed_quietly("predict", "m", ADULT_NEW, "--probabilities").splitlines()
        answers = [line.split(",")[0] for line in lines]
        p = [float(line.split(",")[2]) for line in lines]
        truth = [line.rsplit(",", 1)[1] for line in ADULT_NEW.read_text().splitlines()[1:]]
        labels = found["labels"]
        n = len(truth)
        for i, a in enumerate(labels):
            for j, b in enumerate(labels):
                self.assertEqual(found["confusion"][i][j], sum(t == a and s == b for t, s in zip(truth, answers)))
            self.assertAlmostEqual(found["recall"][i], found["confusion"][i][i] / truth.count(a))
            self.assertAlmostEqual(found["precision"][i], found["confusion"][i][i] / answers.count(a))
        self.assertAlmostEqual(found["error"], sum(t != s for t, s in zip(truth, answers)) / n)
        self.assertAlmostEqual(found["standard_error"], math.sqrt(found["error"] * (1 - found["error"]) / n))
        self.assertAlmostEqual(found["baseline_error"], 1 - max(map(truth.count, labels)) / n)
        y = [t == labels[1] for t in truth]
        self.assertAlmostEqual(found["brier"], sum((a - b) ** 2 for a, b in zip(p, y)) / n, places=5)
        self.assertAlmostEqual(found["log_loss"], -sum(math.log(a if b else 1 - a) for a, b in zip(p, y)) / n, places=4)
        pairs = [(a > b) + (a == b) / 2 for a, i in zip(p, y) if i for b, j in zip(p, y) if not j]
        self.assertAlmostEqual(found["auc"], sum(pairs) / len(pairs), places=4)
        recall, precision = found["recall"][1], found["precision"][1]
        self.assertAlmostEqual(found["f1"], 2 * recall * precision / (recall + precision))
        self.assertEqual(found["better_than_baseline"],
                         found["error"] + found["standard_error"] < found["baseline_error"])
        text = self.succeed_quietly("eval", "m", ADULT_NEW)
        for word in ("AUC", "F1", "log-loss", "Brier", "recall", "answered as"):
            self.assertIn(word, text)

    def test_a_score_for_each_target(self):
        draw = random.Random(2)
        self.file("two.csv", "a,good,bad\n" + "".join(
            f"{(a := draw.gauss(0, 1)):.4f},{2 * a:.4f},{draw.gauss(0, 1):.4f}\n" for _ in range(200)))
        self.succeed_quietly("train", "two.csv", "--target", "good,bad", "--map", "fourier", "-o", "m")
        found = self.evaluate("m", "two.csv")
        self.assertEqual([t["target"] for t in found["per_target"]], ["good", "bad"])
        self.assertGreater(found["per_target"][0]["r2"], 0.9)
        self.assertLess(found["per_target"][1]["r2"], 0.5)
        self.assertIn("mae", found)
        self.assertRegex(self.succeed_quietly("eval", "m", "two.csv"), r"\ngood: R2 .*\nbad: R2 ")

    def test_every_learner_and_map_gives_a_whole_score(self):
        for words in (("--map", "binning", "--features", 8), ("--map", "binning:order=1-2", "--features", 20),
                      ("--solver", "cg", "--features", 64), ("--map", "fourier+binning:features=8", "--features", 32),
                      ("--learner", "svm", "--features", 32)):
            with self.subTest(words):
                score = self.report(ADULT, "--target", "income", *words)["score"]
                for key in ("error", "standard_error", "baseline_error"):
                    self.assertIn(key, score)
        for words in (("--map", "binning", "--features", 8), ("--learner", "huber", "--features", 32)):
            with self.subTest(words):
                score = self.report(CPU, "--target", "usr", *words)["score"]
                for key in ("r2", "standard_error", "rmse", "mae", "relative_error"):
                    self.assertIn(key, score)


class Splits(CommandTest):
    def report(self, *words):
        return json.loads(self.succeed_quietly("train", *words, "--json"))

    def test_test_rows_are_seen_by_nothing(self):
        report = self.report(CPU, "--target", "usr", *FAST, "--test", 0.2, "--seed", 5, "-o", "m")
        test = report["test"]["rows"]
        self.assertEqual(report["rows"] + test, 1000)
        self.assertAlmostEqual(test / 1000, 0.2, delta=0.05)
        self.assertEqual(self.report(CPU, "--target", "usr", *FAST, "--test", 0.2, "--seed", 5)["test"], report["test"])
        self.assertNotEqual(self.report(CPU, "--target", "usr", *FAST, "--test", 0.2, "--seed", 6)["test"], report["test"])
        self.assertIn("test      R2", self.succeed("inspect", "m"))

    def test_targets_of_test_rows_do_not_reach_the_model(self):
        rows = [[f"{i * 37 % 101}", f"{i * 53 % 97}", f"{(i * 37 % 101) * 0.5 + (i * 53 % 97) * 0.1:.3f}"]
                for i in range(200)]
        def train(name, changed):
            self.file("rows.csv", "a,b,y\n" + "".join(
                ",".join([a, b, "0.5" if i in changed else y]) + "\n" for i, (a, b, y) in enumerate(rows)))
            self.succeed_quietly("train", "rows.csv", "--target", "y", "--test", 0.3, "--features", 32, "-o", name)
            return json.loads(self.succeed_quietly("inspect", name, "--json"))["report"]
        whole = train("all", ())
        # A row is one of the test where changing its target leaves the training's own score as it was.
        test = []
        for i in range(0, 200, 8):
            if train("one", {i})["score"] == whole["score"]:
                test.append(i)
        self.assertGreater(len(test), 1)
        self.assertLess(len(test), 20)
        changed = train("changed", set(test))
        self.assertEqual(changed["score"], whole["score"])
        self.assertNotEqual(changed["test"], whole["test"])
        new = self.file("new.csv", "a,b\n3,4\n50,60\n")
        self.assertEqual(self.succeed_quietly("predict", "changed", new), self.succeed_quietly("predict", "all", new))

    def test_folds_train_on_all_rows_in_the_end(self):
        common = (ADULT, "--target", "income", *FAST)
        folds = self.report(*common, "--folds", 4, "-o", "m")
        plain = self.report(*common, "-o", "n")
        self.assertEqual(len(folds["folds"]), 4)
        self.assertEqual(sum(fold["rows"] for fold in folds["folds"]), 1500)
        errors = [fold["error"] for fold in folds["folds"]]
        self.assertAlmostEqual(folds["fold_mean"], sum(errors) / 4)
        self.assertEqual(folds["score"], plain["score"])
        self.assertEqual(self.succeed_quietly("predict", "m", ADULT_NEW), self.succeed_quietly("predict", "n", ADULT_NEW))
        self.assertRegex(self.succeed_quietly("train", *common, "--folds", 3), r"\nerror \S+ % ± \S+ over 3 folds")

    def test_same_model_for_any_threads_blocks_and_memory(self):
        common = (CPU, "--target", "usr", "--test", 0.25, *FAST)
        self.succeed_quietly("train", *common, "-o", "a")
        for name, words in (("b", ("--threads", 3)), ("c", ("--block-rows", 1024)), ("d", ("--memory", "64M"))):
            self.succeed_quietly("train", *common, *words, "-o", name)
            self.assertEqual((self.folder / name).read_bytes(), (self.folder / "a").read_bytes(), words)

    def test_splits_that_make_no_sense_are_refused(self):
        for words in (("--test", 0), ("--test", 1), ("--test", -0.5), ("--folds", 1), ("--folds", 0),
                      ("--folds", 3, "--test", 0.2)):
            self.refuse(1, "train", CPU, "--target", "usr", *words)
        self.file("few.csv", "a,y\n" + "".join(f"{i},{i}.5\n" for i in range(6)))
        self.refuse(2, "train", "few.csv", "--target", "y", "--test", 0.9)
        self.refuse(1, "train", CPU, "--target", "usr", "--validation", CPU, say="--test 0.2")


if __name__ == "__main__":
    unittest.main()
