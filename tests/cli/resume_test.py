# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Every learner and every search goes on from its checkpoint to the same bytes, whatever moment it was ended at."""

import random
import signal
import time
import unittest

from command import DATA, CommandTest

NUMBERS = ("cpu.csv", "--target", "usr")
FEW = (DATA / "cpu-small.csv", "--target", "usr")
CLASSES = (DATA / "adult-small.csv", "--target", "income")
SAVE_OFTEN = ("--checkpoint-seconds", 0, "--quiet")
TRAININGS = {
    "ridge by cg": (*NUMBERS, "--features", 192, "--bandwidth", 1, "--solver", "cg"),
    "lambdas by Cholesky": (*NUMBERS, "--features", 192, "--bandwidth", 1, "--solver", "cholesky"),
    "bandwidths": (*FEW, "--features", 32, "--bandwidth", "auto", "--lambda", 1e-6),
    "svm": (*CLASSES, "--features", 48, "--bandwidth", 4, "--learner", "svm", "--C", "1,10"),
    "svm, squared hinge": (*CLASSES, "--features", 64, "--bandwidth", 4, "--learner", "svm", "--loss", "squared-hinge"),
    "hard svm": ("blobs.csv", "--target", "class", "--features", 128, "--bandwidth", 2, "--learner", "hard-svm"),
    "logistic": (*CLASSES, "--features", 64, "--bandwidth", 4, "--learner", "logistic"),
    "huber": (*FEW, "--features", 64, "--bandwidth", 2, "--learner", "huber"),
    "svr": (*FEW, "--features", 64, "--bandwidth", 2, "--learner", "svr", "--C", "1,10"),
    "binning": ("blobs.csv", "--target", "class", "--map", "binning", "--features", 8),
    "binning, lambdas": (*CLASSES, "--map", "binning:sweeps=3", "--bandwidth", 1, "--features", 20, "--learner",
                         "logistic"),
    "binning, svm": (*CLASSES, "--map", "binning", "--bandwidth", 1, "--features", 40, "--learner", "svm",
                     "--tolerance", 1e-5),
    "binning, svm of three classes": ("blobs.csv", "--target", "class", "--map", "binning:epochs=2000", "--features", 30,
                                      "--learner", "svm", "--loss", "squared-hinge", "--tolerance", 1e-7),
    "binning, steps": (*FEW, "--map", "binning:steps=6", "--bandwidth", 1, "--features", 20),
    "pursuit": (*CLASSES, "--map", "binning:order=1-2,sweeps=2,pursuit=5", "--features", 20),
    "bins and features": (*FEW, "--map", "fourier+binning", "--features", 32, "--bandwidth", 1),
}
STOPS = (20, 200, 1000)  # one after the other, each counted from where the one before was resumed
FEW_STEPS = 2000  # Newton steps are in the log by then
LONGER = (*CLASSES, "--features", 512, "--bandwidth", 4, "--learner", "svm", "--loss", "squared-hinge")


def blobs(seed=5):
    """Rows of three classes far apart: what a hard margin needs."""
    draw = random.Random(seed)
    lines = ["a,b,class"]
    for i in range(600):
        lines.append(f"{draw.gauss(4 * (i % 3), 0.5):.4f},{draw.gauss(3 * (i % 2), 0.5):.4f},{'xyz'[i % 3]}")
    return "\n".join(lines) + "\n"


class Resumed(CommandTest):
    def setUp(self):
        super().setUp()
        heading, *rows = (DATA / "cpu-small.csv").read_bytes().splitlines(keepends=True)
        self.file("cpu.csv", heading + b"".join(rows * 3 + rows[:71]))
        self.file("blobs.csv", blobs())

    def bytes(self, name):
        path = self.folder / name
        return path.read_bytes() if path.exists() else None

    def expected(self, words):
        begin = time.monotonic()
        self.succeed_quietly("train", *words, "-o", "expected")
        return self.bytes("expected"), time.monotonic() - begin

    def end_after(self, words, how, seconds):
        """Sends the signal so long after the first save, unless the training is over before."""
        checkpoint = self.folder / "m.checkpoint"

        def version():
            return checkpoint.stat().st_ino if checkpoint.exists() else None

        before = version()
        process = self.start("train", *words, *SAVE_OFTEN, "-o", "m", "--resume")
        while process.poll() is None and version() in (None, before):
            time.sleep(0.002)
        time.sleep(seconds)
        process.send_signal(how)
        output, errors = process.communicate(timeout=60)
        return process.returncode, errors.decode()

    def finish(self, words, expected):
        self.succeed_quietly("train", *words, "-o", "m", "--resume", "--threads", 3)
        self.assertEqual(self.bytes("m"), expected)
        self.assertEqual([name for name in map(str, self.contents()) if "checkpoint" in name], [])

    def stop_at(self, words, point):
        """As Ctrl-C at that one of the points where the training may stop, unless it is over before."""
        code, _, errors = self.run_command("train", *words, "--quiet", "--stop-after", point, "-o", "m", "--resume")
        return code, errors

    def test_killed_and_interrupted(self):
        moments = random.Random(7)
        for name, words in TRAININGS.items():
            with self.subTest(name):
                expected, seconds = self.expected(words)
                self.file("m", "an old model")
                self.end_after(words, signal.SIGKILL, moments.random() * seconds / 2)
                self.assertIn(self.bytes("m"), (b"an old model", expected))
                for point in STOPS:
                    code, errors = self.stop_at(words, point)
                    if code == 0:  # it was over before
                        break
                    self.assertEqual(code, 130, errors)
                    self.assertRegex(errors, r"\Abochner: stopped[^\n]*--resume\n\Z")
                    self.assertIsNotNone(self.bytes("m.checkpoint"))
                    self.assertIn(self.bytes("m"), (b"an old model", expected))
                self.finish(words, expected)

    def test_another_training_is_refused(self):
        words = LONGER
        self.stop_at((*words, "--seed", 1), FEW_STEPS)
        self.refuse(2, "train", *words, "--seed", 2, "-o", "m", "--resume", "--quiet", say="--seed is 1 there and 2 now")

    def test_an_altered_checkpoint_is_refused(self):
        words = LONGER
        self.stop_at(words, FEW_STEPS)
        whole = self.bytes("m.checkpoint")
        for good, bad in ((b"newton step", b"newton stop"), (b"results", b"resulta")):
            self.assertIn(good, whole)
            self.file("m.checkpoint", whole.replace(good, bad))
            self.refuse(3, "train", *words, "-o", "m", "--resume", "--quiet")
        for at in (0, 8, 12, 30, 49):  # where every checkpoint begins alike
            self.file("m.checkpoint", whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
            self.refuse(3, "train", *words, "-o", "m", "--resume", "--quiet", say="m.checkpoint")


if __name__ == "__main__":
    unittest.main()
