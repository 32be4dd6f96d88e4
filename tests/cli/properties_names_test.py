# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Whatever the output of a command is called and whatever lies there or beside it, no other file is harmed."""

import fcntl
import os
import stat
import unittest

from command_table import CALLS, WRITING, TableTest, listed_commands

MINE = b"mine"
NEVER_OURS = (".part", ".tmp", ".new", ".bak", "~", ".0")
SOMETIMES_OURS = (".text", ".checkpoint", ".checkpoint.state", ".checkpoint.lock")


class Names(TableTest):
    def test_the_table_has_every_command(self):
        self.assertEqual({call.command for call in CALLS}, listed_commands())

    def each(self, check):
        """Calls check(call, output, made, before) for every command that writes a file, in a folder with its inputs."""
        for call in WRITING:
            with self.subTest(call.name):
                made, _ = self.expected(call)
                check(call, "out" + call.output, made, self.lay_out(call))

    def files(self):
        return {str(name): content for name, content in self.contents().items()}

    def expect_written(self, call, output, made, others):
        """The call succeeds, and the folder has what it writes and the others."""
        code, _, errors = self.call(*call.line(output))
        self.assertEqual(code, 0, errors)
        self.assertEqual(self.files(), {**{str(name): content for name, content in others.items()}, **made})

    def test_an_old_file_is_replaced_and_keeps_its_mode(self):
        def check(call, output, made, before):
            path = self.file(output, "an older result")
            path.chmod(0o600)
            self.expect_written(call, output, made, before)
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)

        self.each(check)

    def test_files_beside_it_are_kept(self):
        def check(call, output, made, before):
            beside = {output + end: MINE for end in NEVER_OURS}
            for name in beside:
                self.file(name, MINE)
            self.expect_written(call, output, made, {**before, **beside})

        self.each(check)

    def test_files_of_our_own_names_are_kept(self):
        def check(call, output, _made, _before):
            beside = [output + end for end in SOMETIMES_OURS]
            for name in beside:
                self.file(name, MINE)
            code, _, errors = self.call(*call.line(output))
            self.assertIn(code, (0, 1), errors)
            self.assertEqual({self.files().get(name) for name in beside}, {MINE}, f"exit {code} {errors}")

        self.each(check)

    def test_links_beside_it_are_not_followed(self):
        def check(call, output, made, before):
            (self.folder / "precious").write_bytes(MINE)
            for end in NEVER_OURS:
                (self.folder / (output + end)).symlink_to("precious")
            self.expect_written(call, output, made, {**before, "precious": MINE,
                                                     **{output + end: MINE for end in NEVER_OURS}})

        self.each(check)

    def test_a_link_is_written_where_it_points(self):
        def check(call, output, made, before):
            for there in (True, False):
                self.lay_out(call)
                (self.folder / "far").mkdir()
                (self.folder / output).symlink_to("far/real")
                if there:
                    self.file("far/real", "an older result")
                self.expect_written(call, output, {**made, "far/real": made[output]}, before)
                self.assertTrue((self.folder / output).is_symlink())

        self.each(check)

    def test_a_device_stays_one(self):
        def check(call, _output, _made, before):
            device = self.device(f"device{call.output}", "/dev/null")
            code, _, errors = self.call(*call.line(device.name))
            self.assertIn(code, (0, 1, 2), errors)
            self.assertTrue(stat.S_ISCHR(device.stat().st_mode))
            device.unlink()
            for end in call.beside:
                (self.folder / (device.name + end)).unlink(missing_ok=True)
            self.assertEqual(self.contents(), before)

        self.each(check)

    def test_a_pipe_gets_the_result(self):
        def check(call, output, made, before):
            os.mkfifo(self.folder / output)
            reader = os.open(self.folder / output, os.O_RDONLY | os.O_NONBLOCK)
            try:
                fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 1 << 20)  # room for all, so that nobody has to read meanwhile
                code, _, errors = self.call(*call.line(output))
                self.assertEqual(os.read(reader, 1 << 20), b"" if code else made[output], errors)
            finally:
                os.close(reader)
            self.assertTrue(stat.S_ISFIFO((self.folder / output).lstat().st_mode))

        self.each(check)

    def test_an_input_is_refused(self):
        def check(call, _output, _made, _before):
            for file in call.inputs():
                self.lay_out(call)
                os.symlink(file, self.folder / "link")
                (self.folder / "hard").hardlink_to(self.folder / file)
                before = self.contents()
                for output in (file, f"./{file}", "link", "hard"):
                    code, _, errors = self.call(*call.line(output))
                    self.assertEqual(code, 1, f"-o {output}: {errors}")
                    self.assertEqual(self.contents(), before)

        self.each(check)

    def test_a_place_that_cannot_be_is_refused(self):
        def check(call, _output, _made, before):
            (self.folder / "folder").mkdir()
            for output in ("folder", "folder/", f"absent/out{call.output}", ""):
                code, _, errors = self.call(*call.line(output))
                self.assertIn(code, (1, 2), f"-o {output!r}: {errors}")
                self.assertEqual(self.contents(), before)

        self.each(check)


if __name__ == "__main__":
    unittest.main()
