#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The extension inside a wheel is tagged as the wheel is, what types and licence need is in it, and it is small.

    check_wheel.py WHEEL
"""

import json
import os
import sys
import zipfile

MOST_BYTES = 8_000_000  # bytes of a wheel that carries its libraries


def main():
    path = sys.argv[1]
    names = zipfile.ZipFile(path).namelist()
    interpreter, abi, _ = path.removesuffix(".whl").split("-")[-3:]
    modules = [name for name in names if name.startswith("bochner/_core") and name.endswith(".so")]
    problems = []
    if len(modules) != 1:
        problems.append(f"{len(modules)} extensions, expected one")
    elif abi == "abi3" and not modules[0].endswith(".abi3.so"):
        problems.append(f"{modules[0]} in a wheel of the stable ABI")
    elif abi != "abi3" and f"-{interpreter[2:]}-" not in modules[0]:
        problems.append(f"{modules[0]} in a wheel for {interpreter}")
    for needed in ("bochner/py.typed", "bochner/_core.pyi", "bochner/__init__.pyi"):
        if needed not in names:
            problems.append(f"lacks {needed}")
    bills = [name for name in names if name.endswith(".dist-info/sboms/bochner.cdx.json")]
    parts = json.loads(zipfile.ZipFile(path).read(bills[0]))["components"] if bills else []
    if len(parts) < 7 or not all(part["version"] for part in parts):
        problems.append(f"lacks a bill of materials with versions, found {parts}")
    if not any(name.endswith("LICENSE") for name in names):
        problems.append("lacks LICENSE")
    if "manylinux" in path and os.path.getsize(path) > MOST_BYTES:
        problems.append(f"{os.path.getsize(path)} bytes, expected at most {MOST_BYTES}")
    for problem in problems:
        print(f"error: {path}: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
