# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The automatic machine: what it learns, keeps, says and leaves alone."""

import json
import math
import random
import re
import time
import unittest

from command import CommandTest

AUTO = ("--target", "y", "--auto", "--effort", "fast")


def table(rows, target, seed=1, columns=6):
    draw = random.Random(seed)
    lines = [",".join([f"x{j}" for j in range(columns)] + ["constant", "kind", "w", "y"])]
    for i in range(rows):
        x = [draw.gauss(0, 1) for _ in range(columns)]
        y, weight = target(draw, i, x)
        lines.append(",".join([f"{v:.5f}" for v in x] + ["7", "ab"[i % 2], str(weight), str(y)]))
    return "\n".join(lines) + "\n"


def wave(draw, i, x):
    return f"{math.sin(2 * x[1]) + x[3] * x[4] + 0.05 * draw.gauss(0, 1):.5f}", 1


class Automatic(CommandTest):
    def report(self, *words):
        return json.loads(self.succeed_quietly("train", *words, "--json"))

    def test_learns_what_a_linear_model_cannot_and_keeps_its_bytes(self):
        self.file("wave.csv", table(700, wave))
        self.file("new.csv", table(400, wave, seed=2))
        report = self.report("wave.csv", *AUTO, "--ignore", "w", "-o", "m1", "--threads", 1)
        self.report("wave.csv", *AUTO, "--ignore", "w", "-o", "m2", "--threads", 2)
        self.assertEqual((self.folder / "m1").read_bytes(), (self.folder / "m2").read_bytes())
        found = self.evaluate("m1", "new.csv")
        self.assertGreater(found["score"]["r2"] if "score" in found else found["r2"], 0.9)
        notes = "\n".join(report["notes"])
        self.assertIn("blend: ", notes)
        self.assertRegex(notes, r"share of the distance that inputs make: x[134] ")
        self.assertEqual(self.succeed_quietly("predict", "m1", "new.csv"),
                         self.succeed_quietly("predict", "m1", "new.csv", "--threads", 1))
        self.succeed("inspect", "m1")

    def test_the_units_of_targets_and_weights_do_not_matter(self):
        def in_units(of_target, of_weight):
            return lambda draw, i, x: (repr(float(wave(draw, i, x)[0]) * of_target), of_weight)

        # Weights and powers of two change no bit. Powers of ten change the last ones of targets, which the kernels and
        # trees do not see; the rivals sum targets as they are, and answer in float in their unit.
        r2 = {}
        for name, units in {"one": (1, 1), "two": (2.0**20, 2.0**-17), "light": (1, 1e-5), "ten": (1e6, 1e-5)}.items():
            self.file(f"{name}.csv", table(400, in_units(*units)))
            r2[name] = self.report(f"{name}.csv", *AUTO, "--weights", "w", "-o", name)["score"]["r2"]
        self.assertEqual(r2["one"], r2["two"])
        self.assertEqual(r2["one"], r2["light"])
        self.assertAlmostEqual(r2["one"], r2["ten"], delta=1e-6)

    def cities(self, effect, classes=False):
        """2,400 rows of 700 cities of which some have most rows, and 2,000 new ones."""
        draw = random.Random(11)
        of_city = [draw.gauss(0, effect) for _ in range(700)]
        for name, rows in (("cities.csv", 2400), ("new.csv", 2000)):
            lines = ["a,city,y"]
            for _ in range(rows):
                a, city = draw.gauss(0, 1), int(700 * draw.random() ** 1.5)
                y = of_city[city] + math.sin(2 * a) + 0.3 * draw.gauss(0, 1)
                lines.append(f"{a:.4f},c{city},{('yes' if y > 0 else 'no') if classes else f'{y:.4f}'}")
            self.file(name, "\n".join(lines) + "\n")

    def test_many_levels_tell_by_their_means(self):
        self.cities(1)
        words = ("cities.csv", "--target", "y", "--effort", "fast")
        report = self.report(*words, "-o", "m", "--threads", 1)
        self.report(*words, "-o", "m2", "--threads", 2)
        self.assertEqual((self.folder / "m").read_bytes(), (self.folder / "m2").read_bytes())
        self.report(*words, "--max-levels", 256, "-o", "few")
        found, few = self.evaluate("m", "new.csv"), self.evaluate("few", "new.csv")
        # A city of three rows is known to about 0.5; what 256 indicators leave out is not known at all.
        self.assertLess(found["rmse"], 0.85 * few["rmse"])
        self.assertLess(found["rmse"], 0.75)
        self.assertAlmostEqual(found["rmse"], report["score"]["rmse"], delta=0.1)
        self.assertIn("city: 6", "\n".join(report["notes"]))
        self.file("unknown.csv", "a,city\n0.5,nowhere\n0.5,\n0.5,c1\n")
        answers = self.succeed("predict", "m", "unknown.csv").split()
        self.assertEqual(answers[0], answers[1])
        self.assertNotEqual(answers[0], answers[2])
        self.succeed("report", "m", "new.csv", "-o", "m.html")

    def test_many_levels_of_noise_promise_nothing(self):
        self.cities(0, classes=True)
        lines = (self.folder / "cities.csv").read_text().splitlines()
        draw = random.Random(1)
        self.file("noise.csv", lines[0] + "\n" + "".join(
            f"{line.rsplit(',', 1)[0]},{draw.choice(['no', 'yes'])}\n" for line in lines[1:]))
        score = self.report("noise.csv", "--target", "y", "--effort", "fast")["score"]
        self.assertGreater(score["log_loss"], 0.68)
        self.assertAlmostEqual(score["auc"], 0.5, delta=0.08)

    def test_thresholds_are_found_and_noise_beside_them_is_left_alone(self):
        draw = random.Random(4)
        for name, rows in (("two.csv", 600), ("new.csv", 500)):
            lines = ["a,b,c,y,z"]
            for _ in range(rows):
                x = [draw.random() for _ in range(3)]
                y = 2 * (x[0] > 0.3) + (x[1] > 0.5) * (x[2] > 0.6) + 0.05 * draw.gauss(0, 1)
                lines.append(",".join(f"{v:.5f}" for v in (*x, y, draw.gauss(0, 1))))
            self.file(name, "\n".join(lines) + "\n")
        notes = "\n".join(self.report("two.csv", "--target", "y,z", "--effort", "fast", "-o", "m")["notes"])
        self.assertRegex(notes, r"blend of y: .*boosted trees of")
        self.assertIn("blend of z: no signal was found", notes)
        found = self.succeed("eval", "m", "new.csv")
        self.assertGreater(float(re.search(r"^y: R2 (\S+)", found, re.M)[1]), 0.95)
        self.assertAlmostEqual(float(re.search(r"^z: R2 (\S+)", found, re.M)[1]), 0, delta=0.02)

    def test_classes_without_a_signal_are_said_to_be_one(self):
        lines = [f"{i % 7},{i // 7 % 5},{'b' if i // 35 < 3 else 'a'}" for i in range(350)]  # all cells alike
        self.file("noise.csv", "a,b,y\n" + "\n".join(lines) + "\n")
        notes = "\n".join(self.report("noise.csv", "--target", "y", "--effort", "fast", "-o", "m")["notes"])
        self.assertIn("the model always answers the most frequent class", notes)
        self.assertEqual(set(self.succeed_quietly("predict", "m", "noise.csv").split()), {"a"})

    def test_a_constant_has_its_own_error(self):
        """A constant errs on rows held out as often as the most frequent class, or as the other one does."""
        constants = 0
        for seed in range(8):
            draw = random.Random(seed)
            self.file("coin.csv", "a,b,y\n" + "".join(
                f"{draw.gauss(0, 1):.3f},{draw.gauss(0, 1):.3f},{'pq'[i % 2]}\n" for i in range(260)))
            report = self.report("coin.csv", "--target", "y", "--effort", "fast")
            if "no signal was found" not in "\n".join(report["notes"]):
                continue
            constants += 1
            score = report["score"]
            self.assertAlmostEqual(min(score["error"], 1 - score["error"]), score["baseline_error"])
        self.assertGreater(constants, 0)

    def test_classes_and_duplicated_rows(self):
        def ring(draw, i, x):
            radius = x[0] ** 2 + x[2] ** 2
            return ("in" if radius < 0.7 else "mid" if radius < 2.2 else "out"), 1

        text = table(450, ring)
        head, _, body = text.partition("\n")
        self.file("ring.csv", head + "\n" + body + body)
        self.file("new.csv", table(400, ring, seed=2))
        self.report("ring.csv", *AUTO, "--ignore", "w", "-o", "m")
        found = self.evaluate("m", "new.csv")
        self.assertLess(found["score"]["error"] if "score" in found else found["error"], 0.12)

    def test_rows_of_weight_zero_do_not_count(self):
        def half(draw, i, x):
            return ("50", 0) if i % 2 else wave(draw, i, x)

        self.file("half.csv", table(1400, half))
        self.file("new.csv", table(400, wave, seed=2))
        self.report("half.csv", *AUTO, "--weights", "w", "-o", "m")
        found = self.evaluate("m", "new.csv")
        self.assertGreater(found["score"]["r2"] if "score" in found else found["r2"], 0.85)

    def test_noise_ends_near_the_mean(self):
        self.file("noise.csv", table(700, lambda draw, i, x: (f"{draw.gauss(100, 1):.4f}", 1)))
        self.file("new.csv", table(700, lambda draw, i, x: (f"{draw.gauss(100, 1):.4f}", 1), seed=2))
        self.report("noise.csv", *AUTO, "--ignore", "w", "-o", "m")
        found = self.evaluate("m", "new.csv")
        self.assertGreater(found["score"]["r2"] if "score" in found else found["r2"], -0.05)

    def test_goes_on_to_the_same_bytes(self):
        self.file("wave.csv", table(300, wave))
        words = ("train", "wave.csv", *AUTO, "--ignore", "w", "-o", "m", "--resume")
        self.succeed_quietly(*words)
        expected = (self.folder / "m").read_bytes()
        stopped = 0
        for point in (2000, 12000):
            code, _, errors = self.run_command(*words, "--quiet", "--stop-after", point)
            if code == 0:
                break
            self.assertEqual(code, 130, errors)
            self.assertTrue((self.folder / "m.checkpoint").exists())
            stopped += 1
        self.assertGreater(stopped, 0)
        process = self.start(*words, "--quiet", "--checkpoint-seconds", 0)
        time.sleep(0.3)
        process.kill()
        process.communicate()
        self.succeed_quietly(*words, "--threads", 3)
        self.assertEqual((self.folder / "m").read_bytes(), expected)

    def test_folds_of_few_rows_go_on_to_the_same_bytes(self):
        self.file("wave.csv", table(220, wave))
        words = ("train", "wave.csv", "--target", "y", "--ignore", "w", "-o", "m", "--resume")
        report = json.loads(self.succeed_quietly(*words, "--json"))
        self.assertIn("220 rows held out in 5 folds", report["validation"])
        self.assertTrue(any("5 folds of 44 rows" in note for note in report["notes"]), report["notes"])
        expected = (self.folder / "m").read_bytes()
        for point in (4000, 16000):
            code, _, errors = self.run_command(*words, "--quiet", "--stop-after", point)
            self.assertEqual(code, 130, errors)
            self.assertTrue((self.folder / "m.checkpoint").exists())
        self.succeed_quietly(*words, "--threads", 3)
        self.assertEqual((self.folder / "m").read_bytes(), expected)

    def test_more_classes_than_the_metric_is_learnt_from(self):
        def cell(draw, i, x):
            x[0], x[1] = x[0] % 1, x[1] % 1
            return f"c{int(6 * x[0])}{int(6 * x[1])}", 1

        self.file("cells.csv", table(900, cell, columns=2))
        self.file("new.csv", table(500, cell, seed=2, columns=2))
        notes = "\n".join(self.report("cells.csv", *AUTO, "--ignore", "w", "-o", "m")["notes"])
        self.assertIn("kernel of scaled inputs", notes)
        found = self.evaluate("m", "new.csv")
        self.assertLess(found["score"]["error"] if "score" in found else found["error"], 0.5)

    def test_few_rows_are_trained_alike(self):
        """Every fifth is held out in turn, whatever the effort; there are intervals and probabilities."""
        self.file("few.csv", table(60, wave))
        self.file("new.csv", table(300, wave, seed=2))
        for words in ((), ("--effort", "fast")):
            report = self.report("few.csv", "--target", "y", "--ignore", "w", *words, "-o", "m")
            self.assertEqual(report["learner"], "automatic")
            self.assertEqual(report["score"]["rows"], 60)
            self.assertGreater(self.evaluate("m", "new.csv")["r2"], 0.5)
        lines = self.succeed_quietly("predict", "m", "new.csv", "--interval", "0.8").splitlines()
        low, high = zip(*[map(float, line.split(",")[-2:]) for line in lines[-300:]])
        self.assertTrue(all(a < b for a, b in zip(low, high)))
        self.file("sides.csv", table(60, lambda draw, i, x: ("left" if x[0] < 0 else "right", 1)))
        self.assertLess(self.report("sides.csv", "--target", "y", "--ignore", "w", "-o", "m")["score"]["error"], 0.3)
        shares = self.succeed_quietly("predict", "m", "sides.csv", "--probabilities").splitlines()[-60:]
        self.assertTrue(all(abs(sum(map(float, line.split(",")[-2:])) - 1) < 1e-6 for line in shares))

    def test_very_few_rows_are_trained_as_without(self):
        self.file("few.csv", table(29, wave))
        code, _, errors = self.run_command("train", "few.csv", *AUTO, "--ignore", "w", "-o", "m")
        self.assertEqual(code, 0)
        self.assertIn("29 rows are fewer than 30", errors)
        self.succeed_quietly("train", "few.csv", "--target", "y", "--map", "fourier", "--ignore", "w", "-o", "plain")
        self.assertEqual((self.folder / "m").read_bytes(), (self.folder / "plain").read_bytes())

    def test_the_plain_command_is_automatic(self):
        self.file("wave.csv", table(220, wave))
        self.file("new.csv", table(300, wave, seed=2))
        models = []
        for words in ((), ("--auto",), ("--effort", "normal")):
            self.assertEqual(self.report("wave.csv", "--target", "y", "--ignore", "w", *words, "-o", "m")["learner"],
                             "automatic")
            models.append((self.folder / "m").read_bytes())
        self.assertEqual(models[1:], models[:1] * 2)
        for words in (("--map", "fourier"), ("--learner", "ridge"), ("--scale", "none"), ("--no-intercept",),
                      ("--validation", "new.csv")):
            self.assertEqual(self.report("wave.csv", "--target", "y", *words)["learner"], "ridge", words)

    def test_a_budget_decides_how_far_it_goes(self):
        self.file("wave.csv", table(900, wave))
        self.file("new.csv", table(400, wave, seed=2))
        table_words = ("wave.csv", "--target", "y", "--ignore", "w")
        words = (*table_words, "--threads", 1)

        def forecast(report):
            return next(note for note in report["notes"] if note.startswith("forecast: "))

        plain = self.report(*words, "--effort", "fast", "-o", "m")
        self.assertRegex(forecast(plain), r"^forecast: about \d+ processor seconds?( \(\w+ [1-9]|$)")
        short = self.report(*words, "--budget", "1s", "-o", "m")
        self.assertRegex(forecast(short), r"1 thread: effort quick in the budget of 1 s$")
        self.assertGreater(len(plain["candidates"]), len(short["candidates"]))
        found = self.evaluate("m", "new.csv")
        self.assertGreater(found["score"]["r2"] if "score" in found else found["r2"], 0.8)
        expected = (self.folder / "m").read_bytes()
        resumed = ("train", *table_words, "--budget", "1s", "-o", "m", "--resume")
        code, _, errors = self.run_command(*resumed, "--threads", 1, "--quiet", "--stop-after", 2000)
        self.assertEqual(code, 130, errors)
        self.succeed_quietly(*resumed, "--threads", 3)  # the budget is shared out among those of the beginning
        self.assertEqual((self.folder / "m").read_bytes(), expected)
        said = self.run_command("train", *words, "--budget", "10ms", "-o", "m")[2]
        self.assertIn("more than the budget of 0.01 s", said)
        self.assertEqual(said.count("forecast: "), 1)

    def test_an_input_that_varies_only_where_rows_weigh_nothing(self):
        def other(draw, i, x):
            x[5] = 3 * draw.gauss(0, 1) if i % 4 == 0 else 0
            return ("9", 0) if i % 4 == 0 else wave(draw, i, x)

        self.file("some.csv", table(900, other))
        report = self.report("some.csv", *AUTO, "--weights", "w", "-o", "m")
        shares = {found["column"]: found["distance"] for found in report["importance"]}
        self.assertEqual(shares["x5"], 0)
        self.assertGreater(shares["x1"], 0.1)

    def test_words_that_contradict_each_other(self):
        self.file("few.csv", table(20, wave))
        self.refuse(1, "train", "few.csv", *AUTO[:-1], "much", say="fast")
        for words, name in ((("--learner", "svr"), "--learner: found with --auto"), (("--precision", "double"), "--auto"),
                            (("--map", "binning"), "--map: found with --auto"), (("--scale", "log"), "--scale"),
                            (("--validation", "few.csv"), "expected --test")):
            self.refuse(1, "train", "few.csv", *AUTO, *words, say=name)
        self.refuse(1, "train", "few.csv", "--target", "y", "--effort", "fast", "--C", 1, say="--C: found with --effort")
        self.refuse(1, "train", "few.csv", "--target", "y", "--budget", "9s", "--C", 1, say="--C: found with --budget")
        for time in ("0", "-3s", "soon", "5 parsecs", "s"):
            self.refuse(1, "train", "few.csv", "--target", "y", f"--budget={time}", say="--budget: found")


if __name__ == "__main__":
    unittest.main()
