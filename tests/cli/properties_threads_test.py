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

    def test_a_seed_gives_the_same_bytes_with_any_number_of_threads(self):
        for call in CALLS:
            seeded, shared = has_option(call.command, "--seed"), has_option(call.command, "--threads")
            if not seeded and not shared:
                continue
            seed = ("--seed", 5) if seeded else ()
            with self.subTest(call.name):
                one = self.results(call, *seed, *(("--threads", 1) if shared else ()))
                self.assertEqual(self.results(call, *seed, *(("--threads", 16) if shared else ())), one)


if __name__ == "__main__":
    unittest.main()
