# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Bad input gives one clear line and the right exit code, and changes no file."""

import gzip
import os
import pathlib
import signal
import threading
import time
import unittest

from command import DATA, CommandTest

USAGE, BAD_DATA, BAD_MODEL = 1, 2, 3
CPU = DATA / "cpu-small.csv"


class BadData(CommandTest):
    def refuse_file(self, name, content, *words, say=None):
        """Whether or not there is a model that could be overwritten."""
        self.file(name, content)
        for output in ("new.model", "old.model"):
            self.file("old.model", "precious")
            self.refuse(BAD_DATA, "train", name, *words, "-o", output, say=say)

    def test_csv(self):
        for name, content, say in (
            ("empty.csv", "", "empty.csv"),
            ("header.csv", "a,b\n", "no rows"),
            ("ragged.csv", "a,b\n1,2\n3\n4,5\n", "ragged.csv:3"),
            ("long.csv", "a,b\n1,2\n3,4,5\n4,5\n", "long.csv:3"),
            ("inf.csv", "a,b\n1,2\n5,3\n-inf,5\n", "inf.csv:4:1"),
            ("target.csv", "a,b\n1,2\n3,\n4,5\n", "target.csv:3:3"),
            ("nan_target.csv", "a,b\n1,2.5\n3,nan\n4,5.5\n", "nan_target.csv:3:3"),
            ("huge.csv", "a,b\n1,2\n1e999,3\n4,5\n", "huge.csv:3:1"),
        ):
            with self.subTest(name):
                self.refuse_file(name, content, "--target", "b", say=say)

    def test_svmlight(self):
        for name, content in (
            ("empty.svm", ""),
            ("twice.svm", "1 1:2 2:1\n-1 2:3 2:1\n"),
            ("nan.svm", "1 1:2\n-1 1:nan\n"),
            ("inf.svm", "1 1:2\n-1 1:inf\n"),
            ("word.svm", "1 1:2\n-1 1:x\n"),
        ):
            with self.subTest(name):
                self.refuse_file(name, content, say=name)

    def test_npy(self):
        for name, content in (("empty.npy", b""), ("short.npy", b"\x93NUMPY\x01\x00"), ("no.npy", b"hello, world")):
            with self.subTest(name):
                self.refuse_file(name, content, "--target", "0", say=name)

    def test_truncated_gz(self):
        whole = gzip.compress(CPU.read_bytes())
        for length in (0, 1, 10, len(whole) // 2, len(whole) - 9, len(whole) - 1):
            with self.subTest(length):
                self.refuse_file("cut.csv.gz", whole[:length], "--target", "usr", say="cut.csv.gz")

    def test_columns_and_classes_that_are_not_there(self):
        for words in (("--target", "nosuch"), ("--target", "99"), (), ("--target", "usr", "--weights", "nosuch"),
                      ("--target", "usr", "--ignore", "nosuch"), ("--target", "usr", "--scale", "nosuch=log")):
            self.refuse(BAD_DATA, "train", CPU, *words, "-o", "m")
        self.refuse(BAD_DATA, "train", DATA / "adult-small.csv", "--target", "income", "--class-weight", "rich=2")

    def test_missing_file_and_folder(self):
        self.refuse(BAD_DATA, "train", "nosuch.csv", "--target", "a", "-o", "m", say="nosuch.csv")
        self.refuse(BAD_DATA, "train", ".", "--target", "a", "-o", "m")
        self.refuse(BAD_DATA, "train", CPU, "--target", "usr", "--validation", "nosuch.csv", "-o", "m", say="nosuch.csv")

    def test_missing_cells_are_refused_on_demand(self):
        self.file("gap.csv", "a,b,c\n1,2,.5\n,3,1.5\n4,5,2.5\n")
        self.refuse(BAD_DATA, "train", "gap.csv", "--target", "c", "--missing", "error", "-o", "m", say="gap.csv:3")

    def test_unwritable_output(self):
        self.file("plain", "text")
        for output in ("nosuch/m", "plain/m", "."):
            self.refuse(BAD_DATA, "train", CPU, "--target", "usr", "-o", output)
        if os.path.exists("/dev/full"):
            self.succeed_quietly("train", CPU, "--target", "usr", "--features", 32, "-o", "m")
            with open("/dev/full", "wb") as full:
                self.refuse(BAD_DATA, "predict", "m", CPU, stdout=full)

    def test_an_input_is_never_overwritten(self):
        self.file("a.csv", CPU.read_bytes())
        self.refuse(USAGE, "train", "a.csv", "--target", "usr", "-o", "./a.csv", say="a.csv")
        self.succeed_quietly("train", "a.csv", "--target", "usr", "--features", 32, "-o", "m")
        self.refuse(USAGE, "predict", "m", "a.csv", "-o", "m")
        self.refuse(USAGE, "predict", "m", "a.csv", "-o", "a.csv")


class BadNumbers(CommandTest):
    def test_counts_are_whole_numbers_without_a_sign(self):
        for words in (("train", CPU, "--target", "usr", "--features"), ("train", CPU, "--target", "usr", "--seed"),
                      ("graph", CPU, "-k"), ("train", CPU, "--target", "usr", "--max-levels")):
            for value in ("-1", "1e3", "0x10", "3.5", "99999999999999999999", ""):
                self.refuse(USAGE, *words, value, say=f"found '{value}', expected a whole number")
        self.refuse(USAGE, "train", CPU, "--target", "usr", "--test", "half", say="found 'half', expected a number")
        self.refuse(USAGE, "train", CPU, "--target", "usr", "--test", "", say="expected a value")
        self.refuse(USAGE, "train", CPU, "--target", "usr", "--test", "last:1", say="such as 0.2 or last:0.2")
        self.refuse(USAGE, "train", CPU, "--target", "usr", "--test", "last:0.2", "--group", "lread", say="with --group")
        self.refuse(USAGE, "kmeans", CPU, "--clusters", 2, "--restarts", 0, "-o", "m", say="found 0, expected 1 to 1000")
        self.refuse(USAGE, "cca", CPU, "--target", "usr", "--rank", 0, "-o", "m", say="--rank: found 0, expected")

    def test_leading_zeros_do_not_count(self):
        output = self.succeed_quietly("train", CPU, "--target", "usr", "--features", "010")
        self.assertIn(" 10 features", output)

    def test_an_empty_word_is_no_wish_for_nothing(self):
        self.refuse(USAGE, "train", CPU, "--target", "usr", "-o", "", say="--output: found an empty word")
        self.refuse(USAGE, "train", "", "--target", "usr", say="FILE: found an empty word")


class BadNewRows(CommandTest):
    def setUp(self):
        super().setUp()
        self.succeed_quietly("train", CPU, "--target", "usr", "--features", 32, "-o", "m")
        self.file("out.csv", "precious")

    def refuse_all(self, name, say=None):
        self.refuse(BAD_DATA, "predict", "m", name, "-o", "out.csv", say=say)
        self.refuse(BAD_DATA, "predict", "m", name, "-o", "new.csv", say=say)
        self.refuse(BAD_DATA, "eval", "m", name, "--json", say=say)
        self.refuse(BAD_DATA, "transform", "m", name, "-o", "new.npy", say=say)

    def test_rows_that_do_not_fit_the_model(self):
        lines = CPU.read_text().splitlines(keepends=True)
        cells = lines[5].split(",")
        self.file("ragged.csv", "".join(lines[:5]) + ",".join(cells[:-1]) + "\n")
        self.file("inf.csv", "".join(lines[:5]) + ",".join(["inf"] + cells[1:]))
        self.file("word.csv", "".join(lines[:5]) + ",".join(["word"] + cells[1:]))
        self.file("cut.csv.gz", gzip.compress("".join(lines).encode())[:-20])
        for name, say in (("ragged.csv", ":6"), ("inf.csv", ":6:1"), ("word.csv", ":6:1"), ("cut.csv.gz", "cut.csv.gz"),
                          (DATA / "adult-new.csv", "missing"), ("nosuch.csv", "nosuch.csv")):
            with self.subTest(str(name)):
                self.refuse_all(name, say)

    def test_eval_needs_the_target(self):
        rows = [line.rsplit(",", 1)[0] for line in CPU.read_text().splitlines()]
        self.file("bare.csv", "\n".join(rows) + "\n")
        self.refuse(BAD_DATA, "eval", "m", "bare.csv")
        self.succeed_quietly("predict", "m", "bare.csv")


class BadModel(CommandTest):
    def test_model_cut_anywhere(self):
        self.succeed_quietly("train", CPU, "--target", "usr", "--features", 16, "-o", "m")
        whole = (self.folder / "m").read_bytes()
        places = {0, 1, 7, 8, 9, len(whole) - 1, *range(0, len(whole), max(1, len(whole) // 40))}
        for place in sorted(places):
            self.file("cut", whole[:place])
            with self.subTest(place):
                self.refuse(BAD_MODEL, "predict", "cut", CPU, "-o", "p", say="cut")
        self.file("long", whole + b"\0")
        for words in (("predict", "long", CPU), ("eval", "long", CPU), ("inspect", "long"),
                      ("transform", "long", CPU, "-o", "z.npy")):
            self.refuse(BAD_MODEL, *words, say="long")

    def test_what_is_no_model(self):
        self.file("text", "hello")
        for model in ("nosuch", ".", "text", CPU):
            self.refuse(BAD_MODEL, "inspect", model)
            self.refuse(BAD_MODEL, "predict", model, CPU, "-o", "p")


class Misuse(CommandTest):
    def test_words(self):
        train = ("train", CPU, "--target", "usr", "-o", "m")
        for words in (("fly",), ("train",), ("predict", "m"), ("dims",), ("dims", "--epsilon", "7"),
                      (*train, "--nosuch"), (*train, "--features", "many"), (*train, "--features", "-2"),
                      (*train, "--features", "0"), (*train, "--kernel", "gausian"), (*train, "--map", "nosuch"),
                      (*train, "--map", "fourier:form=square"), (*train, "--lambda", "-1"), (*train, "--lambda", "x"),
                      (*train, "--bandwidth", "0"), (*train, "--bandwidth", "1,2"), (*train, "--bandwidth", "wide"),
                      (*train, "--gamma", "1", "--bandwidth", "1"), (*train, "--gamma", "1", "--kernel", "cauchy"),
                      (*train, "--task", "guess"), (*train, "--solver", "magic"), (*train, "--scale", "tall"),
                      (*train, "--threads", "-1"), (*train, "--memory", "lots"), (*train, "--memory", "12"),
                      (*train, "--class-weight", "a=2"), (*train, "--select", "luck"), (*train, "--delimiter", "ab")):
            with self.subTest(words[2:]):
                self.refuse(USAGE, *words)


class Signals(CommandTest):
    def setUp(self):
        super().setUp()
        self.succeed_quietly("train", CPU, "--target", "usr", "--features", 32, "-o", "m")
        rows = CPU.read_bytes().splitlines(keepends=True)
        self.file("many.csv", rows[0] + b"".join(rows[1:]) * 100)

    def is_writing(self, process):
        """Whether it has an output open: a file without a name, which only /proc shows, or a temporary one."""
        try:
            files = [os.readlink(link) for link in pathlib.Path(f"/proc/{process.pid}/fd").iterdir()]
        except OSError:
            files = []  # it is just closing one, or gone
        return any(f.startswith(f"{self.folder}/#") for f in files) or list(self.folder.glob(".bochner-*"))

    def test_ctrl_c_leaves_nothing_behind(self):
        before = self.contents()
        read, write = os.pipe()
        heading, *rows = CPU.read_bytes().splitlines(keepends=True)

        def feed():  # rows without an end: the command cannot be done before it is stopped
            try:
                with os.fdopen(write, "wb", buffering=0) as pipe:
                    pipe.write(heading)
                    while True:
                        pipe.write(b"".join(rows))
            except BrokenPipeError:
                pass

        feeder = threading.Thread(target=feed)
        process = self.start("predict", "m", "-", "-o", "p.csv", stdin=read)
        os.close(read)
        feeder.start()
        while process.poll() is None and not self.is_writing(process):
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        feeder.join()
        self.assertEqual((process.returncode, output, errors), (130, b"", b""))
        self.assertEqual(self.contents(), before)

    def test_a_reader_that_leaves_is_no_error(self):
        process = self.start("predict", "m", "many.csv")
        process.stdout.readline()
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertIn(process.wait(timeout=60), (0, 141))


if __name__ == "__main__":
    unittest.main()
