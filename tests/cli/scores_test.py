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
        said = "no signal was found: the model answers the mean"
        self.assertIn(said, errors)
        self.assertIn(said, self.succeed("inspect", "m"))

    def test_balanced_classes_without_signal_are_a_coin(self):
        self.file("coin.csv", noise(400, lambda draw, i: "ab"[i % 2]))
        for words in ((), ("--class-weight", "balanced")):
            score = self.report("coin.csv", "--target", "y", "--select", "loo", *words)["score"]
            self.assertGreater(score["error"], 0.35)
            self.assertLess(score["error"], 0.65)
            self.assertAlmostEqual(score["baseline_error"], 0.5)
        _, _, errors = self.run_command("train", "coin.csv", "--target", "y")
        self.assertIn("always answering the most frequent class", errors)

    def test_a_choice_among_many_makes_a_coin_no_better(self):
        """Bandwidth and lambda are chosen by leave-one-out; what is printed must not be the best of those scores."""
        for rows, seeds in ((240, 12), (500, 6)):  # the second chooses the number of features too
            errors = []
            for seed in range(seeds):
                self.file("coin.csv", noise(rows, lambda draw, i: "pq"[i % 2], seed))
                report = self.report("coin.csv", "--target", "y", "--map", "fourier")
                self.assertRegex(report["validation"], "5 nested folds, length scales and lambda chosen again in each")
                errors.append(report["score"]["error"])
            self.assertAlmostEqual(sum(errors) / len(errors), 0.5, delta=0.03)

    def test_a_choice_that_was_not_made_is_scored_by_leave_one_out(self):
        self.file("coin.csv", noise(240, lambda draw, i: "pq"[i % 2]))
        given = ("coin.csv", "--target", "y", "--map", "fourier", "--bandwidth", 1, "--lambda", "1e-3")
        self.assertEqual(self.report(*given)["validation"], "leave-one-out")

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
                         found["error"] + 3 * found["standard_error"] < found["baseline_error"]
                         or found["log_loss"] + 3 * found["log_loss_standard_error"] < found["baseline_log_loss"]
                         or found["auc"] - 3 * found["auc_by_chance"] > 0.5)
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

    def test_the_last_rows_of_the_file_are_kept(self):
        last = self.report(CPU, "--target", "usr", *FAST, "--test", "last:0.2", "-o", "last")
        heading, *rows = CPU.read_text().splitlines(keepends=True)
        first = len(rows) - round(0.2 * len(rows))
        self.file("train.csv", heading + "".join(rows[:first]))
        self.file("end.csv", heading + "".join(rows[first:]))
        self.succeed_quietly("train", "train.csv", "--target", "usr", *FAST, "-o", "alone")
        alone = json.loads(self.succeed_quietly("eval", "alone", "end.csv", "--json"))
        self.assertEqual(last["test"]["rows"], len(rows) - first)
        self.assertAlmostEqual(last["test"]["r2"], alone["r2"], places=6)

    def test_later_rows_judge_what_earlier_ones_taught(self):
        """A level that wanders: rows near in time tell each other's target, but not what comes later."""
        draw, level, rows = random.Random(8), 0, []
        for day in range(900):
            level += draw.gauss(0, 0.3)
            rows.append(f"{day},{draw.gauss(0, 1):.4f},{level + 0.2 * draw.gauss(0, 1):.4f}\n")
        draw.shuffle(rows)
        self.file("days.csv", "day,a,y\n" + "".join(rows))
        words = ("days.csv", "--target", "y", "--effort", "fast")
        told, honest = self.report(*words), self.report(*words, "--time", "day", "-o", "m")
        self.assertGreater(told["score"]["r2"], 0.9)
        self.assertLess(honest["score"]["r2"], 0.5)
        self.assertIn("later rows held out", honest["validation"])
        tested = self.report(*words, "--time", "day", "--test", 0.1)
        self.assertEqual((tested["test"]["rows"], tested["rows"]), (90, 810))
        self.assertLess(tested["test"]["r2"], 0.5)
        forward = self.report("days.csv", "--target", "y", "--map", "none", "--time", "day", "--folds", 3)
        self.assertEqual([fold["rows"] for fold in forward["folds"]], [225] * 3)
        self.assertIn("later rows held out", forward["validation"])

    def test_files_in_order_of_dates_are_judged_by_later_rows(self):
        draw, level, rows = random.Random(8), 0, []
        for day in range(600):
            level += draw.gauss(0, 0.3)
            rows.append(f"{2000 + day // 336}-{day // 28 % 12 + 1:02d}-{day % 28 + 1:02d},{draw.gauss(0, 1):.4f},"
                        f"{level + 0.2 * draw.gauss(0, 1):.4f}\n")
        self.file("days.csv", "day,a,y\n" + "".join(rows))
        words = ("--target", "y", "--effort", "fast")
        code, _, said = self.run_command("train", "days.csv", *words, "-o", "m")
        self.assertEqual(code, 0, said)
        self.assertIn("the rows are in order of 'day'", said)
        self.report("days.csv", *words, "--time", "day", "-o", "named")
        self.assertEqual((self.folder / "m").read_bytes(), (self.folder / "named").read_bytes())
        self.assertIn("later rows", self.report("days.csv", *words)["validation"])
        self.assertNotIn("later rows", self.report("days.csv", *words, "--time", "none")["validation"])
        self.assertNotIn("later rows", self.report("days.csv", *words, "--test", 0.2)["validation"])
        draw.shuffle(rows)
        self.file("drawn.csv", "day,a,y\n" + "".join(rows))
        self.assertNotIn("later rows", self.report("drawn.csv", *words)["validation"])
        self.file("far.csv", "day,a\n2001-10-21,0\n2090-10-23,0\n2091-10-22,0\n")  # days beyond all others, alike in season
        answers = [float(v) for v in self.succeed("predict", "m", "far.csv").split()]
        self.assertAlmostEqual(answers[1], answers[0], delta=1)

    def test_times_are_numbers_or_dates(self):
        self.file("days.csv", "day,a,y\n" + "".join(
            f"{2020 + i // 12}-{i % 12 + 1:02d}-01,{i * 37 % 101},{i * 53 % 97}\n" for i in range(100)))
        dates = self.report("days.csv", "--target", "y", *FAST, "--time", "day", "--test", 0.2)
        self.assertEqual(dates["test"]["rows"], 20)
        self.refuse(1, "train", "days.csv", "--target", "y", "--time", "day", "--group", "a", say="--group too")
        self.file("words.csv", "day,a,y\n" + "".join(f"{'ab'[i % 2]},{i},{i * 53 % 97}\n" for i in range(50)))
        self.refuse(2, "train", "words.csv", "--target", "y", "--time", "day", say="expected a number or a date")
        self.file("same.csv", "day,a,y\n" + "".join(f"3,{i},{i * 53 % 97}\n" for i in range(50)))
        self.refuse(2, "train", "same.csv", "--target", "y", "--time", "day", say="expected two times or more")

    def test_noise_in_groups_has_the_error_of_a_coin(self):
        errors = []
        for seed in range(4):
            draw, rows = random.Random(seed), []
            for patient in range(100):
                place, ill = [draw.gauss(0, 1) for _ in range(3)], draw.choice(["no", "yes"])
                rows += [f"p{patient}," + ",".join(f"{v + 0.05 * draw.gauss(0, 1):.4f}" for v in place) + f",{ill}\n"
                         for _ in range(4)]
            self.file("visits.csv", "patient,a,b,c,ill\n" + "".join(rows))
            report = self.report("visits.csv", "--target", "ill", "--group", "patient", "--effort", "normal")
            errors.append(report["score"]["error"] - report["score"]["baseline_error"])
        self.assertAlmostEqual(sum(errors) / len(errors), 0, delta=0.05)

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


def churn(rows, seed):
    """About one row of twenty is of the class yes, and none is likely to be: no answer beats always saying no."""
    draw = random.Random(seed)
    lines = ["a,b,c,churn"]
    for _ in range(rows):
        a, b, c = (draw.gauss(0, 1) for _ in range(3))
        p = 1 / (1 + math.exp(3.6 - 1.2 * a))
        lines.append(f"{a:.3f},{b:.3f},{c:.3f},{'yes' if draw.random() < p else 'no'}")
    return "\n".join(lines) + "\n"


class RareClasses(CommandTest):
    def setUp(self):
        super().setUp()
        self.file("churn.csv", churn(1500, 1))
        self.file("new.csv", churn(1500, 2))

    def test_a_model_that_ranks_well_is_not_condemned(self):
        for words in (("--effort", "fast"), ("--map", "fourier", "--features", 32), ("--learner", "logistic", "--map", "none"),
                      ("--learner", "svm", "--map", "none", "--loss", "squared-hinge")):
            with self.subTest(words):
                code, output, errors = self.run_command("train", "churn.csv", "-t", "churn", *words, "-o", "m")
                self.assertEqual(code, 0, errors)
                self.assertRegex(output, r"always the most frequent class \S+ %, (log-loss \S+, of a constant \S+, )?AUC 0\.[78]")
                self.assertNotIn("warning", errors)
                self.assertRegex(errors.splitlines()[-1], "few rows pass one half: use .*--class-weight")
                said = self.run_command("eval", "m", "new.csv")
                self.assertNotIn("warning", said[2])
                self.assertIn("few rows pass one half", said[2])
                self.assertIn("AUC 0.", said[1].splitlines()[0])
                self.assertTrue(self.evaluate("m", "new.csv")["better_than_baseline"])

    def test_numbers_stand_beside_those_of_a_constant(self):
        report = json.loads(self.succeed_quietly("train", "churn.csv", "-t", "churn", "--effort", "fast", "--json", "-o", "m"))
        found = self.evaluate("m", "new.csv")
        for score in (report["score"], found):
            self.assertLess(score["log_loss"] + score["log_loss_standard_error"], score["baseline_log_loss"])
            self.assertGreater(score["auc"], 0.5 + 3 * score["auc_by_chance"])
        truth = [line.rsplit(",", 1)[1] for line in (self.folder / "new.csv").read_text().splitlines()[1:]]
        share = truth.count("yes") / len(truth)
        self.assertAlmostEqual(found["baseline_log_loss"], -share * math.log(share) - (1 - share) * math.log(1 - share))
        self.succeed("report", "m", "new.csv", "-o", "page.html")
        page = (self.folder / "page.html").read_text()
        self.assertIn("log-loss of a constant", page)
        self.assertIn("few rows pass one half", page)
        self.assertNotIn('class="warning"', page)

    def test_a_threshold_trades_recall_for_precision(self):
        self.succeed_quietly("train", "churn.csv", "-t", "churn", "--effort", "fast", "-o", "m")
        found = self.evaluate("m", "new.csv")
        cut = next(cut for cut in found["thresholds"] if cut["threshold"] == 0.1)
        answers = self.succeed_quietly("predict", "m", "new.csv", "--threshold", 0.1).split()
        truth = [line.rsplit(",", 1)[1] for line in (self.folder / "new.csv").read_text().splitlines()[1:]]
        both = sum(a == t == "yes" for a, t in zip(answers, truth))
        self.assertEqual(cut["flagged"], answers.count("yes"))
        self.assertAlmostEqual(cut["recall"], both / truth.count("yes"))
        self.assertAlmostEqual(cut["precision"], both / answers.count("yes"))
        self.assertRegex(self.succeed_quietly("eval", "m", "new.csv"), r"P\(yes\) >= +recall % +precision % +rows flagged\n")
        self.refuse(1, "predict", "m", "new.csv", "--threshold", 1, say="between 0 and 1")
        self.succeed_quietly("train", "churn.csv", "-t", "churn", "--map", "fourier", "--features", 16, "-o", "plain")
        self.refuse(1, "predict", "plain", "new.csv", "--threshold", 0.1, say="has probabilities")


class HonestSplits(CommandTest):
    def patients(self):
        """100 patients, ten visits each that are nearly equal, and a label that nothing tells."""
        draw = random.Random(3)
        lines = ["patient,a,b,c,ill"]
        for patient in range(100):
            x, label = [draw.gauss(0, 1) for _ in range(3)], "ab"[patient % 2]
            lines += [f"p {patient}," + ",".join(f"{v + 0.01 * draw.gauss(0, 1):.4f}" for v in x) + f",{label}"
                      for _ in range(10)]
        self.file("visits.csv", "\n".join(lines) + "\n")

    def error(self, *words):
        return json.loads(self.succeed_quietly("train", "visits.csv", "-t", "ill", "--json", *words))

    def test_groups_are_held_out_whole(self):
        self.patients()
        flattered = self.error("--ignore", "patient", "--effort", "fast")["score"]["error"]
        self.assertLess(flattered, 0.1)
        report = self.error("--group", "patient", "--effort", "fast", "--test", 0.3, "-o", "m")
        for score in (report["score"], report["test"]):  # 11 and 30 patients, whose rows err together
            self.assertAlmostEqual(score["error"], 0.5, delta=2.5 * score["standard_error"])
            self.assertGreater(score["standard_error"], 0.08)
        self.assertEqual(report["inputs"], 3)
        self.assertEqual(report["test"]["rows"] % 10, 0)
        folds = self.error("--group", "patient", "--map", "fourier", "--features", 32, "--folds", 5)
        self.assertAlmostEqual(folds["fold_mean"], 0.5, delta=0.15)
        self.assertTrue(all(fold["rows"] % 10 == 0 for fold in folds["folds"]), folds["folds"])
        self.assertGreater(folds["score"]["error"], 0.3)
        self.assertIn("groups held out", folds["validation"])
        # The column may be absent when the model is used.
        self.assertEqual(len(self.succeed("predict", "m", "visits.csv").split()), 1000)

    def test_groups_that_are_none(self):
        self.patients()
        self.refuse(2, "train", "visits.csv", "-t", "ill", "--group", "nobody", say="nobody")
        self.file("one.csv", "g,a,y\n" + "".join(f"x,{i},{i % 5}.5\n" for i in range(300)))
        self.refuse(2, "train", "one.csv", "-t", "y", "--group", "g", say="two groups or more")
        self.file("empty.csv", "g,a,y\n" + "".join(f"{i % 7 or ''},{i},{i % 5}.5\n" for i in range(300)))
        self.refuse(2, "train", "empty.csv", "-t", "y", "--group", "g", say="is empty")
        self.refuse(2, "train", DATA / "adult-small.svm", "--group", "g", say="no named columns")

    def test_rows_that_stand_twice_are_said(self):
        draw = random.Random(5)
        rows = [f"{draw.gauss(0, 1):.4f},{draw.gauss(0, 1):.4f},{draw.choice('ab')}\n" for _ in range(250)]
        self.file("four.csv", "a,b,y\n" + "".join(draw.sample(4 * rows, 1000)))
        for words in (("--effort", "fast"), ("--effort", "fast", "--test", 0.2), ("--map", "fourier", "--folds", 3)):
            code, _, errors = self.run_command("train", "four.csv", "-t", "y", *words)
            self.assertEqual(code, 0, errors)
            self.assertRegex(errors.splitlines()[-1] + errors, r"warning: .*\d+ of \d+ held-out rows stand among the training rows too: "
                             r"the score may be too good; .*dedup.*--group")

    def test_rows_of_few_levels_are_equal_by_chance(self):
        draw = random.Random(6)
        self.file("levels.csv", "a,b,y\n" + "".join(
            f"{(a := draw.randrange(4))},{(b := draw.randrange(3))},{'xy'[(a + b + draw.randrange(4)) % 2]}\n" for _ in range(1000)))
        for words in (("--effort", "fast"), ("--map", "fourier", "--test", 0.2)):
            self.assertNotIn("held-out rows stand", self.run_command("train", "levels.csv", "-t", "y", *words)[2])


class Talk(CommandTest):
    def leak(self):
        draw = random.Random(8)
        lines = ["a,b,y cents,y"]
        for _ in range(400):
            a, b = draw.gauss(0, 1), draw.gauss(0, 1)
            y = a * b + draw.gauss(0, 1)
            lines.append(f"{a:.4f},{b:.4f},{100 * y:.3f},{y:.5f}")
        self.file("leak.csv", "\n".join(lines) + "\n")

    def test_a_column_that_gives_the_answer_is_called_so(self):
        self.leak()
        code, _, errors = self.run_command("train", "leak.csv", "-t", "y", "--effort", "fast")
        self.assertEqual(code, 0)
        self.assertRegex(errors.splitlines()[-1], "warning: `y cents` alone gives the answer: is it known when you predict?.*--ignore")
        self.assertNotIn("--effort best", errors)
        _, _, errors = self.run_command("train", "leak.csv", "-t", "y", "--effort", "fast", "--ignore", "y cents")
        self.assertNotIn("alone gives the answer", errors)

    def test_a_training_says_five_lines_and_warnings_last(self):
        self.file("wave.csv", "k,a,b,y\n" + "".join(
            f"7,{math.sin(i):.4f},{math.cos(3 * i):.4f},{math.sin(2 * math.sin(i)) + 0.1 * math.cos(17 * i):.4f}\n"
            for i in range(400)))
        code, output, errors = self.run_command("train", "wave.csv", "-t", "y", "--effort", "fast", "-o", "m")
        self.assertEqual(code, 0)
        self.assertLessEqual(len(errors.splitlines()), 5, errors)
        for words in ("400 rows", "k: constant (7), left out", "blend: ", "saved m"):
            self.assertIn(words, errors)
        whole = self.run_command("train", "wave.csv", "-t", "y", "--effort", "fast", "-o", "m", "--verbose")[2]
        self.assertGreater(len(whole.splitlines()), 12)
        self.assertIn("unexplained variance", whole)
        self.assertNotRegex(whole, r"log loss|left over|\b0, metric 0")
        self.assertIn("automatic estimator", self.succeed("inspect", "m"))


if __name__ == "__main__":
    unittest.main()
