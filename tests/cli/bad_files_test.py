# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Bad files, made by hand: each ends with its exit code and one line that names the file (and the place in it), and
nothing is overwritten or left behind."""

import gzip
import json
import lzma
import struct
import unittest

from command import CommandTest

ROWS = "a,b,y\n" + "".join(f"{i % 7},{i * i % 11},{i}.25\n" for i in range(40))
CLASSES = "a,b,y\n" + "".join(f"{i % 7},{i * i % 11},{'pq'[i % 2]}\n" for i in range(40))
TRAIN = ("--features", 4, "--bandwidth", 1, "--lambda", 1e-3, "--threads", 1, "--quiet")


def numbers(line, row):
    """Forty good rows, but for the line given."""
    lines = ROWS.splitlines(keepends=True)
    lines[line - 1] = row
    return "".join(lines)


def npy(header, data=b"", version=1):
    text = header.encode()
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes((version, 0)) + size + text + data


def npy_of(descr="'<f8'", order="False", shape="(2, 3)", data=bytes(48)):
    return npy(f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n", data)


NAN, INFINITY = struct.pack("<d", float("nan")), struct.pack("<d", float("inf"))

# name, content, words (the target is the last column unless they say), what the message says behind the file's name.
CSV = [
    ("nothing", "", "1:1"),
    ("a newline", "\n", "1:1"),
    ("blank lines", "\n\n  \n", ""),
    ("a header alone", "a,b,y\n", ""),
    ("a header and blank lines", "a,b,y\n\n\n", ""),
    ("a row too short", numbers(7, "1,2\n"), "7:1"),
    ("a row too long", numbers(7, "1,2,3,4\n"), "7:1"),
    ("one cell in the last row", ROWS + "1", "42:1"),
    ("infinity", numbers(9, "inf,2,3\n"), "9:1"),
    ("minus infinity", numbers(9, "1,-inf,3\n"), "9:3"),
    ("a number beyond double", numbers(9, "1,1e999,3\n"), "9:3"),
    ("a number beyond float", numbers(9, "1,1e39,3\n"), "9:3"),
    ("an infinite target", numbers(9, "1,2,inf\n"), "9:5"),
    ("a missing target", numbers(9, "1,2,\n"), "9:5"),
    ("text among numbers", numbers(9, "1,oops,3\n"), "9:3"),
    ("text among targets", numbers(9, "1,2,oops\n"), "9:5"),
    ("a quote never closed", numbers(9, '1,"2,3\n'), "9:3"),
    ("text behind a quote", numbers(9, '1,"2"x,3\n'), "9:6"),
    ("zero bytes", b"a,b,y\n\0\0\0,1,2\n", ""),
    ("UTF-16", ROWS.encode("utf-16"), "1:1"),
    ("UTF-16 of the other kind", b"\xfe\xff" + ROWS.encode("utf-16-be"), "1:1"),
    ("noise", bytes(range(256)) * 8, ""),
    ("no input beside the target", "y\n" + "1\n2.5\n" * 9, ""),
    ("one class", "a,y\n" + "1,x\n2,x\n" * 9, ""),
]
CSV_WORDS = [
    ("a target that is not there", ROWS, ("--target", "z"), 2, "'z'"),
    ("a target behind the last column", ROWS, ("--target", "7"), 2, "7"),
    ("weights that are not there", ROWS, ("--target", "y", "--weights", "w"), 2, "'w'"),
    ("weights that are the target", ROWS, ("--target", "y", "--weights", "y"), 2, "y"),
    ("a negative weight", numbers(9, "1,-2,3\n"), ("--target", "y", "--weights", "b"), 2, ":9:3"),
    ("a weight of text", numbers(9, "1,x,3\n"), ("--target", "y", "--weights", "b"), 2, ":9:3"),
    ("a missing weight", numbers(9, "1,,3\n"), ("--target", "y", "--weights", "b"), 2, ":9:3"),
    ("an infinite weight", numbers(9, "1,inf,3\n"), ("--target", "y", "--weights", "b"), 2, ":9:3"),
    ("an ignored column that is not there", ROWS, ("--target", "y", "--ignore", "q"), 2, "'q'"),
    ("a category that is not there", ROWS, ("--target", "y", "--category", "q"), 2, "'q'"),
    ("a category that is the target", ROWS, ("--target", "y", "--category", "y"), 2, "y"),
    ("all inputs ignored", ROWS, ("--target", "y", "--ignore", "a,b"), 2, ""),
    ("a missing cell on demand", numbers(9, ",2,3\n"), ("--target", "y", "--missing", "error"), 2, ":9:1"),
    ("rows that all drop out", "a,y\n,1\n,2\n", ("--target", "y", "--missing", "drop"), 2, ""),
    ("numbers as svmlight", ROWS, ("--format", "svmlight"), 2, ":1:1"),
    ("text as npy", ROWS, ("--target", "y", "--format", "npy"), 2, ".npy"),
    ("a class weight of no class", CLASSES, ("--target", "y", "--class-weight", "z=2"), 2, "'z'"),
    ("text as numbers", CLASSES, ("--target", "y", "--task", "regression"), 2, ":2:"),
]
SVMLIGHT = [
    ("nothing", "", ":1:1"),
    ("comments alone", "# a\n# b\n", ":1:1"),
    ("labels alone", "1\n-1\n1\n", ""),
    ("a label of text", "1 1:2\nx 1:2\n", ":2:1"),
    ("a label that is no number", "nan 1:2\n", ":1:1"),
    ("an infinite label", "inf 1:2\n", ":1:1"),
    ("a label beyond double", "1e999 1:2\n", ":1:1"),
    ("no label", "1 1:2\n2:3\n", ":2:1"),
    ("a value of text", "1 1:2\n1 2:x\n", ":2:5"),
    ("no value", "1 1:\n", ":1:5"),
    ("no index", "1 :2\n", ":1:3"),
    ("a value that is no number", "1 1:nan\n", ":1:5"),
    ("an infinite value", "1 1:inf\n", ":1:5"),
    ("a value beyond double", "1 1:1e999\n", ":1:5"),
    ("a word without a colon", "1 1:2 7\n", ":1:7"),
    ("a negative index", "1 -1:2\n", ":1:3"),
    ("an index with a point", "1 1.5:2\n", ":1:3"),
    ("an index twice", "1 1:2 3:4 1:5\n", ":1:1"),
    ("an index beyond 32 bits", "1 4294967296:1\n", ":1:3"),
    ("an index beyond 64 bits", "1 99999999999999999999:1\n", ":1:3"),
    ("an index that fills the machine", "1 1:1\n-1 4294967294:1\n", ":2:1"),
    ("two colons", "1 1:2:3\n", ":1:5"),
]
NPY = [
    ("nothing", b""),
    ("its first bytes", b"\x93NUMPY"),
    ("text", ROWS.encode()),
    ("a version to come", npy("{}", version=1)[:6] + b"\x09\x00" + npy("{}")[8:]),
    ("a cut header", npy_of()[:40]),
    ("a header of 4 GB", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}"),
    ("an empty header", npy("")),
    ("an empty dict", npy("{}\n")),
    ("no descr", npy("{'fortran_order': False, 'shape': (2, 3), }\n", bytes(48))),
    ("no fortran_order", npy("{'descr': '<f8', 'shape': (2, 3), }\n", bytes(48))),
    ("no shape", npy("{'descr': '<f8', 'fortran_order': False, }\n", bytes(48))),
    ("records", npy_of("[('a', '<f8')]")),
    ("big-endian", npy_of("'>f8'")),
    ("complex numbers", npy_of("'<c16'", data=bytes(96))),
    ("texts", npy_of("'<U5'")),
    ("objects", npy_of("'|O'")),
    ("halves", npy_of("'<f2'")),
    ("an order of its own", npy_of(order="Maybe")),
    ("one dimension", npy_of(shape="(6,)")),
    ("three dimensions", npy_of(shape="(2, 3, 1)")),
    ("no rows", npy_of(shape="(0, 3)", data=b"")),
    ("no columns", npy_of(shape="(2, 0)", data=b"")),
    ("a negative shape", npy_of(shape="(-2, 3)")),
    ("a shape of text", npy_of(shape="(two, 3)")),
    ("a shape that overflows", npy_of(shape="(4611686018427387904, 8)")),
    ("a shape of more than there is", npy_of(shape="(200, 3)")),
    ("cut data", npy_of(data=bytes(47))),
    ("not a number", npy_of(data=bytes(16) + NAN + bytes(24))),
    ("infinity", npy_of(data=bytes(40) + INFINITY)),
]


def compressed():
    text = ROWS.encode()
    packed, xz = gzip.compress(text, mtime=0), lzma.compress(text)
    damaged = bytearray(packed)
    damaged[-6] ^= 1  # its checksum
    bad_xz = bytearray(xz)
    bad_xz[len(xz) // 2] ^= 0x40
    wide = npy_of(shape="(2, 200000000)", data=b"")
    return [
        ("rows.csv.gz", "a plain file", text),
        ("rows.csv.gz", "nothing", b""),
        ("rows.csv.gz", "a cut file", packed[: len(packed) // 2]),
        ("rows.csv.gz", "a cut checksum", packed[:-3]),
        ("rows.csv.gz", "a damaged file", bytes(damaged)),
        ("rows.csv.gz", "an empty text", gzip.compress(b"", mtime=0)),
        ("rows.csv.gz", "other bytes behind it", packed + b"junk"),
        ("rows.csv.xz", "a plain file", text),
        ("rows.csv.xz", "a cut file", xz[:-9]),
        ("rows.csv.xz", "a damaged file", bytes(bad_xz)),
        ("rows.csv.zst", "a plain file", text),
        ("rows.csv.zst", "its first bytes", b"\x28\xb5\x2f\xfd"),
        ("rows.csv.zst", "noise", b"\x28\xb5\x2f\xfd" + bytes(range(64))),
        ("rows.npy.gz", "a shape of more than there is", gzip.compress(wide, mtime=0)),
        ("rows.npy.gz", "Fortran order", gzip.compress(npy_of(order="True"), mtime=0)),
        ("rows.npy.gz", "cut data", gzip.compress(npy_of(data=bytes(40)), mtime=0)),
    ]


class Archive:
    """A saved file, taken apart; put together again without the checksum, as older versions wrote it."""

    def __init__(self, content):
        size = struct.unpack("<Q", content[:8])[0]
        self.header = json.loads(content[8 : 8 + size])
        self.metadata = self.header.pop("__metadata__")
        self.metadata.pop("checksum")
        self.tree = json.loads(self.metadata["bochner"])
        data = content[8 + size :]
        self.arrays = {name: data[slice(*entry["data_offsets"])] for name, entry in self.header.items()}

    def content(self):
        entries, data = {}, b""
        for name, entry in sorted(self.header.items(), key=lambda item: item[1]["data_offsets"]):
            entries[name] = {**entry, "data_offsets": [len(data), len(data) + len(self.arrays[name])]}
            data += self.arrays[name]
        metadata = {**self.metadata, "bochner": json.dumps(self.tree)}
        return with_header(json.dumps({"__metadata__": metadata, **entries}).encode(), data)


def with_header(header, data=b""):
    return struct.pack("<Q", len(header)) + header + data


def broken_anyhow(good):
    """What is wrong with any saved file, whatever it holds."""
    altered, odd = bytearray(good), bytearray(good)
    altered[-1] ^= 1
    odd[good.index(b'"checksum"') + 3] ^= 1
    version = Archive(good)
    version.metadata["format_version"] = "2"
    extra = Archive(good)
    extra.metadata["x"] = "y"
    return [
        ("nothing", b""),
        ("seven bytes", good[:7]),
        ("a cut file", good[:-1]),
        ("a byte too many", good + b"\0"),
        ("an altered byte", bytes(altered)),
        ("an altered name of the checksum", bytes(odd)),
        ("a header beyond the file", b"\xff" * 8 + good[8:]),
        ("no JSON", with_header(b"{")),
        ("a list", with_header(b"[]")),
        ("no metadata", with_header(b"{}")),
        ("metadata of another program", with_header(b'{"__metadata__":{"format":"pt"}}')),
        ("a tree that is a number", with_header(b'{"__metadata__":{"bochner":"7","format_version":"1"}}')),
        ("a tree without a type", with_header(b'{"__metadata__":{"bochner":"{}","format_version":"1"}}')),
        ("deep JSON", with_header(b"[" * 100000)),
        ("a key twice", with_header(b'{"__metadata__":{"bochner":"{}","bochner":"{}","format_version":"1"}}')),
        ("a version to come", version.content()),
        ("unknown metadata", extra.content()),
        ("rows", ROWS.encode()),
    ]


class BadFiles(CommandTest):
    def expect(self, name, code, *words, say):
        with self.subTest(name):
            self.tried += 1
            self.refuse(code, *words, say=say)

    def setUp(self):
        super().setUp()
        self.tried = 0
        self.file("old.model", "the model that was there before")

    def expect_rows_refused(self, name, file, content, *words, code=2, say=""):
        path = self.file(file, content)
        self.expect(f"{file}: {name}", code, "train", file, *words, *TRAIN, "-o", "old.model", say=say)
        path.unlink()

    def test_csv(self):
        for name, content, place in CSV:
            self.expect_rows_refused(name, "rows.csv", content, "--target", -1, say="rows.csv:" + place)
        for name, content, words, code, say in CSV_WORDS:
            self.expect_rows_refused(name, "rows.csv", content, *words, code=code, say=say)
        self.assertEqual(self.tried, len(CSV) + len(CSV_WORDS))

    def test_svmlight(self):
        for name, content, place in SVMLIGHT:
            self.expect_rows_refused(name, "rows.svm", content, say="rows.svm" + place)

    def test_npy(self):
        for name, content in NPY:
            self.expect_rows_refused(name, "rows.npy", content, "--target", -1, say="rows.npy: ")

    def test_compressed(self):
        for file, name, content in compressed():
            self.expect_rows_refused(name, file, content, "--target", -1, say=file + ":")

    def saved(self, *words, rows=ROWS):
        """The bytes of what a good training saves."""
        self.file("good.csv", rows)
        self.succeed(*words, *TRAIN, "-o", "good")
        content = (self.folder / "good").read_bytes()
        (self.folder / "good").unlink()
        return content

    def variant(self, good, change):
        archive = Archive(good)
        change(archive)
        return archive.content()

    def test_models(self):
        good = self.saved("train", "good.csv", "--target", "y")
        classes = self.saved("train", "good.csv", "--target", "y", rows=CLASSES)
        survey = self.saved_survey()
        self.file("good.csv", ROWS)

        def no_head(a):
            a.header.pop("head.weights"), a.arrays.pop("head.weights")

        def other_type(a):
            a.header["head.weights"]["dtype"] = "I64"

        def other_shape(a):
            a.header["head.weights"]["shape"].reverse()

        def not_finite(a):
            a.arrays["head.weights"] = NAN + a.arrays["head.weights"][8:]

        def one_label(a):
            a.tree["schema"]["labels"].pop()

        def same_labels(a):
            a.tree["schema"]["labels"] = ["p", "p"]

        def many_inputs(a):
            a.tree["schema"]["inputs"] = 4000000000

        def no_map(a):
            a.tree["head"]["type"] = "no_such_map"

        cases = broken_anyhow(good) + [
            ("no head", self.variant(good, no_head)),
            ("a head of whole numbers", self.variant(good, other_type)),
            ("a head on its side", self.variant(good, other_shape)),
            ("a head that is not finite", self.variant(good, not_finite)),
            ("one label", self.variant(classes, one_label)),
            ("the same label twice", self.variant(classes, same_labels)),
            ("more inputs than columns", self.variant(good, many_inputs)),
            ("a map nobody knows", self.variant(good, no_map)),
        ]
        for name, content in cases:
            self.file("bad.model", content)
            self.expect(f"model: {name}", 3, "predict", "bad.model", "good.csv", "-o", "old.model", say="bad.model: ")
        self.expect("model: inspect", 3, "inspect", "bad.model", say="bad.model: ")
        self.file("bad.model", survey)
        self.expect("model: a survey", 3, "predict", "bad.model", "good.csv", "-o", "old.model", say="bad.model: ")

    def saved_survey(self):
        self.file("good.csv", ROWS)
        self.succeed("accumulate", "good.csv", "--target", "y", "-o", "survey", "--quiet")
        content = (self.folder / "survey").read_bytes()
        (self.folder / "survey").unlink()
        return content

    def test_surveys_and_sums(self):
        survey = self.saved_survey()
        self.file("survey", survey)
        self.succeed("accumulate", "good.csv", "--spec", "survey", "--features", 4, "--bandwidth", 1, "-o", "sum",
                     "--quiet")
        good = (self.folder / "sum").read_bytes()

        def no_shape(a):
            a.header["survey.sample.keys"]["shape"] = []
            a.arrays["survey.sample.keys"] = bytes(8)

        def many_inputs(a):
            a.tree["survey"]["schema"].update(sparse=True, inputs=4000000000)

        def flag(a):
            a.tree["spec"]["intercept"] = 1

        def no_gram(a):
            a.header.pop("gram.whole_gram"), a.arrays.pop("gram.whole_gram")

        def many_features(a):
            a.tree["gram"]["features"] = 1 << 30

        def no_parts(a):
            a.tree["parts"] = [7]

        cases = broken_anyhow(good) + [
            ("an array without a shape", self.variant(survey, no_shape)),
            ("more inputs than are there", self.variant(survey, many_inputs)),
            ("a flag that is a number", self.variant(good, flag)),
            ("no sums", self.variant(good, no_gram)),
            ("more features than are there", self.variant(good, many_features)),
            ("parts that are numbers", self.variant(good, no_parts)),
        ]
        for name, content in cases:
            self.file("bad.sum", content)
            self.expect(f"sum: {name}", 3, "solve", "bad.sum", "-o", "old.model", "--quiet", say="bad.sum: ")
        for words in (("merge", "bad.sum", "sum", "-o", "old.model"), ("accumulate", "good.csv", "--spec", "bad.sum", "-o", "old.model")):
            self.expect(f"sum: {words[0]}", 3, *words, "--quiet", say="bad.sum: ")

    def test_checkpoints(self):
        self.file("good.csv", ROWS)
        words = ("train", "good.csv", "--target", "y", *TRAIN[:-1], "--checkpoint", "c", "-o", "old.model")
        process = self.start(*words, "--checkpoint-seconds", 0, "--stop-after", 3)
        process.communicate(timeout=60)
        self.assertTrue((self.folder / "c").exists(), "the training was not stopped at its third point")
        good = (self.folder / "c").read_bytes()

        def results(a):
            a.tree["steps"]["log"]["results"] = 7

        def steps(a):
            a.tree["steps"] = [1]

        def step(a):
            a.tree["steps"]["log"] = 7

        cases = [case for case in broken_anyhow(good) if case[0] != "a tree without a type"] + [
            ("results that are a number", self.variant(good, results)),
            ("steps that are a list", self.variant(good, steps)),
            ("a step that is a number", self.variant(good, step)),
        ]
        # What does not even begin as a checkpoint may be a file of the user's: without --resume the place is refused,
        # which is misuse.
        of_another = ("nothing", "seven bytes", "no JSON", "a list", "no metadata", "metadata of another program",
                      "a tree that is a number", "deep JSON", "a key twice", "a version to come", "unknown metadata",
                      "rows")
        for name, content in cases:
            self.file("c", content)
            self.expect(f"checkpoint: {name}", 3, *words, "--resume", "--quiet", say="c: ")
            if name in of_another:
                self.expect(f"place: {name}", 1, *words, "--quiet", say="c: ")


if __name__ == "__main__":
    unittest.main()
