# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Random projections as a command: models without a target, files of every kind, chains before a learner."""

import gzip
import json
import re
import struct
import unittest

from command import DATA, CommandTest

CPU = DATA / "cpu-small.csv"
KINDS = ("gaussian", "sign", "sparse", "verysparse", "fastjl", "srht", "hash")


def read_npy(path):
    """Rows of a float32 file."""
    data = path.read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    header = data[10:10 + size].decode()
    rows, cols = (int(n) for n in header.split("(")[1].split(")")[0].split(",")[:2])
    numbers = struct.unpack(f"<{rows * cols}f", data[10 + size:])
    return [numbers[i * cols:(i + 1) * cols] for i in range(rows)]


def write_npy(path, rows):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     b"".join(struct.pack(f"<{len(r)}f", *r) for r in rows))


class Project(CommandTest):
    def rows(self, n=40, d=30):
        return [[float((i * 7 + j * 13 + i * j) % 17 - 8) if (i + j) % 3 else 0.0 for j in range(d)] for i in range(n)]

    def files(self):
        """The same rows as csv, npy and svmlight."""
        rows = self.rows()
        self.file("x.csv", "\n".join(",".join(str(v) for v in row) for row in rows) + "\n")
        write_npy(self.folder / "x.npy", rows)
        self.file("x.svm", "".join("0 " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(row) if v) + "\n"
                                   for row in rows))
        return rows

    def test_every_kind_of_every_format_gives_the_same_numbers(self):
        self.files()
        for kind in KINDS:
            found = []
            for file in ("x.csv", "x.npy", "x.svm"):
                extra = ("--no-header",) if file == "x.csv" else ()
                self.succeed_quietly("project", file, "--kind", kind, "--dims", 8, "--seed", 3, "-o", "m", *extra)
                self.succeed_quietly("transform", "m", file, "-o", "z.npy", *extra)
                found.append(read_npy(self.folder / "z.npy"))
                self.assertLess((self.folder / "m").stat().st_size, 6000 if file != "x.svm" else 1500)
            self.assertEqual((len(found[0]), len(found[0][0])), (40, 8))
            self.assertEqual(found[0], found[1], kind)
            self.assertEqual(found[0], found[2], kind)

    def test_sparse_features_are_written_without_their_zeros(self):
        self.file("s.svm", "".join(f"{i % 2} {1 + i}:{2 + i} {900 - i}:{1 + i % 2}\n" for i in range(60)))
        self.succeed_quietly("project", "s.svm", "--kind", "hash", "--dims", 300, "--seed", 3, "-o", "m")
        for name in ("z.npy", "z.svm", "z.svm.gz"):
            self.succeed_quietly("transform", "m", "s.svm", "-o", name)
        lines = (self.folder / "z.svm").read_text().splitlines()
        self.assertEqual(gzip.decompress((self.folder / "z.svm.gz").read_bytes()).decode().splitlines(), lines)
        for line, row in zip(lines, read_npy(self.folder / "z.npy"), strict=True):
            pairs = [pair.split(":") for pair in line.split()[1:]]
            self.assertLessEqual(len(pairs), 2)
            self.assertEqual({int(j) - 1: float(v) for j, v in pairs}, {j: v for j, v in enumerate(row) if v})
        self.succeed("svd", "z.svm", "--rank", 2, "-o", "factor")
        self.refuse(1, "transform", "m", "s.svm", "-o", "z.txt", "--quiet", say=".svm")

    def test_how_it_is_stored_and_computed_changes_no_number(self):
        self.files()
        for kind in KINDS:
            found = set()
            for store, threads, block in (("seed", 1, 7), ("matrix", 2, 40), ("automatic", 3, 1)):
                self.succeed_quietly("project", "x.npy", "--kind", kind, "--dims", 9, "--store", store, "-o", "m")
                self.succeed_quietly("transform", "m", "x.npy", "-o", "z.npy", "--threads", threads, "--block-rows",
                                     block)
                found.add((self.folder / "z.npy").read_bytes())
            self.assertEqual(len(found), 1, kind)

    def test_seeds_differ_and_repeat(self):
        self.files()
        models = []
        for seed in (1, 1, 2):
            self.succeed_quietly("project", "x.npy", "--kind", "sign", "--dims", 8, "--seed", seed, "-o", "m")
            models.append((self.folder / "m").read_bytes())
        self.assertEqual(models[0], models[1])
        self.assertNotEqual(models[0], models[2])

    def test_draws_until_all_pairs_are_kept(self):
        self.files()
        self.succeed("project", "x.npy", "--kind", "sign", "--dims", 24, "--until", 0.9, "-o", "m")
        seed = int(re.search(r"seed=(\d+)", json.loads(self.succeed_quietly("inspect", "m", "--json"))["map"]).group(1))
        worst = [json.loads(self.succeed_quietly("check", "x.npy", "--map", "project:kind=sign,dims=24", "--seed", s,
                                                 "--seeds", 1, "--json"))["distortion"]["worst"] for s in range(seed + 1)]
        self.assertLessEqual(worst[-1], 0.9)
        self.assertTrue(all(each > 0.9 for each in worst[:-1]), worst)
        self.succeed_quietly("project", "x.npy", "--kind", "sign", "--dims", 24, "--seed", seed, "-o", "n")
        self.assertEqual((self.folder / "m").read_bytes(), (self.folder / "n").read_bytes())
        self.refuse(1, "project", "x.npy", "--kind", "sign", "--dims", 2, "--until", 0.01, "--tries", 3, "-o", "o",
                    "--quiet", say="--dims")
        self.refuse(1, "project", "x.npy", "--kind", "sign", "--dims", 2, "--until", 5, "-o", "o", "--quiet",
                    say="below 1")
        self.refuse(1, "project", "x.npy", "--kind", "sign", "--dims", 2, "--tries", 3, "-o", "o", "--quiet",
                    say="--until")

    def test_targets_and_ignored_columns_are_left_out(self):
        self.succeed_quietly("project", CPU, "--target", "usr", "--kind", "sign", "--dims", 6, "-o", "m")
        model = json.loads(self.succeed_quietly("inspect", "m", "--json"))
        self.assertEqual((model["schema"]["inputs"], model["outputs"]), (21, 6))
        self.assertIn("kind=sign,dims=6", model["map"])
        self.succeed_quietly("project", CPU, "--ignore", "usr", "--kind", "sign", "--dims", 6, "-o", "n")
        for name in "mn":
            self.succeed_quietly("transform", name, CPU, "-o", f"{name}.npy")
        self.assertEqual((self.folder / "m.npy").read_bytes(), (self.folder / "n.npy").read_bytes())
        self.assertIn("project:kind=sign", self.succeed("inspect", "m"))

    def test_inverse_has_the_same_projection(self):
        self.files()
        self.succeed_quietly("project", "x.npy", "--kind", "gaussian", "--dims", 10, "-o", "m")
        self.succeed_quietly("transform", "m", "x.npy", "-o", "z.npy")
        self.succeed_quietly("transform", "m", "z.npy", "--inverse", "-o", "back.npy")
        self.succeed_quietly("transform", "m", "back.npy", "-o", "again.npy")
        for a, b in zip(read_npy(self.folder / "z.npy"), read_npy(self.folder / "again.npy")):
            for v, w in zip(a, b):
                self.assertAlmostEqual(v, w, delta=1e-3 * max(map(abs, a)))

    def test_memory_is_refused_with_the_way_that_fits(self):
        self.file("wide.svm", "0 1:1 1000000:2\n0 5:1\n")
        self.refuse(1, "project", "wide.svm", "--kind", "gaussian", "--dims", 10000, "--store", "matrix", "-o", "m",
                    "--memory", "8G", say="--store seed")
        for kind in ("sign", "hash", "verysparse"):
            self.succeed_quietly("project", "wide.svm", "--kind", kind, "--dims", 10000, "--store", "seed", "-o", "m")
            self.assertLess((self.folder / "m").stat().st_size, 1500)
            self.succeed_quietly("transform", "m", "wide.svm", "-o", "z.npy", "--memory", "200M")

    def test_one_row_and_few_inputs(self):
        self.file("one.csv", "a\n3\n")
        for kind in KINDS:
            self.succeed_quietly("project", "one.csv", "--kind", kind, "--dims", 1, "-o", "m")
            self.succeed_quietly("transform", "m", "one.csv", "-o", "z.npy")
            self.assertEqual(len(read_npy(self.folder / "z.npy")), 1)

    def test_mistakes_are_told(self):
        self.files()
        for words, say in ((("--kind", "gauss", "--dims", 3), "gaussian, sign"),
                           (("--dims", 0), "--dims"),
                           (("--kind", "srht", "--dims", 33), "lower the dims"),
                           (("--kind", "sign", "--dims", 3, "--density", 0.5), "density"),
                           (("--kind", "sparse", "--dims", 3, "--density", 0), "--density"),
                           (("--kind", "hash", "--dims", 3, "--signs", 4), "signs"),
                           (("--kind", "sign", "--dims", 3, "--store", "disk"), "store")):
            self.refuse(1, "project", "x.npy", *words, "-o", "m", say=say)
        self.refuse(2, "project", "absent.csv", "--kind", "sign", "--dims", 3, "-o", "m")
        self.file("nan.svm", "0 1:nan\n")
        self.refuse(2, "project", "nan.svm", "--kind", "sign", "--dims", 3, "-o", "m", say="nan.svm:1")
        self.succeed_quietly("train", CPU, "--target", "usr", "--map", "fourier", "--features", 8, "-o", "t")
        self.refuse(1, "transform", "t", CPU, "--inverse", "-o", "z.npy", say="no way back")

    def test_train_goes_through_a_projection(self):
        for map in ("project:kind=sign,dims=12", "project:kind=hash,dims=16,signs=2",
                    "project:kind=gaussian,dims=12|fourier:features=64",
                    "project:kind=sign,dims=12|project:kind=sign,dims=8|nystroem:features=20",
                    "project:kind=sign,dims=6|binning:features=20"):
            report = json.loads(self.succeed_quietly("train", CPU, "--target", "usr", "--map", map, "--json", "-o",
                                                     "m", "--test", 0.2))
            self.assertGreater(report["test"]["r2"], 0.1, map)
            self.succeed_quietly("predict", "m", CPU, "-o", "p.csv")
            before = (self.folder / "m").read_bytes()
            self.succeed_quietly("train", CPU, "--target", "usr", "--map", map, "-o", "m", "--test", 0.2, "--threads",
                                 1, "--block-rows", 1024)
            self.assertEqual((self.folder / "m").read_bytes(), before, map)
        self.refuse(1, "train", CPU, "--target", "usr", "--map", "fourier|project:dims=3", say="projection")
        self.refuse(1, "train", CPU, "--target", "usr", "--map", "project:kind=sign", say="dims=")


if __name__ == "__main__":
    unittest.main()
