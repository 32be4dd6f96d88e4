# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Limits of the system (ulimit) are met with a result or with one line that says so, and never by waiting for ever."""

import resource
import subprocess
import unittest

from command import DATA, CommandTest

CPU = DATA / "cpu-small.csv"
TRAIN = ("train", CPU, "--target", "usr", "--features", 64, "--bandwidth", 1)
MEGABYTES = (100, 150, 200, 300, 400, 600, 900)


class Limits(CommandTest):
    def limited(self, limits, *words):
        def limit():
            for kind, most in limits.items():
                resource.setrlimit(kind, (most, most))

        process = self.start(*words, "--quiet", preexec_fn=limit)
        try:
            output, errors = process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            self.fail(f"does not end: {words} within {limits}")
        return process.returncode, output.decode(), errors.decode()

    def test_address_space(self):
        self.succeed_quietly(*TRAIN, "-o", "m")
        expected = (self.folder / "m").read_bytes()
        said = set()
        for megabytes in MEGABYTES:
            for threads in (1, 2, 5):
                for words in ((*TRAIN, "-o", "n"), ("predict", "m", CPU, "-o", "p")):
                    limits = {resource.RLIMIT_AS: megabytes << 20}
                    code, _, errors = self.limited(limits, *words, "--threads", threads)
                    place = f"{words[0]}, {threads} threads, {megabytes} MB: {errors}"
                    if code == 0:
                        continue
                    self.assertEqual(code, 1, place)
                    self.assertRegex(errors, r"\Abochner: (memory: |threads: |--features: .* allowed)[^\n]+\n\Z", place)
                    said.add(errors.split(":")[1])
        self.assertIn(" memory", said)
        code, _, errors = self.limited({resource.RLIMIT_AS: 1 << 31}, *TRAIN, "-o", "n", "--threads", 2)
        self.assertEqual(code, 0, errors)
        self.assertEqual((self.folder / "n").read_bytes(), expected)


if __name__ == "__main__":
    unittest.main()
