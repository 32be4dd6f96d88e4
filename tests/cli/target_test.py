# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""BOCHNER_TARGET: which instruction sets are used, and that features do not depend on them."""

import hashlib
import os
import re
import unittest

from command import DATA, OTHER_PROCESSOR, CommandTest

CPU = DATA / "cpu-small.csv"
ADULT = DATA / "adult-small.csv"
WITHOUT_FUSED = {"sse4", "scalar", "emu128"}  # the same bits are not promised for these


# Ridge by its words, and the SHA-256 of the model's arrays: docs/parts.md promises them to every machine. Where a change
# means to change features or solutions, they change with it, on all machines at once.
MODELS = {
    "fourier by cholesky": (["--features", 100, "--solver", "cholesky"],
        "983745e2797c5b7590e80a397eba96c4bf1556be2ba743fa295bad0cffd89f8b"),
    "fourier by cg": (["--features", 100, "--solver", "cg"],
        "e88725a70f3fcc943d16d2cf2ec5ca89196fd4b806a5e4bf890bafffc3db05e7"),
    "fourier by dual": (["--features", 200, "--solver", "dual", "--lambda", 1e-4],
        "cab13b021632e6a869e817eed770af06ab882b147bd9ae1616a06b82e60a9278"),
    "nystroem": (["--features", 64, "--map", "nystroem"],
        "7d04688c8422b0be9db71c90254990847b2fde5cc59b0c80c3325f74b08a05a5"),
    "bins": (["--features", 20, "--map", "binning"],
        "5d3df0a3804497e781ce3996f583224e6e70b50917763f46b75a51d8724b5b5d"),
}


# The same of the automatic machine: what it learns from, the target, and the digest.
RACED = 400  # rows
AUTOMATIC = {
    "numbers": (CPU, "usr", "70b077b4f9e9fd65c4f26e4bd6e123d1adb9bb6739333aff3d35f80b62ae1c83"),
    "classes": (ADULT, "income", "89412d9e834841c4e2685dd340c2f4735be98f87e1e3ac6210ad374137de9241"),
}


def arrays_digest(path):
    """The digest of a safetensors file without its header, which names the version and the options."""
    data = path.read_bytes()
    return hashlib.sha256(data[8 + int.from_bytes(data[:8], "little"):]).hexdigest()


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
        for name, (words, _) in MODELS.items():
            words = ["train", CPU, "--target", "usr", "--bandwidth", 3, *words]
            self.succeed(*words, "-o", "m")
            model = (self.folder / "m").read_bytes()
            for target in set(self.targets()) - WITHOUT_FUSED:
                code, _, errors = self.run_command(*words, "-o", "other", **limited(target))
                self.assertEqual(code, 0, errors)
                self.assertEqual((self.folder / "other").read_bytes(), model, f"{name}, {target}")

    def test_ridge_models_are_those_of_every_machine(self):
        for name, (words, digest) in MODELS.items():
            self.succeed("train", CPU, "--target", "usr", "--bandwidth", 3, *words, "-o", "m")
            self.assertEqual(arrays_digest(self.folder / "m"), digest, name)

    def race(self, file, target, output, **options):
        few = self.file("few.csv", b"".join(file.read_bytes().splitlines(keepends=True)[:1 + RACED]))
        code, _, errors = self.run_command("train", few, "--target", target, "--effort", "fast", "-o", output, **options)
        self.assertEqual(code, 0, errors)
        return (self.folder / output).read_bytes()

    def test_automatic_machines_are_those_of_every_other_target(self):
        for name, (file, target, _) in AUTOMATIC.items():
            model = self.race(file, target, "m")
            for limit in set(self.targets()) - WITHOUT_FUSED:
                self.assertEqual(self.race(file, target, "other", **limited(limit)), model, f"{name}, {limit}")

    def test_automatic_machines_do_not_see_the_blas(self):
        for name, (file, target, _) in AUTOMATIC.items():
            other = self.race(file, target, "other", env=OTHER_PROCESSOR)
            self.assertEqual(other, self.race(file, target, "m"), name)

    def test_automatic_machines_are_those_of_every_machine(self):
        for name, (file, target, digest) in AUTOMATIC.items():
            self.race(file, target, "m")
            self.assertEqual(arrays_digest(self.folder / "m"), digest, name)


if __name__ == "__main__":
    unittest.main()
