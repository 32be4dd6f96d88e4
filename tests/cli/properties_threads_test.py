# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The bytes of a result depend on nothing but the rows, the words and the seed."""

import unittest

from command_table import CALLS, TableTest, has_option, table, without_times
from odd_tables import TARGETS

ROWS, FEWER = 2500, 300  # more than two chunks of 1024 rows, and fewer for what takes long


class Threads(TableTest):
    def results(self, call, *words):
        """Every file and the stdout of a call that must not fail."""
        self.lay_out(call)
        if call.rows and "--spec" not in call.words:  # which knows the range of the targets
            count = FEWER if call.rows == "many.csv" or call.command == "reduce" else ROWS
            self.file(call.rows, table(count, 21, TARGETS[call.rows]))
        code, output, errors = self.call(*call.line("out" + call.output), *words)
        self.assertEqual(code, 0, errors)
        return {**self.contents(), "stdout": without_times(output)}

    def test_any_number_of_threads_gives_the_same_bytes(self):
        for call in CALLS:
            if not has_option(call.command, "--threads"):
                continue
            with self.subTest(call.name):
                one = self.results(call, "--threads", 1)
                for threads in (2, 16):
                    self.assertEqual(self.results(call, "--threads", threads), one, f"{threads} threads")

    def test_the_same_seed_gives_the_same_bytes(self):
        for call in CALLS:
            if not has_option(call.command, "--seed"):
                continue
            with self.subTest(call.name):
                self.assertEqual(self.results(call, "--seed", 5), self.results(call, "--seed", 5))


if __name__ == "__main__":
    unittest.main()
