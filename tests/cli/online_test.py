# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Models that keep their sums: update, forget and train by the choices of another, all with the same bytes."""

import json
import os
import random
import signal
import struct
import subprocess
import unittest

from archive import Archive
from command import DATA, CommandTest

FEW = ("--features", 24, "--bandwidth", 2, "--lambda", 1e-3)


class Online(CommandTest):
    def setUp(self):
        super().setUp()
        self.heading, *self.rows = (DATA / "adult-small.csv").read_text().splitlines()
        self.rows = self.rows[:900]
        self.table("all.csv", self.rows)

    def table(self, name, rows):
        self.file(name, "\n".join([self.heading, *rows]) + "\n")

    def train(self, *words, file="all.csv"):
        return self.succeed_quietly("train", file, "--target", "income", "--keep-sum", *words)

    def assert_same(self, one, other):
        self.assertEqual((self.folder / one).read_bytes(), (self.folder / other).read_bytes())

    def test_forgetting_and_learning_on_give_the_bytes_of_a_training(self):
        shuffle = random.Random(3)
        for number, words in enumerate((
                FEW, ("--features", 24), ("--map", "none"), ("--map", "none", "--precision", "double"),
                ("--map", "nystroem", "--features", 30), ("--map", "project:dims=12|fourier", "--features", 20),
                (*FEW, "--precision", "double"), (*FEW, "--class-weight", "balanced"), (*FEW, "--no-intercept"))):
            with self.subTest(words=words):
                rows = self.rows[:]
                shuffle.shuffle(rows)
                for name, part in ("gone.csv", rows[:90]), ("rest.csv", rows[90:]):
                    self.table(name, part)
                self.train(*words, "-o", f"m{number}")
                self.succeed_quietly("forget", f"m{number}", "gone.csv", "-o", "forgot", "--threads", 2)
                self.succeed_quietly("train", "rest.csv", "--choices-of", f"m{number}", "--keep-sum", "-o", "trained",
                                     "--threads", 1)
                self.assert_same("forgot", "trained")
                self.succeed_quietly("update", "trained", "gone.csv", "-o", "updated")
                self.succeed_quietly("train", "all.csv", "--choices-of", "trained", "--keep-sum", "-o", "again")
                self.assert_same("updated", "again")
                self.assertEqual(self.succeed("predict", "forgot", "gone.csv"), self.succeed("predict", "trained", "gone.csv"))

    def test_numbers_and_weights_and_missing_cells(self):
        self.heading = "a,kind,w,y"
        draw = random.Random(5)
        rows = [f"{draw.gauss(0, 1) + 1e6 if draw.random() < 0.9 else ''},{draw.choice('pqr')},{draw.randint(1, 3)},"
                f"{draw.gauss(0, 1) + 1e7:.17g}" for _ in range(300)]
        for name, part in ("all.csv", rows), ("gone.csv", rows[40:60]), ("rest.csv", rows[60:] + rows[:40]):
            self.table(name, part)
        self.succeed_quietly("train", "all.csv", "-t", "y", "--weights", "w", "--keep-sum", *FEW[:4], "-o", "m")
        self.succeed_quietly("forget", "m", "gone.csv", "-o", "forgot")
        self.succeed_quietly("train", "rest.csv", "--choices-of", "m", "--keep-sum", "-o", "trained")
        self.assert_same("forgot", "trained")
        self.table("new.csv", ["1000000.5,s,1,10000000", ",p,1,10000000.25"])
        code, _, errors = self.run_command("update", "m", "new.csv", "-o", "updated")
        self.assertEqual(code, 0, errors)
        self.assertIn("kind=s", errors)
        self.assertIn("1 of", errors)
        for row, say in (("1000000.5,p,1,", "y"), ("1000000.5,p,9,10000000", "weight"), ("1000000.5,p,1,1e12", "target"),
                         ("x,p,1,1e7", "")):
            self.table("bad.csv", [row])
            self.refuse(2, "update", "m", "bad.csv", "-o", "updated2", "--quiet", say=say)

    def test_a_receipt_says_what_was_done(self):
        self.train(*FEW[:4], "-o", "m")
        self.table("gone.csv", self.rows[5:25])
        code, output, errors = self.run_command("forget", "m", "gone.csv", "-o", "f", "--receipt", "r.json")
        self.assertEqual(code, 0, errors)
        self.assertIn("forgot 20 rows: 900 before, 880 now", output)
        self.assertIn("forgotten rows may have influenced: ", errors)
        self.assertIn("counts alone", errors)
        receipt = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(receipt["rows"], {"before": 900, "changed": 20, "after": 880})
        self.assertFalse(receipt["rows_checked"])
        chosen = {choice["choice"]: choice["from"] for choice in receipt["frozen"]}
        self.assertEqual((chosen["lambda"], chosen["bandwidth"], chosen["scaling"]), ("rows", "options", "rows"))
        before, after = (json.loads(self.succeed("inspect", name, "--json"))["kept_sum"] for name in ("m", "f"))
        self.assertEqual((before["sha256"], after["sha256"]), (receipt["sha256"]["before"], receipt["sha256"]["after"]))
        self.assertEqual(before["choices_sha256"], after["choices_sha256"])
        self.succeed_quietly("train", "gone.csv", "--choices-of", "m", "--keep-sum", "-o", "g")
        rows = json.loads(self.succeed("inspect", "g", "--json"))["kept_sum"]["sha256"]
        self.assertEqual(rows, receipt["sha256"]["rows"])
        self.assertIn("frozen    lambda, from rows", self.succeed("inspect", "m"))

    def test_identifiers_refuse_rows_that_were_never_there(self):
        self.heading += ",name"
        self.rows = [f"{row},person {i}" for i, row in enumerate(self.rows)]
        self.table("all.csv", self.rows)
        self.train(*FEW, "--ids", "name", "-o", "m")
        self.assertIn("by the column name", self.succeed("inspect", "m"))
        inputs = json.loads(self.succeed("inspect", "m", "--json"))["schema"]["columns"]
        self.assertEqual([column["kind"] for column in inputs if column["name"] == "name"], ["ignored"])
        self.table("other.csv", [self.rows[3], self.rows[4].replace("person 4", "person 5")])
        self.refuse(2, "forget", "m", "other.csv", "-o", "f", "--quiet", say="other.csv: forget: row 1 is not among")
        self.table("twice.csv", [self.rows[3], self.rows[3]])
        self.refuse(2, "forget", "m", "twice.csv", "-o", "f", "--quiet", say="row 1 is not among")
        self.table("gone.csv", self.rows[3:5])
        self.table("rest.csv", self.rows[5:] + self.rows[:3])
        self.succeed_quietly("forget", "m", "gone.csv", "-o", "f", "--receipt", "r")
        self.assertTrue(json.loads((self.folder / "r").read_text())["rows_checked"])
        self.succeed_quietly("train", "rest.csv", "--choices-of", "m", "--keep-sum", "-o", "trained")
        self.assert_same("f", "trained")
        self.refuse(2, "forget", "f", "gone.csv", "-o", "g", "--quiet", say="row 0 is not among")
        self.table("nameless.csv", [self.rows[7].replace("person 7", "")])
        self.refuse(2, "forget", "f", "nameless.csv", "-o", "g", "--quiet", say="identifier is empty")

    def test_names_need_not_be_unicode(self):
        heading, *lines = (DATA / "cpu-small.csv").read_text().splitlines()[:200]
        table = lambda rows: b"n\xe4me," + heading.encode() + b"\n" + "".join(f"r{i},{row}\n" for i, row in rows).encode()
        rows = list(enumerate(lines))
        for name, part in ("all.csv", rows), ("gone.csv", rows[:9]), ("rest.csv", rows[9:]), (b"p\xff.csv", rows[50:]):
            (self.folder / os.fsdecode(name)).write_bytes(table(part))
        name = os.fsdecode(b"n\xe4me")
        words = ("-t", "usr", "--keep-sum", "--ids", name, "--features", 8)
        self.succeed_quietly("train", "all.csv", *words, "-o", "m")
        self.succeed_quietly("forget", "m", "gone.csv", "-o", "f", "--receipt", "r", "--rechoose", "rest.csv")
        self.succeed_quietly("train", "rest.csv", *words, "-o", "trained")
        self.assert_same("f", "trained")
        self.succeed_quietly("train", "all.csv", *words, "--choose-on", os.fsdecode(b"p\xff.csv"), "-o", "m")
        self.succeed_quietly("forget", "m", "gone.csv", "-o", "f", "--receipt", "r")
        self.assertIn(".csv", json.loads((self.folder / "r").read_text())["frozen"][0]["from"])

    def test_choices_of_public_rows_know_nothing_of_those_that_leave(self):
        self.table("public.csv", self.rows[600:])
        self.table("private.csv", self.rows[:600])
        self.table("gone.csv", self.rows[10:50])
        self.succeed_quietly("train", "private.csv", "-t", "income", "--keep-sum", "--choose-on", "public.csv", *FEW[:2],
                             "-o", "m")
        code, _, errors = self.run_command("forget", "m", "gone.csv", "-o", "f", "--receipt", "r")
        self.assertEqual(code, 0, errors)
        self.assertNotIn("influenced", errors)
        receipt = json.loads((self.folder / "r").read_text())
        self.assertEqual(receipt["rows"]["before"], 600)
        self.assertEqual({choice["from"] for choice in receipt["frozen"]}, {"options", "public.csv"})

    def test_a_watch_is_a_training_on_its_window(self):
        self.table("first.csv", self.rows[:300])
        self.train(*FEW, "-o", "m", file="first.csv")
        stream = "\n".join([self.heading, *self.rows[300:]]) + "\n"
        self.file("stream.csv", stream)
        words = ("watch", "m", "--every", 64, "--window", 250, "--quiet")
        lines = self.succeed(*words, "--stream", "stream.csv", "-o", "w").splitlines()
        self.table("window.csv", self.rows[-250:])
        self.succeed_quietly("train", "window.csv", "--choices-of", "m", "--keep-sum", "-o", "trained")
        self.assert_same("w", "trained")
        process = self.start(*words, "--stream", "-", stdin=subprocess.PIPE)
        output, _ = process.communicate(stream.encode())
        self.assertEqual((process.returncode, output.decode().splitlines()), (0, lines))
        found = [json.loads(line) for line in lines]
        self.assertEqual([line["rows"] for line in found], [*range(64, 600, 64), 600])
        self.assertEqual(found[-1]["kept"], 250)
        self.assertEqual([line["alarm"] for line in found], [None] * len(found))
        self.table("begin.csv", self.rows[300:364])
        self.assertAlmostEqual(found[0]["loss"], self.evaluate("m", "begin.csv")["error"])  # the model before it learns
        self.file("bare.csv", "\n".join(line.rpartition(",")[0] for line in stream.splitlines()) + "\n")
        self.refuse(2, "watch", "m", "--stream", "bare.csv", "-o", "w2", "--quiet", say="income")
        self.refuse(1, "watch", "m", "--stream", "stream.csv", "--level", 2, "--quiet", say="level")

    def test_choices_are_made_anew_by_the_rows_that_remain(self):
        self.heading += ",name"
        self.rows = [f"{row},person {i}" for i, row in enumerate(self.rows)]
        rest, gone = self.rows[40:], self.rows[:40]
        for name, part in ("all.csv", self.rows), ("rest.csv", rest[::-1]), ("gone.csv", gone), ("few.csv", rest[1:]):
            self.table(name, part)
        for words in (("--features", 24), ("--map", "nystroem", "--features", 20, "--seed", 3),
                      ("--map", "binning:max_bins=8", "--features", 6),
                      ("--map", "none", "--class-weight", "balanced")):
            with self.subTest(words=words):
                words = ("--target", "income", "--keep-sum", "--ids", "name", *words)
                self.succeed_quietly("train", "all.csv", *words, "-o", "m")
                self.succeed_quietly("forget", "m", "gone.csv", "--rechoose", "rest.csv", "-o", "f", "--receipt", "r")
                self.succeed_quietly("train", "rest.csv", *words, "-o", "trained")
                self.assert_same("f", "trained")
                receipt = json.loads((self.folder / "r").read_text())
                self.assertEqual([note for note in receipt["notes"] if "influenced" in note], [])
                after = json.loads(self.succeed("inspect", "f", "--json"))["kept_sum"]
                self.assertEqual((receipt["sha256"]["anew"], receipt["sha256"]["choices"]),
                                 (after["sha256"], after["choices_sha256"]))
                self.succeed_quietly("update", "trained", "gone.csv", "--rechoose", "all.csv", "-o", "u")
                self.assert_same("u", "m")
        self.refuse(2, "forget", "m", "gone.csv", "--rechoose", "few.csv", "-o", "f2", "--quiet", say="few.csv: these are not")
        self.refuse(2, "forget", "m", "gone.csv", "--rechoose", "all.csv", "-o", "f2", "--quiet", say="all.csv: these are not")
        self.refuse(1, "forget", "m", "gone.csv", "--rechoose", "rest.csv", "-o", "rest.csv", "--quiet", say="rest.csv")
        self.succeed_quietly("train", "rest.csv", "-t", "income", "--keep-sum", "--ids", "name", "--choose-on", "gone.csv",
                             *FEW, "-o", "public")
        self.table("one.csv", rest[:1])
        self.refuse(1, "forget", "public", "one.csv", "--rechoose", "few.csv", "-o", "f2", "--quiet", say="--choose-on")

    def dated(self, rows):
        """Rows of three hours each, whose target turns about after 40 days."""
        draw = random.Random(4)
        self.heading = "day,a,b,y"
        lines = []
        for i in range(rows):
            a, b = draw.gauss(0, 1), draw.gauss(0, 1)
            lines.append(f"2024-{1 + i // 8 // 28:02d}-{1 + i // 8 % 28:02d}T{3 * (i % 8):02d}:00,{a:.4f},{b:.4f},"
                         f"{(a - b) * (1 if i < 320 else -1) + draw.gauss(0, 0.1):.4f}")
        return lines

    def test_a_window_of_days_and_a_page(self):
        rows = self.dated(640)
        self.table("first.csv", rows[:40])
        self.table("stream.csv", rows[40:])
        self.table("window.csv", rows[-80:])
        self.succeed_quietly("train", "first.csv", "-t", "y", "--ignore", "day", "--keep-sum", "--features", 20, "-o", "m")
        days = ("watch", "m", "--stream", "stream.csv", "--every", 50, "--window", "10d", "--time", "day", "--quiet")
        lines = [json.loads(line) for line in self.succeed(*days, "-o", "w", "--page", "page.html").splitlines()]
        self.succeed_quietly("train", "window.csv", "--choices-of", "m", "--keep-sum", "-o", "trained")
        self.assert_same("w", "trained")
        self.assertEqual(lines[-1]["kept"], 80)
        alarms = [line["alarm"] for line in lines if line["alarm"] is not None]
        self.assertTrue(alarms and 280 <= alarms[0] < 340, alarms)
        self.assertEqual({line["model"] for line in lines}, {"solved"})
        page = (self.folder / "page.html").read_text()
        self.assertIn(f"<td class=\"n\">{alarms[0]}</td>", page)
        self.assertNotIn("nan", page)
        hours = self.succeed("watch", "m", "--stream", "stream.csv", "--every", 50, "--window", "240h", "--time", "day", "--quiet")
        self.assertEqual([json.loads(line) for line in hours.splitlines()], lines)
        # Choices made anew by the window at an alarm: those of a training on its rows, whose columns are the model's.
        anew = [json.loads(line) for line in self.succeed(*days, "--on-alarm", "rechoose", "-o", "anew").splitlines()]
        self.assertEqual([line["model"] == "trained" for line in anew], [line["alarm"] is not None for line in anew])
        self.assertLess(anew[-1]["loss"], 0.5)
        self.refuse(1, *days[:-3], "--quiet", say="--time")
        self.refuse(1, "watch", "m", "--stream", "stream.csv", "--time", "day", "--quiet", say="--window")
        self.refuse(1, "watch", "m", "--stream", "stream.csv", "--window", 5, "--half-life", 5, "--quiet", say="one of them")
        self.refuse(1, "watch", "m", "--stream", "stream.csv", "--window", "0d", "--quiet", say="0d")
        self.refuse(1, "watch", "m", "--stream", "stream.csv", "--window", "soon", "--quiet", say="soon")
        self.refuse(1, "watch", "m", "--stream", "stream.csv", "--on-alarm", "rechoose", "--quiet", say="window")
        self.refuse(1, "watch", "m", "--stream", "stream.csv", "--page", "stream.csv", "--quiet", say="stream.csv")
        self.table("back.csv", [rows[100], rows[90]])
        self.refuse(2, "watch", "m", "--stream", "back.csv", "--window", "5d", "--time", "day", "--quiet", say="order of their times")
        self.table("never.csv", [rows[100].replace("2024-", "never")])
        self.refuse(2, "watch", "m", "--stream", "never.csv", "--window", "5d", "--time", "day", "--quiet", say="'day' of times")

    def test_a_model_without_sums_is_watched_and_trained_anew(self):
        rows = self.dated(640)
        self.table("first.csv", rows[:80])
        self.table("stream.csv", rows[80:])
        ignore = ("-t", "y", "--ignore", "day")
        for name, words in (("huber", ("--learner", "huber", "--map", "none")), ("fast", ("--effort", "fast"))):
            with self.subTest(name):
                self.succeed_quietly("train", "first.csv", *ignore, *words, "-o", name)
                watch = ("watch", name, "--stream", "stream.csv", "--every", 40, "--quiet")
                still = [json.loads(line) for line in self.succeed(*watch).splitlines()]
                self.assertEqual({line["model"] for line in still}, {"as before"})
                self.assertGreater(still[-1]["loss"], 2)
                anew = [json.loads(line) for line in self.succeed(*watch, "--window", 120, "--solve-every", 120, "--retrain",
                                                                  " ".join(map(str, words)), "-o", "w").splitlines()]
                self.assertLess(anew[-1]["loss"], 1)
                self.table("newest.csv", rows[-40:])
                self.assertLess(self.evaluate("w", "newest.csv")["rmse"], 1)
        watch = watch[:-1]
        self.refuse(1, *watch, "--window", 100, "--quiet", say="keeps no sums")
        self.refuse(1, *watch, "--retrain", "--effort fast", "--quiet", say="window")
        self.refuse(1, *watch, "--window", 100, "--retrain", "--test 0.2", "--quiet", say="--test")
        self.refuse(1, *watch, "--window", 100, "--retrain", "--tests 0.2", "--quiet", say="--retrain")
        self.succeed_quietly("kmeans", "first.csv", "--ignore", "day,y", "--clusters", 2, "-o", "k")
        for name, words in (("k", ()), ("a", ("anomaly", "first.csv", "--ignore", "day,y", "--rate", 0.1)),
                            ("g", ("gmm", "first.csv", "--ignore", "day,y", "--components", 2)),
                            ("n", ("train", "first.csv", *ignore, "--learner", "knn"))):
            if words:
                self.succeed_quietly(*words, "-o", name)
            learnt = [json.loads(line)["model"] for line in self.succeed(
                "watch", name, "--stream", "stream.csv", "--every", 40, "--window", 100, "--quiet", "-o", "w").splitlines()]
            self.assertEqual(learnt[:2] + learnt[-1:], ["as before", "as before", "solved"], name)
            self.assertIn("learnt on", self.succeed("inspect", "w"))
        self.succeed_quietly("train", "first.csv", *ignore, "--learner", "knn", "--keep-background", "-o", "b")
        _, _, errors = self.run_command("watch", "b", "--stream", "stream.csv", "--every", 40, "--window", 100)
        self.assertIn("rows for explain of the training: dropped when the model first learns on", errors)
        self.refuse(1, "watch", "b", "--stream", "stream.csv", "--window", 4, "--quiet", say="at least 5")
        self.succeed_quietly("pca", "first.csv", "--ignore", "day,y", "--rank", 1, "-o", "p")
        self.refuse(1, "watch", "p", "--stream", "stream.csv", "--quiet", say="drift")

    def test_a_mixture_may_lose_components(self):
        self.file("two.csv", "a,b\n" + "".join(f"{1000 * (i % 2) + i * 7 % 11},{i * 5 % 13}\n" for i in range(200)))
        self.file("one.csv", "a,b\n" + "".join(f"{i * 7 % 11},{i * 5 % 13}\n" for i in range(120)))
        self.succeed("gmm", "two.csv", "--components", 2, "--floor", 1e-6, "-o", "m")
        self.succeed("watch", "m", "--stream", "one.csv", "--every", 40, "--window", 40, "--quiet", "-o", "w")
        self.assertEqual(set(self.succeed("predict", "w", "one.csv").split()), {"0"})

    def test_a_live_pipe_is_seen_as_it_comes_and_a_signal_ends_it(self):
        rows = self.dated(300)
        self.table("first.csv", rows[:100])
        self.succeed_quietly("train", "first.csv", "-t", "y", "--ignore", "day", "--keep-sum", *FEW, "-o", "m")
        process = self.start("watch", "m", "--stream", "-", "--every", 20, "--quiet", "-o", "w", "--page", "p",
                             stdin=subprocess.PIPE)
        process.stdin.write((self.heading + "\n").encode())
        for begin in range(100, 300, 40):  # the pipe stays open, and each look is told before more comes
            process.stdin.write(("\n".join(rows[begin:begin + 40]) + "\n").encode())
            process.stdin.flush()
            for _ in range(2):
                self.assertIn("rows", json.loads(process.stdout.readline()))
        process.stdin.write(rows[0][:17].encode())  # half a row
        process.stdin.flush()
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, errors), (128 + signal.SIGTERM, b""))
        self.table("all.csv", rows)
        self.succeed_quietly("train", "all.csv", "--choices-of", "m", "--keep-sum", "-o", "trained")
        self.assert_same("w", "trained")
        self.assertIn("</html>", (self.folder / "p").read_text())

    def test_bad_words_and_bad_rows(self):
        self.train(*FEW, "-o", "m")
        self.succeed_quietly("train", "all.csv", "-t", "income", *FEW, "-o", "plain")
        self.refuse(3, "forget", "plain", "all.csv", "-o", "f", "--quiet", say="plain: keeps no sums")
        self.refuse(2, "forget", "m", "all.csv", "-o", "f", "--quiet", say="nothing would be left")
        self.table("more.csv", self.rows + self.rows)
        self.refuse(2, "forget", "m", "more.csv", "-o", "f", "--quiet", say="expected fewer than the 900")
        rich = [row for row in self.rows if row.endswith(">50K")] or [row for row in self.rows if ">50K" in row]
        self.table("rich.csv", rich)
        self.refuse(2, "forget", "m", "rich.csv", "-o", "f", "--quiet", say="every row is of the class")
        self.table("poor.csv", [rich[0]] * (len(rich) + 1))
        self.refuse(2, "forget", "m", "poor.csv", "-o", "f", "--quiet", say="rows of the class")
        self.file("strange.csv", "a,b\n1,2\n")
        self.refuse(2, "update", "m", "strange.csv", "-o", "f", "--quiet")
        self.table("class.csv", [self.rows[0].replace("<=50K", "40K").replace(">50K", "40K")])
        self.refuse(2, "update", "m", "class.csv", "-o", "f", "--quiet", say="40K")
        self.table("none.csv", [])
        self.refuse(2, "update", "m", "none.csv", "-o", "f", "--quiet", say="no rows")
        train = ("train", "all.csv", "-t", "income", "--keep-sum", "--quiet", "-o", "f")
        for words, say in ((("--learner", "logistic"), "logistic"), (("--map", "fourier+binning"), "bins"), (("--test", 0.2), "--test"),
                           (("--calibrate",), "calibrate"), (("--missing", "drop"), "--missing drop"), (("--auto",), "--auto"),
                           (("--solver", "cg"), "cholesky"), (("--folds", 3), "--folds")):
            self.refuse(1, *train, *words, say=say)
        self.refuse(1, "train", "all.csv", "-t", "income", "--ids", "age", "-o", "f", "--quiet", say="--keep-sum")
        self.refuse(1, "train", "all.csv", "--choices-of", "m", "--target", "age", "-o", "f", "--quiet", say="income")
        self.refuse(1, "forget", "m", "all.csv", "-o", "m", "--quiet", say="m")

    def test_the_words_of_the_first_training_may_be_said_again(self):
        first = ("--target", "income", "--map", "fourier", "--features", 20, "--keep-sum")
        self.succeed_quietly("train", "all.csv", *first, "-o", "m")
        self.succeed_quietly("train", "all.csv", "--choices-of", "m", "--keep-sum", "-o", "plain")
        code, _, errors = self.run_command("train", "all.csv", *first, "--choices-of", "m", "-o", "again")
        self.assertEqual(code, 0, errors)
        self.assertIn("--target, --map, --features: decided by m", errors)
        self.assertEqual((self.folder / "again").read_bytes(), (self.folder / "plain").read_bytes())

    def test_a_model_of_the_same_choices_need_not_keep_sums(self):
        self.train(*FEW, "-o", "m")
        self.succeed_quietly("train", "all.csv", "--choices-of", "m", "-o", "plain")
        self.assertNotIn("kept_sum", json.loads(self.succeed("inspect", "plain", "--json")))
        self.assertEqual(self.succeed("predict", "plain", "all.csv"), self.succeed("predict", "m", "all.csv"))

    def test_damaged_sums_are_refused_and_the_model_still_predicts(self):
        self.train(*FEW, "-o", "m")
        self.table("gone.csv", self.rows[:5])
        expected = self.succeed("predict", "m", "gone.csv")
        damages = {
            "classes": lambda a: a.tree["kept_sum"]["gram"]["targets"].update(classes=40000),
            "features": lambda a: a.tree["kept_sum"]["gram"].update(features=2 ** 23),
            "bound": lambda a: a.tree["kept_sum"]["gram"].update(bound=1e-9),
            "rows": lambda a: a.tree["kept_sum"]["gram"].update(rows=2 ** 50),
            "lambda": lambda a: a.tree["kept_sum"].update({"lambda": "x"}),
            "choices": lambda a: a.tree["kept_sum"].update(choices=[1]),
            "class rows": lambda a: a.tree["kept_sum"].update(class_rows=[900]),
            "moment": lambda a: a.arrays.pop("kept_sum.gram.moment_digits"),
            "marks": lambda a: a.tree["kept_sum"].update(rows={"column": "age", "salt": ""}),
        }
        original = (self.folder / "m").read_bytes()
        for name, damage in damages.items():
            with self.subTest(name):
                self.file("m", original)
                archive = Archive(self.folder / "m")
                damage(archive)
                archive.save(self.folder / "m")
                self.refuse(3, "forget", "m", "gone.csv", "-o", "f", "--quiet")
                self.assertEqual(self.succeed("predict", "m", "gone.csv"), expected)
        # Sums of no rows at all: whatever they are, the command ends in one line.
        self.file("m", original)
        archive = Archive(self.folder / "m")
        dtype, shape, content = archive.arrays["kept_sum.gram.whole_gram"]
        archive.put("kept_sum.gram.whole_gram", shape, struct.pack("<q", -(2 ** 62)) * (len(content) // 8), dtype)
        archive.save(self.folder / "m")
        self.refuse(2, "forget", "m", "gone.csv", "-o", "f", "--quiet", say="negative")
        self.refuse(2, "update", "m", "gone.csv", "-o", "f", "--quiet")
        cut = self.folder / "m"
        cut.write_bytes(original[:len(original) // 2])
        self.refuse(3, "forget", "m", "gone.csv", "-o", "f", "--quiet")


if __name__ == "__main__":
    unittest.main()
