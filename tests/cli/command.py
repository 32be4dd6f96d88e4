# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What the tests of the command share. BOCHNER_COMMAND is the program, BOCHNER_TEST_DATA the repository's data/."""

import json
import os
import pathlib
import platform
import subprocess
import tempfile
import unittest

COMMAND = os.environ["BOCHNER_COMMAND"]
DATA = pathlib.Path(os.environ["BOCHNER_TEST_DATA"])
SECONDS = 300
# OpenBLAS as on a processor other than any that runs these tests.
OTHER_PROCESSOR = {**os.environ, "OPENBLAS_CORETYPE": "CORTEXA57" if platform.machine() == "aarch64" else "Nehalem"}


class CommandTest(unittest.TestCase):
    """Each test has an empty folder of its own, in which the command runs."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="bochner-cli-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def start(self, *words, **options):
        return subprocess.Popen([COMMAND, *map(str, words)], cwd=self.folder,
                                stdin=options.pop("stdin", subprocess.DEVNULL),
                                stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, **options)

    def run_command(self, *words, **options):
        process = self.start(*words, **options)
        output, errors = process.communicate(timeout=SECONDS)
        return process.returncode, (output or b"").decode(), errors.decode()

    def succeed(self, *words):
        """stdout of a command that must not fail."""
        code, output, errors = self.run_command(*words)
        self.assertEqual(code, 0, f"bochner {' '.join(map(str, words))}: {errors}")
        return output

    def succeed_quietly(self, *words):
        code, output, errors = self.run_command(*words, "--quiet")
        self.assertEqual((code, errors), (0, ""), words)
        return output

    def evaluate(self, model, file):
        return json.loads(self.succeed_quietly("eval", model, file, "--json"))

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def contents(self):
        """Every file of the folder with its bytes."""
        return {p.relative_to(self.folder): p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}

    def expect_resumed(self, points, *words):
        """A command stopped at these points of its work, each time resumed, ends in the bytes of one run."""
        self.succeed(*words, "-o", "expected")
        saved = 0
        for point in points:
            code, _, errors = self.run_command(*words, "--quiet", "--checkpoint-seconds", 0, "--stop-after", point,
                                               "-o", "m", "--resume", "--threads", 1)
            self.assertIn(code, (0, 130), errors)
            if code == 0:
                break
            self.assertRegex(errors, r"\Abochner: stopped[^\n]*\n\Z")
            saved += (self.folder / "m.checkpoint").exists()
        self.assertGreater(saved, 0, words)
        self.succeed(*words, "-o", "m", "--resume", "--threads", 3)
        self.assertEqual((self.folder / "m").read_bytes(), (self.folder / "expected").read_bytes(), words)
        self.assertFalse((self.folder / "m.checkpoint").exists())

    def refuse(self, code, *words, say=None, **options):
        """The command must end with this code and one line on stderr, print no result and change no file."""
        before = self.contents()
        found, output, errors = self.run_command(*words, **options)
        place = f"bochner {' '.join(map(str, words))}\n{errors}"
        self.assertEqual(found, code, place)
        self.assertEqual(output, "", place)
        self.assertRegex(errors, r"\Abochner: [^\n]+\n\Z", place)
        if say is not None:
            self.assertIn(say, errors, place)
        self.assertEqual(self.contents(), before, place)
