#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Writes the example at the head of each public header as a program's function, for a compiler to judge.

    examples.py INCLUDE OUT

An example is the comment that begins with `// Example:` right behind `#pragma once`; its lines begin with `//   `.
"""

import pathlib
import re
import sys

EXAMPLE = re.compile(r"#pragma once\n\n// Example:\n((?:// {3}.*\n|//\n)+)")
STANDARD = ["algorithm", "atomic", "cmath", "cstdint", "cstdio", "span", "stdexcept", "string", "vector"]


def main():
    include, out = (pathlib.Path(p) for p in sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    without = []
    for header in sorted(include.glob("bochner/*.h")):
        if header.stem == "bochner":  # all the others
            continue
        found = EXAMPLE.search(header.read_text(encoding="utf-8"))
        if not found:
            without.append(header.name)
            continue
        lines = [line[5:] for line in found[1].splitlines()]
        text = [f"#include <{name}>" for name in STANDARD]
        text += ["#include <bochner/bochner.h>", "using namespace bochner;", f"void example_{header.stem}() {{"]
        text += [f'#line 1 "the example of {header.name}"', *lines, "}", ""]
        (out / f"example_{header.stem}.cc").write_text("\n".join(text), encoding="utf-8")
    if without:
        sys.exit(f"no example behind `#pragma once` in {', '.join(without)}; write `// Example:` and a few lines of code")


if __name__ == "__main__":
    main()
