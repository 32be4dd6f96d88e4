# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""--memory is kept, the plan is said first, what cannot fit is refused, and no value of it changes a model."""

import array
import json
import random
import re
import struct
import subprocess
import sys
import unittest

from command import COMMAND, DATA, CommandTest

ROWS, COLUMNS = 20000, 60
UNITS = {"M": 2**20, "G": 2**30}


def size(text):
    return float(text[:-1]) * UNITS[text[-1]]


class Memory(CommandTest):
    def setUp(self):
        super().setUp()
        draw = random.Random(1)
        lines = [",".join(f"x{j}" for j in range(COLUMNS)) + ",y\n"]
        for _ in range(ROWS):
            x = draw.getrandbits(COLUMNS)
            y = (x & 1) ^ (x >> 1 & 1) if draw.random() < 0.9 else draw.getrandbits(1)
            lines.append(",".join(str(x >> j & 1) for j in range(COLUMNS)) + f",{'ab'[y]}\n")
        self.file("rows.csv", "".join(lines))

    # A process begins with the peak of the one that started it, and this one has held whole tables.
    LAUNCH = """import os, sys
process = os.fork()
if not process:
    os.execv(sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(process, 0)
with open(sys.argv[1], "w") as file:
    file.write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status) % 256)
"""

    def peak(self, *words):
        """Messages and the largest resident set of a command that must not fail."""
        launch = [sys.executable, "-I", "-S", "-c", self.LAUNCH, self.folder / "peak", COMMAND, *map(str, words)]
        done = subprocess.run(launch, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=False)
        said = done.stderr.decode()
        self.assertEqual(done.returncode, 0, said)
        return said, int((self.folder / "peak").read_text()) * 1024

    def expect_kept(self, memory, *words):
        said, resident = self.peak(*words, "--memory", memory)
        plan = re.search(r"memory: (\S+) of (\S+):", said)
        self.assertIsNotNone(plan, said)
        self.assertLessEqual(size(plan[1]), size(memory) * 1.01)
        self.assertLessEqual(resident, size(memory) * 1.05, said)
        return said

    TRAIN = ("train", "rows.csv", "--target", "y", "--bandwidth", 5, "--threads", 2, "--verbose", "-o", "m")

    def model(self, *words):
        self.succeed_quietly(*self.TRAIN, *words)
        return (self.folder / "m").read_bytes()

    def test_ridge_stays_within_it(self):
        self.expect_kept("96M", *self.TRAIN, "--features", 1024, "--solver", "cholesky", "--lambda", "1e-4")
        self.expect_kept("80M", *self.TRAIN, "--features", 1024, "--solver", "cg", "--lambda", "1e-4")
        self.expect_kept("256M", *self.TRAIN, "--features", 1024, "--solver", "cg", "--lambda", "1e-4")

    def test_a_check_stays_within_it(self):
        words = ("check", "rows.csv", "--ignore", "y", "--features", 500, "--threads", 2, "--quiet")
        self.refuse(1, *words, "--memory", "60M", say="memory: a check of 1000 rows needs")
        for memory, sample in (("60M", 500), ("100M", 1000)):
            said, resident = self.peak(*words, "--sample", sample, "--memory", memory)
            self.assertLessEqual(resident, size(memory), said)

    def test_other_learners_stay_within_it(self):
        self.expect_kept("200M", *self.TRAIN, "--features", 1000, "--learner", "logistic", "--C", 1)
        self.expect_kept("200M", *self.TRAIN, "--features", 1000, "--learner", "svm", "--C", 0.1)

    def test_parts_stay_within_it(self):
        self.succeed_quietly("accumulate", "rows.csv", "--target", "y", "-o", "survey")
        self.expect_kept("128M", "accumulate", "rows.csv", "--spec", "survey", "--bandwidth", 5, "--features", 1024,
                         "-o", "sum")
        self.expect_kept("64M", "solve", "sum", "-o", "m")
        self.refuse(1, "solve", "sum", "-o", "m", "--quiet", "--memory", "16M", say="raise --memory")

    def test_mixtures_of_more_rows_than_memory(self):
        draw, width, rows, copies = random.Random(2), 16, 4096, 300
        block = array.array("f", (draw.gauss(5 * (i // width % 2), 1) for i in range(rows * width)))
        head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows * copies}, {width}), }}".ljust(117) + "\n"
        with open(self.folder / "many.npy", "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
            for _ in range(copies):
                block.tofile(file)
        words = ("gmm", "many.npy", "--components", 2, "--covariance", "diag", "--rounds", 2, "--tolerance", 0)
        _, resident = self.peak(*words, "--memory", "64M", "-o", "little")
        self.assertGreater((self.folder / "many.npy").stat().st_size, size("72M"))
        self.assertLess(resident, size("64M"))
        self.peak(*words, "-o", "much")
        self.assertEqual((self.folder / "little").read_bytes(), (self.folder / "much").read_bytes())

    def test_tests_reductions_and_sequences_stay_within_it(self):
        draw, columns = random.Random(4), 20
        names = ",".join(f"c{j}" for j in range(columns))
        for name in ("a.csv", "b.csv"):
            self.file(name, f"id,{names},y\n" + "".join(
                f"{i // 50}," + ",".join(f"{draw.gauss(0, 1):.4f}" for _ in range(columns)) + f",{draw.gauss(0, 1):.4f}\n"
                for i in range(6000)))
        for words in (("drift", "a.csv", "b.csv"),
                      ("independence", "a.csv", "--target", "y"), ("reduce", "a.csv", "--points", 20, "-o", "p.csv"),
                      ("hmm", "a.csv", "--sequence", "id", "--ignore", "y", "--states", 2, "--rounds", 3, "-o", "h")):
            with self.subTest(words):
                words = (*words, "--threads", 2, "--quiet")
                least = "20M"
                for _ in range(3):  # a look over the rows, then the work itself
                    code, _, errors = self.run_command(*words, "--memory", least)
                    if code == 0:
                        break
                    needed = re.search(r"memory: .* needs (\S+) ", errors)
                    self.assertIsNotNone(needed, errors)
                    least = f"{size(needed[1]) / 2**20 + 2:.0f}M"
                self.assertEqual(code, 0, errors)
                for memory in (size(least), 2 * size(least)):
                    _, resident = self.peak(*words, "--memory", f"{memory / 2**20:.0f}M")
                    self.assertLessEqual(resident, memory * 1.05)

    def test_drift_is_the_same_in_little_memory(self):
        lines = (self.folder / "rows.csv").read_text().splitlines(keepends=True)
        self.file("a.csv", "".join(lines[:4000]))
        self.file("b.csv", lines[0] + "".join(lines[4000:9000]))
        words = ("drift", "a.csv", "b.csv", "--json", "--quiet", "--threads", 2)
        found = []
        for memory in ("2G", "120M"):
            found.append(json.loads(self.succeed(*words, "--memory", memory)))
            del found[-1]["seconds"]
        self.assertEqual(found[0], found[1])

    def test_what_does_not_fit_is_refused_with_the_largest_that_does(self):
        for words in (("--solver", "cholesky"), ("--solver", "cg"), ("--learner", "svm", "--C", 1),
                      ("--learner", "huber", "--C", 1)):
            if words[-2:] == ("--C", 1) and "huber" in words:
                train = ("train", DATA / "cpu-small.csv", "--target", "usr", "--bandwidth", 5, "--threads", 2)
            else:
                train = self.TRAIN[:-2]
            given = (*train, *words, "--memory", "200M")
            code, _, errors = self.run_command(*given, "--features", 60000, "--quiet")
            self.assertEqual(code, 1, errors)
            fits = int(re.search(r"largest number that fits is (\d+)", errors)[1])
            self.assertGreater(fits, 500)
            self.refuse(1, *given, "--features", fits + 2, "--quiet", say=f"fits is {fits};")
            process = self.start(*given, "--features", fits)  # that it begins is enough
            said = ""
            while "memory:" not in said and (line := process.stderr.readline()):
                said += line.decode()
            process.kill()
            process.communicate()
            self.assertIn("memory:", said)

    def test_what_was_not_given_is_not_named(self):
        for words in (("--effort", "fast"), ("--map", "fourier")):
            self.refuse(1, "train", DATA / "cpu-small.csv", "--target", "usr", *words, "--memory", "10M", "--quiet",
                        say="bochner: --memory: ")

    def test_a_model_does_not_depend_on_it(self):
        cg = ("--features", 1024, "--solver", "cg", "--lambda", "1e-4,1e-3")
        whole = self.model(*cg, "--memory", "1G")
        said, _ = self.peak(*self.TRAIN, *cg, "--memory", "100M")
        self.assertIn("mapped anew", said)
        self.assertEqual((self.folder / "m").read_bytes(), whole)

        held_out = ("--features", 1024, "--solver", "cholesky", "--lambda", "1e-4,1e-3")
        whole = self.model(*held_out, "--memory", "1G")  # room for a copy of the sums; below: no room
        self.assertEqual(self.model(*held_out, "--memory", "105M"), whole)

    def test_bins_stay_within_it(self):
        train = ("train", "rows.csv", "--target", "y", "--threads", 2, "--verbose", "-o", "m")
        grids = (*train, "--map", "binning", "--bandwidth", 30, "--features", 400, "--lambda", "1e-5")
        said = self.expect_kept("200M", *grids)
        self.assertRegex(said, r"400 grids of about \d+\.?\d*k? bins")
        whole = (self.folder / "m").read_bytes()
        least = int(size(re.search(r"memory: at least (\S+) of", said)[1]) / 2**20)
        self.expect_kept(f"{least + 2}M", *grids)  # the bins of all rows for some grids at a time
        self.assertEqual((self.folder / "m").read_bytes(), whole)

        self.expect_kept("100M", *train, "--map", "fourier:features=64,bandwidth=5+binning:bandwidth=30")

    def test_grids_that_do_not_fit_are_refused_with_the_largest_number_that_does(self):
        words = (*self.TRAIN[:4], "--threads", 2, "--map", "binning", "--lambda", "1e-5", "--bandwidth", 0.2, "--memory")
        code, _, errors = self.run_command(*words, "100M", "--features", 500, "--quiet")
        self.assertEqual(code, 1, errors)
        fits = int(re.search(r"largest number that fits is (\d+)", errors)[1])
        self.assertGreater(fits, 10)
        self.assertIn("max_bins=", errors)
        self.refuse(1, *words, "100M", "--features", fits + 1, "--quiet", say=f"fits is {fits};")
        self.expect_kept("100M", *words[:-1], "--verbose", "--features", fits, "-o", "m")
        self.refuse(1, *words, "20M", "--features", 10, "--quiet", say="raise --memory")

    def test_rows_that_do_not_fit_are_read_again(self):
        heading, *rows = (self.folder / "rows.csv").read_bytes().splitlines(keepends=True)
        self.file("rows.csv", heading + b"".join(3 * rows))
        words = ("--features", 64, "--select", "holdout", "--lambda", "1e-3")
        whole = self.model(*words)
        said, _ = self.peak(*self.TRAIN, *words, "--memory", "70M")
        self.assertIn("read from disk on every pass", said)
        self.assertEqual((self.folder / "m").read_bytes(), whole)


if __name__ == "__main__":
    unittest.main()
