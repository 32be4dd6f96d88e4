# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""A training that is stopped or killed leaves the old model alone and goes on to the same bytes."""

import random
import resource
import signal
import time
import unittest

from command import DATA, CommandTest

COPIES = 12
WORDS = ("train", "cpu.csv", "--target", "usr", "--bandwidth", "1", "--lambda", "1e-6,1e-4,1e-2", "--solver", "cholesky")
SAVE_OFTEN = ("--checkpoint-seconds", 0, "--block-rows", 1024)


class Checkpoints(CommandTest):
    def setUp(self):
        super().setUp()
        heading, *rows = (DATA / "cpu-small.csv").read_bytes().splitlines(keepends=True)
        self.file("cpu.csv", heading + b"".join(rows * COPIES + rows[:71]))

    def bytes(self, name):
        path = self.folder / name
        return path.read_bytes() if path.exists() else None

    def expected(self, *words):
        begin = time.monotonic()
        self.succeed_quietly(*WORDS, *words, "-o", "expected")
        return self.bytes("expected"), time.monotonic() - begin

    def wait_for(self, name, process):
        while process.poll() is None and not (self.folder / name).exists():
            time.sleep(0.005)

    def finish(self, *words):
        self.succeed_quietly(*WORDS, *words, "-o", "m", "--resume")
        names = {str(path) for path in self.contents()}
        self.assertEqual(names, {"cpu.csv", "expected", "m"})

    def test_killed_at_random_moments(self):
        words = ("--features", 512)
        expected, seconds = self.expected(*words)
        moments = random.Random(3)
        self.file("m", "an old model")
        for _ in range(10):
            process = self.start(*WORDS, *words, *SAVE_OFTEN, "-o", "m", "--resume", "--quiet")
            time.sleep(moments.random() * seconds)
            process.kill()
            process.communicate()
            if self.bytes("m") == b"an old model":
                continue
            self.assertEqual(self.bytes("m"), expected)
            self.file("m", "an old model")
        for path in self.folder.glob(".bochner-*.tmp"):
            path.unlink()  # left by a file that was being written, if such files have names
        self.finish(*words)
        self.assertEqual(self.bytes("m"), expected)

    def stop_half_way(self, *words):
        """As Ctrl-C would, at the first point of the training where the sums are left behind."""
        for point in range(1, 200):
            code, _, errors = self.run_command(*WORDS, *words, *SAVE_OFTEN, "-o", "m", "--quiet", "--stop-after", point)
            self.assertEqual(code, 130, errors)
            if self.bytes("m.checkpoint.state") is not None:
                return errors
        self.fail("no point at which sums are saved")

    def test_resumed_in_the_middle_of_the_sums(self):
        for words in (("--features", 512, "--select", "holdout"), ("--features", 256, "--precision", "double"),
                      ("--features", 256, "--select", "loo")):
            expected, _ = self.expected(*words)
            self.stop_half_way(*words)
            self.finish(*words, "--threads", 3, "--block-rows", 2048)
            self.assertEqual(self.bytes("m"), expected, words)

    def interrupt(self, *words):
        """Ctrl-C once sums were saved; again where the training was over before, as it may be on a busy machine."""
        for _ in range(20):
            process = self.start(*WORDS, *words, *SAVE_OFTEN, "-o", "m", "--quiet")
            self.wait_for("m.checkpoint.state", process)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
            if process.returncode != 0:
                return process.returncode, errors.decode()
            (self.folder / "m").unlink()
        self.fail("every training was over before it was interrupted")

    def test_interrupted(self):
        words = ("--features", 1024)
        expected, _ = self.expected(*words)
        for code, errors in (self.interrupt(*words), (130, self.stop_half_way(*words))):
            self.assertEqual(code, 130, errors)
            self.assertRegex(errors, r"\Abochner: stopped[^\n]*--resume\n\Z")
            self.assertIsNone(self.bytes("m"))
            self.finish(*words)
            self.assertEqual(self.bytes("m"), expected)
            (self.folder / "m").unlink()

    def test_another_training_is_refused_with_what_differs(self):
        self.stop_half_way("--features", 512)
        words = (*WORDS, "-o", "m", "--resume", "--quiet")
        self.refuse(2, *words, "--features", 256, say="--features is 512 there and 256 now")
        self.refuse(2, *words, "--features", 512, "--seed", 2, say="--seed is not given there and 2 now")
        with (self.folder / "cpu.csv").open("a") as file:
            file.write(self.bytes("cpu.csv").decode().splitlines()[1] + "\n")
        self.refuse(2, *words, "--features", 512, say="the data (by their hash)")

    def test_a_full_disk_stops_neither_training_nor_resuming(self):
        words = ("--features", 512)
        expected, _ = self.expected(*words)
        size = len(expected) + 4096  # room for the model, not for a checkpoint

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        code, _, errors = self.run_command(*WORDS, *words, *SAVE_OFTEN, "-o", "m", preexec_fn=limit)
        self.assertEqual(code, 0, errors)
        self.assertIn("checkpoint not saved", errors)
        self.assertEqual(self.bytes("m"), expected)

    def test_a_damaged_checkpoint_is_refused(self):
        self.stop_half_way("--features", 512)
        for name in ("m.checkpoint.state", "m.checkpoint"):
            whole = self.bytes(name)
            self.file(name, whole[:len(whole) // 2])
            self.refuse(3, *WORDS, "--features", 512, "-o", "m", "--resume", "--quiet")


if __name__ == "__main__":
    unittest.main()
