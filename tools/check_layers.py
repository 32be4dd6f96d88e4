#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Includes go one way. A folder of the spine may include itself, the public headers and every folder of an earlier layer.
A method, src/methods/NAME, may include the spine and itself."""

import pathlib
import re
import sys

LAYERS = [
    ["base"],
    ["random"],
    ["backend"],
    ["rows", "kernels"],
    ["maps"],
    ["folds", "solve"],
    ["run"],
    ["learn"],
    ["choose"],
    ["model"],
    ["methods"],
    ["c_api"],
    ["cli"],
]
METHODS = [
    "anomaly", "automatic", "bins", "check", "clusters", "components", "embeddings", "explain", "mixtures", "neighbors",
    "online", "papers", "ranking", "report", "semi", "text",
]
# The one file that the spine reaches the methods by.
REGISTERED = "src/methods/registered.cc"
# A method that includes another, and why.
EXCEPTIONS = {
    ("anomaly", "bins"): "a score by the rows that share bins",
    ("anomaly", "clusters"): "the mean of the features is the sum of one cluster",
    ("anomaly", "mixtures"): "a score by the density of a mixture",
    ("check", "bins"): "grids are drawn and their length scales found as training would",
    ("explain", "bins"): "coalitions of the few columns of a grid are looked up in its table",
    ("mixtures", "clusters"): "EM starts at the centres of k-means",
    ("neighbors", "components"): "rows are searched along the axes they spread along",
    ("neighbors", "text"): "retrieval finds documents by their words",
}
MOST_LINES = 400

LAYER = {folder: i for i, layer in enumerate(LAYERS) for folder in layer}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
STANDARD = re.compile(r"^c?[a-z_]+[a-z_0-9]*$")  # <vector>, <cstdint>: no path, no .h
C_HEADER = "include/bochner_c.h"  # it is C99, whose headers are called .h


def method_of(path):
    """The NAME of methods/NAME/FILE; none: the path is of no method."""
    parts = path.split("/")
    return parts[1] if parts[0] == "methods" and len(parts) > 2 else None


def wrong_in_command(root, path, name):
    if "/" not in name or (root / "cli" / name).is_file():
        return None
    return f'{path}: the command includes "{name}", expected bochner/ headers and its own'


def wrong_in_method(path, name, used):
    """Why a file of a method may not include what another method has."""
    own, other = method_of(path.relative_to("src").as_posix()), method_of(name)
    if other in (None, own) or path.as_posix() == REGISTERED:
        return None
    used.add((own, other))
    if (own, other) in EXCEPTIONS:
        return None
    return f'{path}: {own} includes "{name}": a method includes the spine and itself, not {other}'


def wrong_in_spine(path, folder, name):
    other = name.split("/")[0]
    if "/" not in name:
        return f'{path}: includes "{name}", expected "{folder}/{name}"'
    if other == "methods":
        return f'{path}: the spine includes "{name}", a method: {REGISTERED} lists what the spine asks of methods'
    if other != folder and not (other in LAYER and LAYER[other] < LAYER[folder.split("/")[0]]):
        return f'{path}: {folder} includes "{name}", but {other} is not before {folder}'
    return None


def check_private(root, path, folder, text, used):
    """used: gets the pairs of methods of which the first includes the second."""
    if folder not in LAYER:
        return [f"{path}: folder '{folder}' is in no layer; add it to tools/check_layers.py"]
    problems = []
    method = method_of(path.relative_to("src").as_posix()) if folder == "methods" else None
    if folder == "methods" and method not in METHODS and path.as_posix() != REGISTERED:
        problems.append(f"{path}: '{method}' is no method; add it to tools/check_layers.py")
    for quote, name in INCLUDE.findall(text):
        if quote == "<" or name.startswith("bochner/"):
            continue
        if folder == "cli":
            problems.append(wrong_in_command(root, path, name))
        elif method_of(name) and folder == "methods":
            problems.append(wrong_in_method(path, name, used))
        else:
            problems.append(wrong_in_spine(path, folder if method is None else f"methods/{method}", name))
    return [problem for problem in problems if problem]


# What only some places may name: pattern, the files that may (from the root of the tree), why.
RESERVED = [
    (
        r"\b(dynamic_cast|dynamic_pointer_cast|typeid)\b",
        r"src/(rows/|run/ranks\.cc|methods/bins/grid_linear\.cc)",
        "a map says what it is by virtual functions, or by its row of a table",
    ),
    (r"\bcpu_backend\(\)", r"src/(backend|run)/", "run/compute.h and run/host.h have the processor's operations"),
    (r"\bdevice_named\(", r"src/base/", "Execution names the device, Threads have it"),
    (
        r'#\s*include\s*("backend/cpu/blas\.h"|<(cblas|lapacke?|openblas)\b)|\b(cblas|LAPACKE)_\w+\(',
        r"src/(backend|solve)/",
        "solve/dense.h has what others need",
    ),
    (r'#\s*include\s*"backend/(cpu|reference)/(?!blas\.h)', r"src/backend/", "a device's own"),
    (
        r"#\s*include\s*<(hwy/|immintrin|x86intrin|arm_neon|arm_sve|arm_bf16)|__builtin_(ia32|neon|aarch64)_",
        r"src/backend/",
        "instruction sets are for backend/cpu",
    ),
    (
        r"\bhn::(Load|Store|Stream)\(|\b_mm(256|512)?_(load|store|stream)_\w+\(|\bassume_aligned\b",
        r"$",
        "no kernel relies on alignment: LoadU, StoreU, loadu and storeu are as fast on what is aligned",
    ),
    (
        r'#\s*include\s*"base/spec\.h"|\bSpec\s*\(|\bsplit_parts\s*\(',
        r"src/(base/spec|choose/(map_words|map_kinds)\.cc|(choose|methods/\w+)/\w+_kind\.cc)",
        "words become types in the rows of the table of map kinds",
    ),
    (
        r"\bparse_(map_options|kernel_parts|bandwidth)\s*\(",
        r"cli/|python/|src/(c_api/|choose/map_words\.cc)",
        "options are types below cli/, python/ and src/c_api/",
    ),
    (
        r"\bparse_kernel\s*\((?!get_text\()",  # the file reader has words
        r"cli/|python/|src/(c_api/|(choose/map_words|kernels/kernel)\.cc)",
        "options are types below cli/, python/ and src/c_api/",
    ),
    (
        r"(\.|->)merge\(",  # folds made of other folds merge them; a scan merges its tallies
        r"cli/|src/(run|folds|rows|c_api)/|src/methods/\w+/(\w+_fold|\w+_sums|lloyd|residual_moments)\.",
        "run/part_sum.h merges",
    ),
    (r'"[^"\n]*--[a-z][^"\n]*"', r"cli/|src/base/option\.cc|src/methods/papers/", "messages name options by base/option.h"),
    (
        r"\b(ofstream|fopen|freopen|mkstemp|mkostemp)\b|\bstd::fstream\b|\bO_(WRONLY|RDWR|CREAT|TRUNC|APPEND)\b"
        r"|(\bstd::|\bfs::|\bfilesystem::|(?<![\w>)])::)(rename|remove|remove_all|unlink|truncate|resize_file|copy_file)"
        r"\s*\(",
        r"src/base/atomic_file\.cc|src/run/checkpoint(_place)?\.cc",
        "bochner/atomic_file.h writes files",
    ),
    (
        r"\bfmt::print\s*\(|\bstd::c(out|err|log)\b|\b(f|d)?(printf|puts)\s*\(|\bfwrite\s*\(|\bSTD(OUT|ERR)_FILENO\b",
        r"cli/(streams|output|messages|signals|processor)\.cc",
        "cli/output.h writes results, cli/messages.h messages",
    ),
    (
        r'"\.(text|part|checkpoint|state|lock|tmp)"',
        r"cli/output\.cc|src/(run/checkpoint_place|base/atomic_file)\.cc",
        "the user did not give this name: companion_of() of cli/output.h makes it, and it is checked",
    ),
]
# The same for the Python package, which writes files only into temporary folders of its own.
RESERVED_IN_PYTHON = [
    (
        r"""\bopen\([^)\n]*["'][rwax]?[wax+]b?\+?["']|\.(write_text|write_bytes|tofile|to_csv|rename)\(|\b(np|numpy)\.save"""
        r"""|\b(os|shutil)\.(replace|rename|remove|unlink|rmtree|move|copy\w*)\(""",
        r"python/bochner/(_data|_streams|_files|_embeddings|_driver)\.py",
        "the library writes files; temporary ones are made in _files.py and its like",
    ),
]
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:\\.|[^"\\\n])*")', re.DOTALL)


def without_comments(text):
    """Lines stay where they are."""
    return COMMENT.sub(lambda m: m[1] or re.sub(r"[^\n]", " ", m[0]), text)


def check_reserved(path, text, reserved=None):
    text = without_comments(text) if reserved is None else text
    return [
        f"{path}: line {text.count(chr(10), 0, match.start()) + 1}: {match.group(0)!r}: {why}"
        for pattern, places, why in reserved or RESERVED
        if not re.match(places, path.as_posix())
        for match in re.finditer(pattern, text)
    ]


def check_public(path, text):
    return [
        f"{path}: public header includes {name}, expected only the standard library and bochner/"
        for quote, name in INCLUDE.findall(text)
        if not (quote == "<" and STANDARD.match(name)) and not (quote == '"' and name.startswith("bochner/"))
        and not (path.as_posix() == C_HEADER and name in ("stddef.h", "stdint.h"))
    ]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    problems, warnings, used, count = [], [], set(), 0
    for path in sorted(p for top in ("include", "src", "cli", "python", "tests", "bench") for p in (root / top).rglob("*.*")):
        parts = path.relative_to(root).parts
        if parts[:2] == ("python", "bochner") and path.suffix == ".py":
            problems += check_reserved(path.relative_to(root), path.read_text(encoding="utf-8"), RESERVED_IN_PYTHON)
        if path.suffix not in (".h", ".cc", ".cu"):
            continue
        count += 1
        text = path.read_text(encoding="utf-8")
        if parts[0] == "include":
            problems += check_public(path.relative_to(root), text)
        elif parts[0] in ("src", "cli", "python"):
            folder = parts[1] if parts[0] == "src" else "cli"
            problems += check_private(root, path.relative_to(root), folder, text, used)
            problems += check_reserved(path.relative_to(root), text)
        lines = text.count("\n")
        if lines > MOST_LINES:
            warnings.append(f"{path.relative_to(root)}: {lines} lines, more than {MOST_LINES}: split it")
    if (root / REGISTERED).is_file():
        for own, other in sorted(EXCEPTIONS.keys() - used):
            problems.append(f"tools/check_layers.py: {own} no longer includes {other}: drop the exception")
    for warning in warnings:
        print("warning:", warning)
    for problem in problems:
        print("error:", problem)
    print(f"{count} files, {len(problems)} errors, {len(warnings)} warnings")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
