# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""No command depends on whether its messages can be written, and every one says if its result cannot be."""

import contextlib
import os
import pathlib
import resource
import subprocess
import unittest

from command import COMMAND
from command_table import CALLS, WRITING, TableTest, kitchen, without_times

BAD_DATA, READER_LEFT = 2, 141


@contextlib.contextmanager
def left_pipe():
    """The end for writing of a pipe that nobody reads."""
    read, write = os.pipe()
    os.close(read)
    try:
        yield write
    finally:
        os.close(write)


class Streams(TableTest):
    def raw(self, call, output="out", **options):
        """Exit code, stdout and stderr of a call without --quiet."""
        process = subprocess.run([COMMAND, *call.line(output + call.output)], cwd=self.folder, timeout=120,
                                 stdin=subprocess.DEVNULL, **{"stdout": subprocess.PIPE, **options})
        return process.returncode, process.stdout, process.stderr

    def test_messages_that_cannot_be_written_change_nothing(self):
        for call in CALLS:
            made, said = self.expected(call)
            with open("/dev/full", "wb") as full, left_pipe() as left:
                ways = {"full": {"stderr": full}, "left": {"stderr": left},
                        "closed": {"preexec_fn": lambda: os.close(2)}}
                for way, options in list(ways.items())[:1 if call.slow else None]:
                    with self.subTest(call.name, stderr=way):
                        before = self.lay_out(call)
                        code, output, _ = self.raw(call, **options)
                        self.assertEqual((code, without_times(output)), (0, said))
                        self.assertEqual({str(name): content for name, content in self.contents().items()},
                                         {**{str(name): content for name, content in before.items()}, **made})

    def test_an_error_that_cannot_be_written_has_its_exit_code(self):
        for call in CALLS:
            with open("/dev/full", "wb") as full:
                for options in ({"stderr": full}, {"preexec_fn": lambda: os.close(2)}):
                    with self.subTest(call.name):
                        self.lay_out(call)
                        words = [COMMAND, *call.line("out" + call.output), "--no-such-option"]
                        process = subprocess.run(words, cwd=self.folder, timeout=120, stdin=subprocess.DEVNULL,
                                                 stdout=subprocess.DEVNULL, **options)
                        self.assertEqual(process.returncode, 1)

    def test_a_result_that_cannot_be_printed_is_an_error(self):
        for call in CALLS:
            if not self.expected(call)[1]:
                continue
            with self.subTest(call.name), open("/dev/full", "wb") as full, left_pipe() as left:
                before = self.lay_out(call)
                made = {"out" + call.output, *("out" + call.output + end for end in call.beside)}
                ways = [({"stdout": full}, BAD_DATA), ({"preexec_fn": lambda: os.close(1)}, BAD_DATA),
                        ({"stdout": left}, READER_LEFT)]
                for options, expected in ways[:1 if call.slow else None]:
                    code, _, errors = self.raw(call, stderr=subprocess.PIPE, **options)
                    self.assertEqual(code, expected, errors)
                    self.assertEqual({name: content for name, content in self.contents().items() if str(name) not in made},
                                     before)

    def test_a_result_that_has_no_room_is_an_error(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))

        for call in WRITING:
            with self.subTest(call.name):
                before = self.lay_out(call)
                self.file("out" + call.output, "an older result")
                code, _, errors = self.call(*call.line("out" + call.output), preexec_fn=limit)
                self.assertEqual(code, BAD_DATA, errors)
                self.assertEqual(self.contents(), {**before, **self.older(call)})
                device = self.device(f"full{call.output}", "/dev/full")
                code, _, errors = self.call(*call.line(device.name))
                self.assertIn(code, (1, BAD_DATA), errors)
                device.unlink()
                self.assertEqual(self.contents(), {**before, **self.older(call)})

    def test_a_full_disk_is_an_error(self):
        disk = self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", disk], capture_output=True).returncode != 0:
            return  # no right to mount: the limit above is what there is
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=True)
        for call in WRITING:
            with self.subTest(call.name):
                for name in call.inputs():
                    self.link(name)
                (disk / "filling").write_bytes(b"x" * 4096)
                code, _, errors = self.call(*call.line(f"disk/out{call.output}"))
                self.assertEqual(code, BAD_DATA, errors)
                self.assertEqual([path.name for path in disk.iterdir()], ["filling"])

    def link(self, name):
        path = self.folder / name
        if not path.exists():
            path.symlink_to(f"{kitchen().name}/{name}")

    def older(self, call):
        return {pathlib.Path("out" + call.output): b"an older result"}


if __name__ == "__main__":
    unittest.main()
