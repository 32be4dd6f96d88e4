#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Writes src/methods/text/unicode_tables.h: which characters words are made of, and what they are in small letters.

    tools/make_unicode.py > src/methods/text/unicode_tables.h
"""

import sys
import unicodedata


def ranges(holds):
    """First and last of every run of code points that hold."""
    runs, begin = [], None
    for c in range(0x110000 + 1):
        held = c < 0x110000 and not 0xD800 <= c < 0xE000 and holds(chr(c))
        if held and begin is None:
            begin = c
        if not held and begin is not None:
            runs.append((begin, c - 1))
            begin = None
    return runs


def lower_runs():
    """First, last, step and what is added, for runs of capital letters."""
    runs = []
    for c in range(0x110000):
        if 0xD800 <= c < 0xE000:
            continue
        low = ord(chr(c).lower()[0])
        if low == c:
            continue
        if runs:
            first, last, step, delta = runs[-1]
            if delta == low - c and c - last in (1, 2) and step in (0, c - last):
                runs[-1] = (first, c, c - last, delta)
                continue
        runs.append((c, c, 0, low - c))
    return [(first, last, max(step, 1), delta) for first, last, step, delta in runs]


def table(kind, name, rows, comment):
    print(f"// {comment}")
    print(f"inline constexpr {kind} {name}[] = {{")
    line = "   "
    for row in rows:
        word = " {" + ", ".join(hex(x) if i < 2 else str(x) for i, x in enumerate(row)) + "},"
        if len(line) + len(word) > 118:
            print(line)
            line = "   "
        line += word
    print(line)
    print("};\n")


def main():
    print("// SPDX-License-Identifier: Apache-2.0")
    print("// Copyright 2026 The bochner authors\n")
    print("#pragma once\n")
    print("#include <cstdint>\n")
    print("namespace bochner {\n")
    print(f"// The tables are those of Unicode {unicodedata.unidata_version}, written by tools/make_unicode.py.")
    print("struct CharacterRun {\n  std::uint32_t first, last;\n};")
    print("struct LowerRun {\n  std::uint32_t first, last;\n  std::int32_t step, delta;\n};\n")
    print("// clang-format off")
    word = ranges(lambda c: c.isalnum() or c == "_")
    table("CharacterRun", "kWordRuns", word, "Letters, numbers and _: \\w of Python and of most others.")
    marks = ranges(lambda c: unicodedata.category(c) in ("Mn", "Mc"))
    table("CharacterRun", "kMarkRuns", marks, "Marks that belong to the letter before them.")
    table("LowerRun", "kLowerRuns", lower_runs(), "Capital letters: every step-th from first to last, plus delta.")
    print("// clang-format on\n")
    print("}  // namespace bochner")


if __name__ == "__main__":
    sys.exit(main())
