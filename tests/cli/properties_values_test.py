# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Every command on numbers that are large, small, far from zero, or beyond what a float or a double holds."""

import unittest

from odd_tables import VALUES, OddTables


class Values(OddTables):
    def test_values(self):
        self.try_all(VALUES)


if __name__ == "__main__":
    unittest.main()
