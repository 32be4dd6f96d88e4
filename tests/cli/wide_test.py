# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""--memory is kept where files are wide, or claim to be: the largest resident set is within 5 % of it, or the file is
refused before more is taken. Address space is limited too, so that a failure cannot take the machine."""

import gzip
import lzma
import os
import random
import resource
import struct
import subprocess
import unittest

from command import COMMAND, CommandTest

MEGA = 2**20
TRAIN = ("--features", 8, "--bandwidth", 1, "--lambda", 1e-3, "--threads", 2)


def npy(shape, data):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def members(piece, count):
    """A gzip file of the piece many times over: large, and made at once."""
    return gzip.compress(piece, 1, mtime=0) * count


class Wide(CommandTest):
    def peak(self, *words):
        """Exit code, messages and largest resident set."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        with open(self.folder / "messages", "w+b") as messages:
            process = subprocess.Popen([COMMAND, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=messages, preexec_fn=limit)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            messages.seek(0)
            return process.returncode, messages.read().decode(), usage.ru_maxrss * 1024

    def expect(self, codes, memory, *words, say=None):
        code, said, resident = self.peak(*words, "--memory", f"{memory}M")
        place = f"bochner {' '.join(map(str, words))} --memory {memory}M\n{said}"
        self.assertIn(code, codes, place)
        self.assertLessEqual(resident, 1.05 * memory * MEGA, place)
        if code:
            self.assertEqual(len(said.splitlines()), 1, place)
        if say:
            self.assertIn(say, said, place)
        return code, said

    def sparse(self, name, rows, most):
        draw = random.Random(5)
        lines = []
        for i in range(rows):
            index = sorted(draw.sample(range(1, most), 5)) + [most]
            lines.append(f"{i % 2} " + " ".join(f"{j}:{draw.random():.3f}" for j in index) + "\n")
        self.file(name, "".join(lines))

    def test_an_index_that_claims_billions_of_inputs(self):
        self.file("bomb.svm", "1 1:1\n0 1:2\n1 2000000000:3\n")
        self.expect((2,), 500, "train", "bomb.svm", *TRAIN, "--quiet", say="bomb.svm:3:1: index 2000000000")
        self.expect((2,), 500, "accumulate", "bomb.svm", "-o", "s", "--quiet", say="bomb.svm:3:1: index 2000000000")

    def test_sparse_rows_of_millions_of_inputs(self):
        self.sparse("wide.svm", 200, 2 * 10**7)
        for memory in (100, 400, 1000):
            self.expect((1, 2), memory, "train", "wide.svm", *TRAIN, "--quiet", say="--memory")
        self.expect((1, 2), 400, "accumulate", "wide.svm", "-o", "s", "--quiet", say="--memory")
        self.sparse("less.svm", 200, 3 * 10**5)
        self.expect((0,), 400, "train", "less.svm", *TRAIN, "-o", "m", say="memory:")
        self.expect((0,), 400, "predict", "m", "less.svm", "-o", "p")

    def test_packed_arrays_that_claim_what_they_do_not_hold(self):
        self.file("bomb.npy.gz", gzip.compress(npy("(2, 200000000)", b""), mtime=0))
        for command in (("train", "bomb.npy.gz", "--target", -1, *TRAIN), ("accumulate", "bomb.npy.gz", "--target", -1,
                                                                           "-o", "s")):
            self.expect((2,), 500, *command, "--quiet", say="bomb.npy.gz: ends within row 0 of 200000000 columns")

    def test_packed_arrays_of_millions_of_columns(self):
        columns = 2 * 10**6
        self.file("wide.npy.gz", gzip.compress(npy(f"(2, {columns})", b""), mtime=0) + members(bytes(MEGA), 32))
        self.expect((2,), 100, "train", "wide.npy.gz", "--target", -1, *TRAIN, "--quiet", say=f"{columns} columns")

    def test_a_line_of_hundreds_of_megabytes(self):
        for name, piece in (("line.csv.gz", b"1" * MEGA), ("cells.csv.gz", b"1," * (MEGA // 2))):
            self.file(name, members(piece, 400))
            self.expect((2,), 100, "train", name, "--target", -1, *TRAIN, "--quiet", say=f"{name}:1:1: a row longer")
        self.file("line.svm.gz", members(b"1:1 " * (MEGA // 4), 400))
        self.expect((2,), 100, "train", "line.svm.gz", *TRAIN, "--quiet", say="a row longer")

    def test_tables_of_many_columns(self):
        def table(name, rows, columns):
            draw = random.Random(3)
            lines = [",".join(f"x{j}" for j in range(columns)) + "\n"]
            lines += [",".join(f"{draw.random():.3f}" for _ in range(columns)) + "\n" for _ in range(rows)]
            self.file(name, "".join(lines))

        table("wide.csv", 12, 60000)
        self.expect((2,), 60, "train", "wide.csv", "--target", -1, *TRAIN, "--quiet", say="wide.csv:1:1: 60000 columns")
        self.expect((0, 1, 2), 250, "train", "wide.csv", "--target", -1, *TRAIN, "--quiet")
        table("less.csv", 60, 4000)
        self.expect((0,), 120, "train", "less.csv", "--target", -1, *TRAIN, "-o", "m", say="memory:")

    def test_dictionaries_larger_than_the_memory(self):
        text = b"a,y\n" + b"".join(b"%d,%d.5\n" % (i % 7, i) for i in range(100))
        filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 256 * MEGA}]
        self.file("rows.csv.xz", lzma.compress(text, filters=filters))
        self.expect((2,), 200, "train", "rows.csv.xz", "--target", "y", *TRAIN, "--quiet", say="dictionary")
        self.expect((0,), 1200, "train", "rows.csv.xz", "--target", "y", *TRAIN, "-o", "m")


if __name__ == "__main__":
    unittest.main()
