# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""BOCHNER_TARGET: which instruction sets are used, and that features do not depend on them."""

import os
import re
import unittest

from command import DATA, CommandTest

CPU = DATA / "cpu-small.csv"
WITHOUT_FUSED = {"ssse3", "sse4", "scalar", "emu128"}  # outside the promise of the same bits


def limited(target):
    return {"env": {**os.environ, "BOCHNER_TARGET": target}}


class Target(CommandTest):
    def targets(self):
        """Those that this machine has."""
        _, _, errors = self.run_command("dims", "--epsilon", "0.1", "--delta", "0.1", **limited("abacus"))
        return re.search(r"expected one of (.*), which", errors)[1].split(", ")

    def test_version_names_what_is_in_use(self):
        default = re.fullmatch(r"bochner [0-9.]+ \((\w+)(\+\w+)*\)\n", self.succeed("--version"))
        self.assertEqual(default[1], self.targets()[0])
        for target in self.targets():
            self.assertIn(f"({target})", self.run_command("--version", **limited(target))[1])
            self.assertIn(f"({target})", self.run_command("--version", **limited(target.upper()))[1])

    def test_an_unknown_one_is_refused_before_any_work(self):
        for wrong in ("abacus", "+bf16", f"{self.targets()[0]}+abacus"):
            self.refuse(1, "train", CPU, "--target", "usr", "-o", "m", say="BOCHNER_TARGET", **limited(wrong))

    def test_features_are_those_of_every_other_target(self):
        self.succeed("train", CPU, "--target", "usr", "--features", 64, "-o", "m")
        self.succeed("transform", "m", CPU, "-o", "features.npy")
        features = (self.folder / "features.npy").read_bytes()
        for target in set(self.targets()) - WITHOUT_FUSED:
            code, _, errors = self.run_command("transform", "m", CPU, "-o", f"{target}.npy", **limited(target))
            self.assertEqual(code, 0, errors)
            self.assertEqual((self.folder / f"{target}.npy").read_bytes(), features, target)

    def test_ridge_models_are_those_of_every_other_target(self):
        words = ["train", CPU, "--target", "usr", "--features", 100, "--bandwidth", 3, "--solver", "cholesky"]
        self.succeed(*words, "-o", "m")
        model = (self.folder / "m").read_bytes()
        for target in set(self.targets()) - WITHOUT_FUSED:
            code, _, errors = self.run_command(*words, "-o", f"{target}.model", **limited(target))
            self.assertEqual(code, 0, errors)
            self.assertEqual((self.folder / f"{target}.model").read_bytes(), model, target)


if __name__ == "__main__":
    unittest.main()
