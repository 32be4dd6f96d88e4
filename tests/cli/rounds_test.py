# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Training in rounds as files, and on the processes of MPI."""

import os
import pathlib
import random
import shutil
import subprocess
import unittest

from command import COMMAND, DATA, SECONDS, CommandTest

WORDS = ("--target", "usr", "--features", 40, "--bandwidth", "median")
PARTS = 7


class Rounds(CommandTest):
    def setUp(self):
        super().setUp()
        heading, *rows = (DATA / "cpu-small.csv").read_bytes().splitlines(keepends=True)
        self.names = [f"p{i}.csv" for i in range(PARTS)]
        for i, name in enumerate(self.names):
            self.file(name, heading + b"".join(rows[i::PARTS]))

    def task(self, p, *words):
        self.succeed_quietly("rounds", "task", "job", *words, "--partition", p, "-o", f"{p}.part")

    def merge(self, *results):
        self.succeed_quietly("rounds", "merge", "job", *results, "-o", "m")

    def begin(self):
        self.succeed_quietly("rounds", "begin", *self.names, *WORDS, "-o", "job")

    def train(self, order):
        """All rounds, with the tasks in the order that order(partitions) gives; the model's bytes."""
        (self.folder / "m").unlink(missing_ok=True)
        self.begin()
        for _ in range(20):
            for p in order(range(PARTS)):
                self.task(p)
            self.merge(*(f"{p}.part" for p in order(range(PARTS))))
            if (self.folder / "m").exists():
                return (self.folder / "m").read_bytes()
        self.fail("no model after 20 rounds")

    def test_the_order_of_tasks_and_results_does_not_matter(self):
        draw = random.Random(2)
        first = self.train(list)
        self.assertEqual(self.train(lambda parts: draw.sample(parts, len(parts))), first)
        self.assertLess(self.evaluate("m", DATA / "cpu-small.csv")["rmse"], 12)

    def test_results_come_by_and_by_and_what_is_wrong_is_refused(self):
        self.begin()
        for p in range(PARTS):
            self.task(p)
        self.merge("3.part", "1.part", "3.part")
        code, _, errors = self.run_command("rounds", "merge", "job", "1.part", "-o", "m")
        self.assertEqual(code, 0)
        self.assertIn("round 0: missing are the partitions 0, 2, 4, 5, 6", errors)
        altered = bytearray((self.folder / "0.part").read_bytes())
        altered[-9] ^= 8
        self.file("altered", bytes(altered))
        self.refuse(3, "rounds", "merge", "job", "altered", "-o", "m", say="altered")
        self.merge(*(f"{p}.part" for p in (0, 2, 4, 5, 6)))
        self.refuse(2, "rounds", "merge", "job", "2.part", "-o", "m", say="round 0, expected one of round 1")
        self.refuse(2, "rounds", "task", "job", DATA / "cpu-small.csv", "--partition", 1, "-o", "1.part",
                    say="partition 1: found 1000 rows")
        self.refuse(1, "rounds", "task", "job", "--partition", PARTS, "-o", "x", say="--partition")
        self.refuse(1, "rounds", "task", "job", "--partition", 1, "--features", 3, "-o", "x", say="--features")
        self.refuse(1, "rounds", "swim", "job", "-o", "x", say="STEP")

    def test_a_job_of_changed_files_is_another_one(self):
        self.begin()
        before = (self.folder / "job").read_bytes()
        self.begin()
        self.assertEqual((self.folder / "job").read_bytes(), before)
        self.task(0)
        rows = (self.folder / self.names[3]).read_bytes()
        heading, first, second, *others = rows.splitlines(keepends=True)
        self.file(self.names[3], b"".join([heading, second, first, *others]))
        self.begin()
        self.refuse(2, "rounds", "merge", "job", "0.part", "-o", "m", say="a result of job")
        (self.folder / self.names[3]).unlink()
        code, _, errors = self.run_command("rounds", "begin", *self.names, *WORDS, "-o", "job")
        self.assertEqual(code, 0)
        self.assertIn("p3.csv: not found here", errors)

    def test_copies_behind_the_end_of_a_round_count_once(self):
        self.begin()
        for p in range(PARTS):
            self.task(p)
        shutil.copy(self.folder / "1.part", self.folder / "1.again")
        self.merge(*(f"{p}.part" for p in range(PARTS)), "1.again")
        self.task(0)
        self.merge("0.part")

    def test_what_is_no_file_of_rounds_is_refused(self):
        self.begin()
        self.task(0)
        self.refuse(1, "rounds", "task", "job", "--partition", 0, "-o", "-", say="--output")
        self.refuse(2, "rounds", "merge", "job", ".", "-o", "m", say=".: cannot be read")
        self.refuse(2, "rounds", "merge", ".", "0.part", "-o", "m", say=".: cannot be read")
        self.refuse(1, "rounds", "merge", "job", "0.part", "-o", "0.part", say="0.part: is an input")
        name = os.fsdecode(b"caf\xe9.csv")
        shutil.copy(self.folder / self.names[0], self.folder / name)
        self.refuse(1, "rounds", "begin", name, *WORDS, "-o", "job", say="no UTF-8")

    def test_a_packed_copy_of_a_partition_is_refused(self):
        copy = self.names[0] + ".copy"
        shutil.copy(self.folder / self.names[0], self.folder / copy)
        self.succeed_quietly("rounds", "begin", self.names[0], self.names[1], copy, *WORDS, "-o", "job")
        for p in range(3):
            self.task(p)
        self.refuse(2, "rounds", "merge", "job", "0.part", "1.part", "2.part", "-o", "m",
                    say="partition 2 has the same rows as partition 0")

    def test_mpi_ranks_learn_the_same_bytes(self):
        library = pathlib.Path(COMMAND).parent / "libbochner_mpi.so"
        if shutil.which("mpirun") is None or not library.exists():
            self.skipTest("no mpirun, or bochner was built without MPI; make test-deps installs it")
        expected = self.train(list)
        for ranks in (1, 4):
            done = subprocess.run(["mpirun", "-n", str(ranks), COMMAND, "mpi-train", *self.names, *map(str, WORDS), "-o",
                                   "mpi.model", "--threads", "1", "--quiet"],
                                  cwd=self.folder, env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                                                        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS, check=False)
            self.assertEqual(done.returncode, 0, done.stderr.decode())
            self.assertEqual((self.folder / "mpi.model").read_bytes(), expected)


if __name__ == "__main__":
    unittest.main()
