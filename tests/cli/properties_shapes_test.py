# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Every command on tables of odd shapes: empty, of few rows, constant, with missing cells, broken."""

import unittest

from odd_tables import SHAPES, OddTables


class Shapes(OddTables):
    def test_shapes(self):
        self.try_all(SHAPES)


if __name__ == "__main__":
    unittest.main()
