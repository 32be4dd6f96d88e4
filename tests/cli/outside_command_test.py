# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Commands of others: `bochner NAME` runs the program bochner-NAME of PATH if bochner has no command of that name."""

import os
import signal
import subprocess
import unittest

from command import CommandTest

UNKNOWN = "bochner: found '{}', expected a command; see bochner --help\n"


class OutsideCommand(CommandTest):
    def program(self, path, script, mode=0o755):
        """A shell script, in a folder that programs() has on PATH if `path` begins with bin/."""
        file = self.folder / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(mode)

    def programs(self, *words, **options):
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return self.run_command(*words, env={**os.environ, "PATH": path}, **options)

    def test_gets_the_words_as_they_are_and_gives_its_status(self):
        self.program("bin/bochner-toy", 'echo $#; printf "%s|" "$@"; echo oops >&2; exit 42')
        self.assertEqual(self.programs("toy"), (42, "0\n|", "oops\n"))
        self.assertEqual(self.programs("toy", "a b", "", "--json", "*"), (42, "4\na b||--json|*|", "oops\n"))

    def test_gets_standard_input(self):
        self.program("bin/bochner-toy", "cat")
        (self.folder / "rows").write_text("1,2\n")
        with open(self.folder / "rows", "rb") as rows:
            self.assertEqual(self.programs("toy", stdin=rows), (0, "1,2\n", ""))

    def test_gets_the_words_that_bochner_has_too(self):
        self.program("bin/bochner-toy", 'echo "$@"')
        for words in (("--help",), ("--version",), ("train", "--help"), ("--nothing",), ("x", "predict")):
            self.assertEqual(self.programs("toy", *words), (0, " ".join(words) + "\n", ""))
        self.assertEqual(self.programs("help", "toy"), (0, "--help\n", ""))
        self.assertEqual(self.programs("--quiet", "toy", "x"), (0, "x --quiet\n", ""))

    def test_signals_are_as_they_were(self):
        for name in ("PIPE", "XFSZ", "TERM"):
            self.program("bin/bochner-toy", f"kill -s {name} $$")
            code, output, errors = self.programs("toy")
            self.assertEqual((code, output), (-signal.Signals[f"SIG{name}"], ""), errors)

    def test_commands_of_bochner_stay(self):
        before = self.succeed("train", "--help")
        for name in ("train", "help", "bochner"):
            self.program(f"bin/bochner-{name}", "echo outside")
        self.assertEqual(self.programs("train", "--help"), (0, before, ""))
        self.assertEqual(self.programs("help")[1], self.succeed("--help"))

    def test_an_unknown_name_is_refused_as_ever(self):
        self.program("bin/bochner-locked", "echo outside", mode=0o644)
        (self.folder / "bin" / "bochner-folder").mkdir()
        for name in ("zzzzzz", "locked", "folder", ""):
            self.assertEqual(self.programs(name, "x"), (1, "", UNKNOWN.format(name)))
        self.assertIn("did you mean 'train'", self.programs("trian", "x.csv")[2])
        self.refuse(1, "zzzzzz", say=UNKNOWN.format("zzzzzz"))

    def test_paths_and_options_never_lead_outside(self):
        self.program("bochner-x/toy", "echo outside")
        self.program("bin/bochner-", "echo outside")
        self.program("bin/bochner--toy", "echo outside")
        self.program("bin/bochner---toy", "echo outside")
        for name in ("x/toy", "", "-toy", "--toy", f"{self.folder}/bochner-x/toy"):
            code, output, errors = self.programs(name)
            self.assertEqual((code, output), (1, ""), name)
            self.assertRegex(errors, r"\Abochner: found '[^\n]*\n\Z")

    def test_a_refusal_that_nobody_reads_is_no_signal(self):
        reading, writing = os.pipe()
        os.close(reading)
        process = subprocess.run([os.environ["BOCHNER_COMMAND"], "zzzzzz"], stderr=writing, cwd=self.folder)
        os.close(writing)
        self.assertEqual(process.returncode, 1)


if __name__ == "__main__":
    unittest.main()
