# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""No file is replaced or removed through the names of a checkpoint or an output but those that are ours."""

import os
import resource
import shutil
import signal
import unittest

from command import DATA, OTHER_PROCESSOR, CommandTest

FEW = ("--target", "usr", "--features", 32, "--bandwidth", 1)
STOPPED = ("--stop-after", 20)
CHECKPOINT = ("", ".state", ".lock")


class Names(CommandTest):
    def setUp(self):
        super().setUp()
        shutil.copy(DATA / "cpu-small.csv", self.folder / "rows.csv")

    def names(self):
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()}

    def stop(self, *words):
        code, _, errors = self.run_command("train", "rows.csv", *FEW, *STOPPED, "--quiet", *words)
        self.assertEqual(code, 130, errors)

    def test_the_output_is_not_its_checkpoint(self):
        for output in ("m", "./m", "m.state", "m.lock"):
            self.refuse(1, "train", "rows.csv", *FEW, "--checkpoint", "m", "-o", output, say="is the output")
        os.symlink("m", self.folder / "link")
        self.refuse(1, "train", "rows.csv", *FEW, "--checkpoint", "m", "-o", "link", say="is the output")
        self.refuse(1, "train", "rows.csv", *FEW, "--checkpoint", "link", "-o", "m", say="is the output")

    def test_an_input_is_not_a_name_of_the_checkpoint(self):
        for end in CHECKPOINT:
            shutil.copy(self.folder / "rows.csv", self.folder / f"m.checkpoint{end}")
            self.refuse(1, "train", f"m.checkpoint{end}", *FEW, "-o", "m", say="is an input")
            self.refuse(1, "train", "rows.csv", *FEW, "--validation", f"m.checkpoint{end}", "-o", "m", say="is an input")
            (self.folder / f"m.checkpoint{end}").unlink()

    def test_a_file_that_is_no_checkpoint_is_left_alone(self):
        self.file("notes.txt", "my notes")
        self.refuse(1, "train", "rows.csv", *FEW, "--checkpoint", "notes.txt", "-o", "m",
                    say="notes.txt: is no checkpoint of bochner")
        self.refuse(3, "train", "rows.csv", *FEW, "--checkpoint", "notes.txt", "--resume", say="no checkpoint of bochner")
        for end in CHECKPOINT:
            notes = self.file(f"m.checkpoint{end}", "my notes")
            self.refuse(1, "train", "rows.csv", *FEW, "-o", "m", say="no checkpoint of bochner")
            notes.unlink()
        self.file("m.checkpoint.new", "my notes")  # no name of ours
        self.succeed_quietly("train", "rows.csv", *FEW, "-o", "m")
        self.assertEqual((self.folder / "m.checkpoint.new").read_text(), "my notes")

    def test_a_model_is_no_checkpoint(self):
        self.succeed_quietly("train", "rows.csv", *FEW, "-o", "m")
        self.refuse(1, "train", "rows.csv", *FEW, "--checkpoint", "m", "-o", "other", say="no checkpoint of bochner")

    def test_links_are_not_followed(self):
        self.file("precious", "mine")
        for end in CHECKPOINT:
            link = self.folder / f"m.checkpoint{end}"
            for target in ("precious", "nothing"):
                link.symlink_to(target)
                self.refuse(1, "train", "rows.csv", *FEW, "-o", "m", say="is a link")
                link.unlink()

    def test_an_old_checkpoint_goes_with_the_new_model(self):
        self.stop("-o", "m")
        self.assertIn("m.checkpoint", self.names())
        code, _, errors = self.run_command("train", "rows.csv", *FEW, "--seed", 2, "-o", "m")
        self.assertEqual(code, 0, errors)
        self.assertIn("is of an earlier training", errors)
        self.assertEqual(self.names(), {"rows.csv", "m"})

    def test_two_trainings_do_not_share_one(self):
        rows = (self.folder / "rows.csv").read_bytes().splitlines(keepends=True)
        self.file("many.csv", rows[0] + b"".join(rows[1:]) * 40)
        first = self.start("train", "many.csv", *FEW[:2], "--features", 2048, "--bandwidth", 1, "-o", "m", "--quiet",
                           "--checkpoint-seconds", 0)
        while first.poll() is None and "m.checkpoint" not in self.names():
            pass
        first.send_signal(signal.SIGSTOP)  # it lives, whatever the time
        try:
            self.assertIsNone(first.poll())
            held = {name: content for name, content in self.contents().items() if "checkpoint" in str(name)}
            for words in ((), ("--resume",)):
                code, output, errors = self.run_command("train", "rows.csv", *FEW, "-o", "m", "--quiet", *words)
                self.assertEqual((code, output), (2, ""))
                self.assertRegex(errors, rf"\Abochner: m.checkpoint: another training .*process {first.pid}\).*\n\Z")
            self.assertEqual({name: self.contents()[name] for name in held}, held)
        finally:
            first.send_signal(signal.SIGCONT)
            first.kill()
            first.communicate()
        self.succeed_quietly("train", "rows.csv", *FEW, "-o", "m")  # the dead hold nothing
        self.assertEqual(self.names(), {"rows.csv", "many.csv", "m"})

    def test_data_changed_anywhere_are_other_data(self):
        rows = (self.folder / "rows.csv").read_bytes().splitlines(keepends=True)
        text = bytearray(rows[0] + b"".join(rows[1:]) * 30)
        self.assertGreater(len(text), 3 << 20)
        self.file("rows.csv", bytes(text))
        self.stop("-o", "m")
        at = len(text) // 2
        while not (chr(text[at]).isdigit() and chr(text[at - 1]).isdigit()):
            at += 1
        text[at] = ord("1") if text[at] != ord("1") else ord("2")
        self.file("rows.csv", bytes(text))
        self.refuse(2, "train", "rows.csv", *FEW, "-o", "m", "--quiet", "--resume", say="the data (by their hash)")


    def test_a_checkpoint_of_another_kind_of_processor_is_said(self):
        self.stop("-o", "m")
        code, _, errors = self.run_command("train", "rows.csv", *FEW, "-o", "m", "--resume", env=OTHER_PROCESSOR)
        self.assertEqual(code, 0, errors)
        self.assertEqual(errors.count("was saved on another kind of processor"), 1, errors)
        self.stop("-o", "m")
        code, _, errors = self.run_command("train", "rows.csv", *FEW, "-o", "m", "--resume")
        self.assertEqual(code, 0, errors)
        self.assertNotIn("another kind of processor", errors)


class Outputs(CommandTest):
    def setUp(self):
        super().setUp()
        shutil.copy(DATA / "cpu-small.csv", self.folder / "rows.csv")

    def test_a_file_beyond_the_limit_is_an_error(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        self.file("m", "an old model")
        code, _, errors = self.run_command("train", "rows.csv", *FEW, "-o", "m", "--quiet", preexec_fn=limit)
        self.assertEqual(code, 2, errors)
        self.assertRegex(errors, r"\Abochner: m: cannot write: File too large; raise ulimit -f[^\n]*\n\Z")
        self.assertEqual({str(path) for path in self.contents()}, {"rows.csv", "m"})
        self.assertEqual((self.folder / "m").read_text(), "an old model")

    def test_a_link_is_followed_to_a_file_that_is_not_there_yet(self):
        (self.folder / "models").mkdir()
        link = self.folder / "m"
        link.symlink_to("models/new")
        self.succeed_quietly("train", "rows.csv", *FEW, "-o", "m")
        self.assertTrue(link.is_symlink())
        self.assertGreater((self.folder / "models/new").stat().st_size, 1000)

    def test_no_command_writes_over_what_it_reads(self):
        self.succeed_quietly("train", "rows.csv", *FEW, "-o", "m")
        self.succeed_quietly("accumulate", "rows.csv", *FEW[:2], "-o", "a.survey")
        self.succeed_quietly("accumulate", "rows.csv", "--spec", "a.survey", "--features", 32, "-o", "a.sum")
        for file in ("rows.csv", "m", "a.survey", "a.sum"):
            os.symlink(file, self.folder / f"to-{file}")
            (self.folder / f"hard-{file}").hardlink_to(self.folder / file)
        shutil.copy(self.folder / "rows.csv", self.folder / "features.csv")

        def refused(file, *words):
            for output in (file, f"./{file}", f"to-{file}", f"hard-{file}"):
                self.refuse(1, *words, "-o", output, say="is an input")

        refused("rows.csv", "train", "rows.csv", *FEW)
        refused("rows.csv", "predict", "m", "rows.csv")
        refused("m", "predict", "m", "rows.csv")
        refused("rows.csv", "accumulate", "rows.csv", *FEW[:2])
        refused("a.survey", "accumulate", "rows.csv", "--spec", "a.survey")
        refused("a.sum", "merge", "a.sum")
        refused("a.sum", "solve", "a.sum")
        self.refuse(1, "transform", "m", "features.csv", "-o", "features.csv", say="is an input")


if __name__ == "__main__":
    unittest.main()
