# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""--device: the same bytes whoever makes the sums, or one line that says why not."""

import os
import unittest

from command import DATA, CommandTest

TRAIN = ("train", DATA / "cpu-small.csv", "--target", "usr", "--map", "fourier", "--features", "64", "--solver", "cholesky",
         "--quiet")


class Device(CommandTest):
    def train(self, name, *words, **given):
        code, _, errors = self.run_command(*TRAIN, "-o", name, *words, **given)
        return code, errors

    def expect_the_processors_or_a_line(self, name, code, errors):
        if code == 0:
            self.assertEqual((self.folder / name).read_bytes(), (self.folder / "cpu.model").read_bytes())
            return
        self.assertEqual(code, 1, errors)
        self.assertRegex(errors, r"\Abochner: device: cuda cannot be used: [^\n]+; use cpu\n\Z")
        self.assertFalse((self.folder / name).exists())

    def test_a_gpu_gives_the_same_model_or_one_line(self):
        self.assertEqual(self.train("cpu.model", "--device", "cpu")[0], 0)
        self.expect_the_processors_or_a_line("cuda.model", *self.train("cuda.model", "--device", "cuda"))
        environment = {**os.environ, "BOCHNER_DEVICE": "cuda"}
        self.expect_the_processors_or_a_line("named.model", *self.train("named.model", env=environment))

    def test_auto_always_works(self):
        self.assertEqual(self.train("cpu.model")[0], 0)
        self.assertEqual(self.train("auto.model", "--device", "auto")[0], 0)
        self.assertEqual((self.folder / "auto.model").read_bytes(), (self.folder / "cpu.model").read_bytes())

    def test_a_plugin_that_is_none_is_no_gpu(self):
        self.train("cpu.model")
        self.file("broken.so", b"no library")
        environment = {**os.environ, "BOCHNER_CUDA_LIBRARY": str(self.folder / "broken.so")}
        code, errors = self.train("cuda.model", "--device", "cuda", env=environment)
        self.assertEqual(code, 1)
        self.assertRegex(errors, r"\Abochner: device: cuda cannot be used: [^\n]+; use cpu\n\Z")
        self.assertEqual(self.train("auto.model", "--device", "auto", env=environment)[0], 0)

    def test_an_unknown_device_is_refused(self):
        self.refuse(1, *TRAIN, "-o", "m", "--device", "gpu", say='found "gpu"')


if __name__ == "__main__":
    unittest.main()
