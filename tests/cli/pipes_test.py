# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Rows from a pipe, results to one, and what is written under which name."""

import gzip
import os
import struct
import subprocess
import threading
import unittest

from command import COMMAND, DATA, SECONDS, CommandTest

CPU, NEW = DATA / "cpu-small.csv", DATA / "cpu-new.csv"
ADULT, ADULT_NEW = DATA / "adult-small.csv", DATA / "adult-new.csv"


class Pipes(CommandTest):
    def piped(self, text, *words):
        """The command with text at its standard input: exit code, stdout, stderr."""
        done = subprocess.run([COMMAND, *map(str, words)], cwd=self.folder, input=text, capture_output=True,
                              timeout=SECONDS)
        return done.returncode, done.stdout, done.stderr.decode()

    def train(self, *words):
        self.succeed_quietly("train", *words, "--features", 32, "--bandwidth", 4, "--lambda", 1e-4, "-o", "m")

    def test_rows_come_through_a_pipe(self):
        self.train(CPU, "--target", "usr")
        expected = self.succeed_quietly("predict", "m", NEW).encode()
        plain = NEW.read_bytes()
        for text in (plain, gzip.compress(plain)):
            for name in ("-", "/dev/stdin"):
                with self.subTest(name):
                    self.assertEqual(self.piped(text, "predict", "m", name, "-q"), (0, expected, ""))
        code, score, _ = self.piped(plain, "eval", "m", "-", "-q")
        self.assertEqual((code, score.decode()), (0, self.succeed_quietly("eval", "m", NEW)))
        self.succeed_quietly("transform", "m", NEW, "-o", "f.csv")
        code, features, _ = self.piped(plain, "transform", "m", "-", "-o", "-", "-q")
        self.assertEqual((code, features), (0, (self.folder / "f.csv").read_bytes()))

    def test_many_rows_come_through_a_pipe_in_one_pass(self):
        self.train(CPU, "--target", "usr")
        head, *lines = NEW.read_bytes().splitlines(keepends=True)
        text = head + b"".join(lines) * 400  # longer than every buffer
        code, output, errors = self.piped(text, "predict", "m", "-", "-q")
        self.assertEqual((code, errors), (0, ""))
        self.file("same.csv", text)
        self.assertEqual(output, self.succeed_quietly("predict", "m", "same.csv").encode())

    def test_other_formats_come_through_a_pipe(self):
        self.train(DATA / "adult-small.svm")
        text = (DATA / "adult-small.svm").read_bytes()
        expected = self.succeed_quietly("predict", "m", DATA / "adult-small.svm").encode()
        self.assertEqual(self.piped(text, "predict", "m", "-", "-q"), (0, expected, ""))
        self.file("a.csv", "".join(f"{i % 17},{i % 5},{i % 7}\n" for i in range(60)))
        self.succeed_quietly("train", "a.csv", "--target", "2", "--task", "regression", "--map", "fourier", "-o", "m")
        self.succeed_quietly("transform", "m", "a.csv", "-o", "x.npy")  # two columns and the target as an array
        rows = [struct.pack("<3d", i % 17, i % 5, i % 7) for i in range(60)]
        head = "{'descr': '<f8', 'fortran_order': False, 'shape': (60, 3), }".ljust(117) + "\n"
        array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + b"".join(rows)
        self.file("a.npy", array)
        expected = self.succeed_quietly("predict", "m", "a.npy").encode()
        self.assertEqual(self.piped(array, "predict", "m", "-", "-q"), (0, expected, ""))

    def test_a_named_pipe_serves_predict_and_is_refused_by_train_at_once(self):
        self.train(CPU, "--target", "usr")
        os.mkfifo(self.folder / "pipe")
        self.refuse_pipe("train", "pipe", "--target", "usr")  # nobody writes to it: it must not wait
        writer = threading.Thread(target=lambda: (self.folder / "pipe").write_bytes(NEW.read_bytes()))
        writer.start()
        self.assertEqual(self.succeed_quietly("predict", "m", "pipe"), self.succeed_quietly("predict", "m", NEW))
        writer.join()

    def refuse_pipe(self, *words):
        code, output, errors = self.run_command(*words)
        self.assertEqual((code, output), (2, ""))
        self.assertIn("read more than once", errors)

    def test_training_from_standard_input_is_refused(self):
        code, output, errors = self.piped(CPU.read_bytes(), "train", "-", "--target", "usr")
        self.assertEqual((code, output), (1, b""))
        self.assertIn("store them in a file", errors)

    def test_an_empty_or_broken_pipe_is_said(self):
        self.train(CPU, "--target", "usr")
        for text, say in ((b"", "empty"), (NEW.read_bytes()[:-30] + b"\n1,2\n", "-:")):
            code, _, errors = self.piped(text, "predict", "m", "-", "-o", "out")
            self.assertEqual(code, 2, errors)
            self.assertIn(say, errors)
            self.assertFalse((self.folder / "out").exists())

    def test_output_names(self):
        self.train(CPU, "--target", "usr")
        expected = self.succeed_quietly("predict", "m", NEW)
        self.assertEqual(self.succeed_quietly("predict", "m", NEW, "-o", "-"), expected)
        self.assertFalse((self.folder / "-").exists())
        self.succeed_quietly("predict", "m", NEW, "-o", "p.csv.gz")
        self.assertEqual(gzip.decompress((self.folder / "p.csv.gz").read_bytes()).decode(), expected)
        self.succeed_quietly("predict", "m", NEW, "-o", "p.npy")
        array = (self.folder / "p.npy").read_bytes()
        self.assertIn(b"'shape': (200, 1)", array[:128])
        for text, (value,) in zip(expected.split(), struct.iter_unpack("<d", array[128:])):
            self.assertAlmostEqual(float(text), value, delta=1e-6 * abs(value))
        for name in ("p.csv.xz", "p.parquet", "p.zip"):
            self.refuse(1, "predict", "m", NEW, "-o", name, say="expected a name such as")
        self.refuse(1, "train", CPU, "--target", "usr", "-o", "-", say="expected a file")
        self.refuse(1, "transform", "m", NEW, "-o", "x.txt", say=".npy")
        code, _, errors = self.piped(NEW.read_bytes(), "transform", "m", "-", "-o", "x.npy")
        self.assertEqual(code, 1)
        self.assertIn("only once", errors)

    def test_labels_do_not_go_into_npy(self):
        self.train(ADULT, "--target", "income")
        self.refuse(1, "predict", "m", ADULT_NEW, "-o", "p.npy", say="--scores")
        self.succeed_quietly("predict", "m", ADULT_NEW, "--scores", "-o", "p.npy")
        self.refuse(1, "predict", "m", ADULT_NEW, "--scores", "--names", "-o", "p.npy", say="--names")


class Keep(CommandTest):
    def test_columns_are_carried_along(self):
        self.file("train.csv", "id,a,y\n" + "".join(f"r{i},{i % 7},{i % 7 * 2}.5\n" for i in range(40)))
        self.succeed_quietly("train", "train.csv", "--target", "y", "--ignore", "id", "-o", "m")
        self.file("new.csv", 'a,name,id\n1,"x, ""y""",r1\n\n2,plain,r2\n')
        plain = self.succeed_quietly("predict", "m", "new.csv").split()
        self.assertEqual(self.succeed_quietly("predict", "m", "new.csv", "--keep", "id"),
                         f"r1,{plain[0]}\nr2,{plain[1]}\n")
        self.assertEqual(self.succeed_quietly("predict", "m", "new.csv", "--keep", "id,name", "--keep", "0", "--names"),
                         f'id,name,a,y\nr1,"x, ""y""",1,{plain[0]}\nr2,plain,2,{plain[1]}\n')
        done = subprocess.run([COMMAND, "predict", "m", "-", "--keep", "id", "-q"], cwd=self.folder,
                              input=(self.folder / "new.csv").read_bytes(), capture_output=True, timeout=SECONDS)
        self.assertEqual(done.stdout.decode(), f"r1,{plain[0]}\nr2,{plain[1]}\n")
        self.refuse(2, "predict", "m", "new.csv", "--keep", "idd", say="did you mean id")

    def test_many_rows_keep_their_own_cells(self):
        rows = "".join(f"id{i},{i % 97}\n" for i in range(30000))
        self.file("many.csv", "id,a\n" + rows)
        self.file("train.csv", "a,y\n" + "".join(f"{i},{3 * i}.5\n" for i in range(97)))
        self.succeed_quietly("train", "train.csv", "--target", "y", "--features", 16, "--bandwidth", 50, "-o", "m")
        lines = self.succeed_quietly("predict", "m", "many.csv", "--keep", "id,a", "--threads", 3).splitlines()
        self.assertEqual(len(lines), 30000)
        self.assertTrue(all(line.startswith(f"id{i},{i % 97},") for i, line in enumerate(lines)))
        self.assertEqual([line.split(",")[2] for line in lines], self.succeed_quietly("predict", "m", "many.csv").split())

    def test_headings_have_no_spaces(self):
        self.succeed_quietly("train", ADULT, "--target", "income", "--learner", "logistic", "--C", 1, "--features", 32,
                             "--bandwidth", 4, "-o", "m")
        head = self.succeed_quietly("predict", "m", ADULT_NEW, "--names", "--scores", "--probabilities").split("\n")[0]
        self.assertEqual(head, "income,score:>50K,probability:<=50K,probability:>50K")

    def test_a_kept_target_has_another_name_than_its_prediction(self):
        for rows, target in ((ADULT, "income"), (DATA / "cpu-small.csv", "usr")):
            self.succeed_quietly("train", rows, "--target", target, "--features", 32, "--bandwidth", 4, "-o", "m")
            head = self.succeed_quietly("predict", "m", rows, "--names", "--keep", target).split("\n")[0]
            self.assertEqual(head, f"{target},predicted:{target}")

    def test_keep_is_for_csv(self):
        self.succeed_quietly("train", DATA / "adult-small.svm", "--features", 32, "--bandwidth", 4, "-o", "m")
        self.refuse(2, "predict", "m", DATA / "adult-small.svm", "--keep", "0", say="--keep")


class SavedFiles(CommandTest):
    """A named pipe has no end and no middle: where a saved file is expected it is refused, not waited for."""

    def test_a_pipe_is_no_saved_file(self):
        self.file("rows.csv", "a,b,y\n" + "".join(f"{i % 7},{i * i % 11},{i}.25\n" for i in range(40)))
        os.mkfifo(self.folder / "pipe")
        for words in (("predict", "pipe", "rows.csv"), ("eval", "pipe", "rows.csv"), ("report", "pipe", "rows.csv", "--json"),
                      ("explain", "pipe", "rows.csv"),
                      ("transform", "pipe", "rows.csv", "-o", "x.csv"), ("inspect", "pipe"),
                      ("merge", "pipe", "-o", "x"), ("solve", "pipe", "-o", "x"), ("sample", "pipe", "--rows", 2, "-o", "x.csv"),
                      ("accumulate", "rows.csv", "--spec", "pipe", "-o", "x"), ("neighbors", "pipe", "rows.csv"),
                      ("retrieve", "pipe", "word"), ("svd", "rows.csv", "--spec", "pipe", "--rank", 1, "-o", "x"),
                      ("text", "rows.csv", "--model", "pipe", "-o", "x.svm"),
                      ("text", "rows.csv", "--counts", "pipe", "-o", "x.svm"),
                      ("check", "rows.csv", "--model", "pipe")):
            process = self.start(*words)
            try:
                _, errors = process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                self.fail(f"{words} waits")
            self.assertEqual(process.returncode, 3, (words, errors))
            self.assertIn(b"pipe: is not a regular file", errors, words)


if __name__ == "__main__":
    unittest.main()
