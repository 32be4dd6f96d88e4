# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Names of columns, levels, classes and files that mean something to a terminal, a page or a shell."""

import os
import unittest

from command_table import WRITING
from odd_tables import NAMES, READING, OddTables, cells_of, quoted, text_of

FILES = (b"with space", b"-dash", b"\xff\xfe not text", b"two\nlines", b'quo"te', b"\x1b[31mred", b"x" * 200, b"-",
         b"a,b", b"#", b"%s%n", "naïve ☃".encode())


def with_names(name):
    """A table with columns of hostile names among the others."""
    heading, *rows = cells_of(name)
    return text_of([[*heading[:3], *map(quoted, NAMES), heading[3]],
                    *([*row[:3], *(str(i % (k + 2)) for k in range(len(NAMES))), row[3]] for i, row in enumerate(rows))])


def with_levels(name):
    """A table whose classes, groups and one column of text have hostile names."""
    heading, *rows = cells_of(name)
    return text_of([[*heading[:3], "level", heading[3]],
                    *([*row[:3], quoted(NAMES[i % len(NAMES)]),
                       row[3] if heading[3] == "y" else quoted(NAMES[ord(row[3][-1]) % len(NAMES)] + row[3])]
                      for i, row in enumerate(rows))])


class Hostile(OddTables):
    def expect_finite(self, place, name, content):
        super().expect_finite(place, name, content)
        if name.endswith((".html", ".svg")):
            self.assertNotIn(b"<script", content, place)
        if name in ("stdout", "inspect", "eval"):  # predictions are data, and come as they are
            self.assertNotIn(b"\x1b", content, place)

    def test_columns(self):
        for call in READING:
            with self.subTest(call.name):
                self.try_table(call, "columns", with_names(call.rows))

    def test_levels(self):
        for call in READING:
            with self.subTest(call.name):
                self.try_table(call, "levels", with_levels(call.rows))

    def test_inspect_shows_them_escaped(self):
        for make in (with_names, with_levels):
            self.file("rows.csv", make("classes.csv"))
            code, _, errors = self.call("train", "rows.csv", "-t", "class", "--map", "none", "-o", "m")
            self.assertEqual(code, 0, errors)
            for words in ((), ("--json",)):
                code, output, errors = self.call("inspect", "m", *words)
                self.assertEqual(code, 0, errors)
                self.assertNotRegex(output, rb"[\x00-\x09\x0b-\x1f\x7f]")

    def test_files_that_are_read(self):
        for call in READING:
            for name in FILES:
                with self.subTest(call.name, name=name):
                    self.lay_out(call)
                    odd = os.fsdecode(name + b".csv") if name != b"-" else "-"
                    os.rename(self.folder / call.rows, self.folder / odd)
                    before = self.contents()
                    words = [os.fsencode(word) for word in call.with_rows(odd).line("out" + call.output)]
                    code, output, _ = self.call_bytes(*words)
                    self.assertNotIn(b"\x1b", output)
                    self.assertEqual({path: content for path, content in self.contents().items() if path in before}, before)
                    if not name.startswith(b"-"):
                        self.assertEqual(code, 0)

    def test_files_that_are_written(self):
        for call in WRITING:
            made, _ = self.expected(call)
            for name in FILES:
                with self.subTest(call.name, name=name):
                    before = self.lay_out(call)
                    odd = name + call.output.encode() if name != b"-" else name
                    words = [os.fsencode(word) for word in call.line("OUT")]
                    code, _, errors = self.call_bytes(*words[:-1], odd)
                    if code == 0 and name != b"-":
                        self.assertEqual((self.folder / os.fsdecode(odd)).read_bytes(), made["out" + call.output])
                    elif name != b"-":
                        self.assertTrue(name.startswith(b"-"), errors)
                    others = {odd, *(odd + end.encode() for end in call.beside)}
                    self.assertEqual({path: content for path, content in self.contents().items()
                                      if os.fsencode(path) not in others}, before)

    def call_bytes(self, *words):
        """As call(), with words of any bytes."""
        return self.call(*(os.fsdecode(word) for word in words))


if __name__ == "__main__":
    unittest.main()
