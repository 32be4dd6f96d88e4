# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Trainings killed (SIGKILL) at random moments and resumed: every model must be the bytes of an uninterrupted one.

Each learner in turn is started over an old model, killed after a random part of its usual time, resumed, killed again,
and let go after a few kills. After each kill the old model must be as it was, or the new one whole. Every second
training saves at every chance, the others as often as one that takes minutes would.

usage: kill_resume.py [--kills N] [--seed S] [NAME ...]
"""
import argparse
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import data

# name: (file, flags): seconds each, in several phases
TASKS = {
    "ridge-cg": ("covtype2.train.csv", ["--target", "class", "--features", "1000", "--bandwidth", "6.3", "--solver", "cg"]),
    "ridge-cholesky": ("covtype2.train.csv", ["--target", "class", "--features", "800", "--bandwidth", "6.3", "--solver",
                                              "cholesky", "--block-rows", "8192"]),
    "ridge-auto": ("cpu.train.csv", ["--target", "usr", "--features", "300", "--bandwidth", "auto"]),
    "svm": ("adult.train.svm", ["--learner", "svm", "--features", "500", "--bandwidth", "4"]),
    "svm-classes": ("usps.train.csv", ["--target", "digit", "--learner", "svm", "--features", "500", "--bandwidth", "8",
                                       "--C", "1,10"]),
    "hard-svm": ("digits.csv", ["--target", "digit", "--learner", "hard-svm", "--features", "1500", "--bandwidth", "20"]),
    "logistic": ("usps.train.csv", ["--target", "digit", "--learner", "logistic", "--features", "500", "--bandwidth", "8",
                                    "--C", "1,10"]),
    "huber": ("cpu.train.csv", ["--target", "usr", "--learner", "huber", "--features", "500", "--bandwidth", "2"]),
    "svr": ("cpu.train.csv", ["--target", "usr", "--learner", "svr", "--features", "500", "--bandwidth", "2"]),
    "binning": ("census.train.csv", ["--target", "price", "--map", "binning"]),
    "binning-steps": ("cpu.train.csv", ["--target", "usr", "--map", "binning:steps=30", "--features", "200",
                                        "--bandwidth", "1"]),
    "binning-sweeps": ("census.train.csv", ["--target", "price", "--map", "binning:sweeps=5", "--features", "100",
                                            "--bandwidth", "1"]),
    "binning-pursuit": ("adult.train.svm", ["--map", "binning:order=1-2,sweeps=3,pursuit=4", "--features", "60",
                                            "--learner", "logistic"]),
    "mixture": ("cpu.train.csv", ["--target", "usr", "--map", "fourier+binning", "--features", "200", "--bandwidth", "1"]),
}
OLD = b"an old model"


class Training:
    def __init__(self, name, folder, source):
        file, flags = TASKS[name]
        self.name, self.folder = name, folder
        self.words = ["bochner", "train", os.path.join(source, file), *flags, "--quiet"]
        begin = time.perf_counter()
        subprocess.run([*self.words, "-o", "expected"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        self.seconds = time.perf_counter() - begin
        self.expected = (folder / "expected").read_bytes()
        self.kills = self.resumed = self.models = self.failures = self.refused = 0

    def start(self, save_seconds):
        return subprocess.Popen([*self.words, "-o", "m", "--resume", "--checkpoint-seconds", str(save_seconds)],
                                cwd=self.folder, stdout=subprocess.DEVNULL)

    def check(self, *allowed):
        if (self.folder / "m").read_bytes() not in allowed:
            self.failures += 1
            print(f"{self.name}: the model differs after {self.kills} kills", file=sys.stderr)

    def survive(self, kills, save_seconds, moments):
        """One training through some kills to its end; kills that came too late do not count."""
        (self.folder / "m").write_bytes(OLD)
        done = 0
        for _ in range(kills):
            process = self.start(save_seconds)
            time.sleep(moments.random() * self.seconds)
            process.kill()
            code = process.wait()
            if code == 0:
                break
            self.refused += code != -signal.SIGKILL
            done += 1
            self.resumed += (self.folder / "m.checkpoint").exists()
            self.check(OLD, self.expected)
        self.refused += self.start(save_seconds).wait() != 0
        self.check(self.expected)
        self.kills += done
        self.models += 1
        return done


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--kills", type=int, default=50)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("names", nargs="*", metavar="NAME", help=", ".join(TASKS))
    options = arguments.parse_args()
    source, moments = os.path.abspath(data.folder()), random.Random(options.seed)
    with tempfile.TemporaryDirectory() as work:
        trainings = []
        for name in options.names or TASKS:
            folder = pathlib.Path(work) / name
            folder.mkdir()
            trainings.append(Training(name, folder, source))
        left, turn = options.kills, 0
        while left > 0:
            training = trainings[turn % len(trainings)]
            save_seconds = 0 if turn // len(trainings) % 2 == 0 else training.seconds / 20
            left -= training.survive(min(left, moments.randint(1, 4)), save_seconds, moments)
            turn += 1
            print(f"{training.name}: {training.kills} kills, {training.resumed} resumed, {training.refused} refused, "
                  f"{training.failures} differ; {left} kills left", file=sys.stderr)
        print(f"{'training':16} {'seconds':>7} {'kills':>5} {'resumed':>7} {'refused':>7} {'models':>6}  bytes")
        for t in trainings:
            print(f"{t.name:16} {t.seconds:7.1f} {t.kills:5} {t.resumed:7} {t.refused:7} {t.models:6}  "
                  f"{'identical' if t.failures == 0 else f'{t.failures} DIFFER'}")
        sys.exit(any(t.failures or t.refused for t in trainings))


main()
