#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Counts that should fall and may not rise: a table of them, and an error for each that is above its ceiling.

    tools/count_house.py [ROOT] [--verbose]      --verbose: with the ten longest duplicates

Who lowers a count lowers its ceiling here.

- Calls that share out threads: Threads::run by any spelling, in_pieces and each_in_pieces.
- Passes by `each`: each, each_batch, each_chunk and each_saved of a stream, a store or grids, sums or not.
- Lines of the product: include/, src/, cli/, python/core/ and python/bochner/, with comments and empty lines.
- Duplicates: two places of src/, cli/ or python/ with the same six lines, as long as they go on. Comments, imports and
  lines of brackets are passed over. A text that stands in three places makes three pairs; one with other names, none.

check_layers.py keeps a method in its folder, check_comments.py has the comments that begin with a preposition.
"""

import collections
import itertools
import pathlib
import re
import shutil
import subprocess
import sys

from check_layers import without_comments

# What is counted: the goal, and the ceiling.
LIMITS = {
    "calls that share out threads outside backend/cpu/ and run/": (0, 222),
    "files with such calls": (0, 103),
    "passes by `each` outside run/": (9, 44),
    "hundreds of lines of the product": (900, 1315),
    "duplicated pairs of six lines and more": (9, 7),
}
PRODUCT = re.compile(r"(include|src|cli|python/core)/.*\.(h|cc|cu)|python/bochner/.*\.pyi?")
SHARING = re.compile(r"threads_?(\((\w|\(\))*\))?(\.|->)run\(|in_pieces\(\s*[\w.()>-]*threads_?(\(\))?,")
MAY_SHARE = re.compile(r"src/(backend/cpu/|run/|base/(threads|pieces)\.)")
# The outputs of a Hadamard product have an `each` that passes over no rows.
EACH = re.compile(r"(?<!\boutputs_)(\.|->)each(_batch|_chunk|_saved)?\(")
SAME = 6
TRIVIAL = re.compile(
    r"\W*$|#|import\b|from\b.*\bimport\b|using\b|(inline )?namespace\b|(public|private|protected):|template <class \w+>$"
)


def product_files(root):
    """Files that git does not ignore; all of them if there is no git, as in an unpacked release."""
    names = []
    if shutil.which("git"):
        git = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(git, cwd=root, capture_output=True, text=True, check=False).stdout.splitlines()
    names = names or [path.relative_to(root).as_posix() for path in root.rglob("*")]
    return sorted(name for name in set(names) if PRODUCT.fullmatch(name) and (root / name).is_file())


def compared(text):
    """(number, line) of the lines that duplicates are looked for in."""
    stripped = [(number, " ".join(line.split())) for number, line in enumerate(text.split("\n"), 1)]
    return [(number, line) for number, line in stripped if not TRIVIAL.match(line)]


def duplicates(texts):
    """(lines, name, number, name, number) of each pair of places, the longest first."""
    lines = {name: compared(text) for name, text in texts.items()}
    places = collections.defaultdict(list)
    for name, told in lines.items():
        for i in range(len(told) - SAME + 1):
            places[tuple(line for _, line in told[i:i + SAME])].append((name, i))
    pairs = {pair for same in places.values() for pair in itertools.combinations(same, 2)}
    found = []
    for (a, i), (b, j) in pairs:
        if ((a, i - 1), (b, j - 1)) in pairs or (a == b and j - i < SAME):
            continue  # goes on with the pair before, or overlaps itself
        more = next(n for n in itertools.count(1) if ((a, i + n), (b, j + n)) not in pairs)
        found.append((SAME + more - 1, a, lines[a][i][0], b, lines[b][j][0]))
    return sorted(found, key=lambda pair: (-pair[0], *pair[1:]))


def main():
    given = [argument for argument in sys.argv[1:] if argument != "--verbose"]
    root = pathlib.Path(given[0] if given else pathlib.Path(__file__).parent.parent)
    texts = {name: (root / name).read_text(encoding="utf-8") for name in product_files(root)}
    code = {name: text if "/bochner/" in name else without_comments(text) for name, text in texts.items()}
    library = {name: text for name, text in code.items() if name.startswith("src/")}
    sharing = [len(SHARING.findall(text)) for name, text in library.items() if not MAY_SHARE.match(name)]
    pairs = duplicates({name: text for name, text in code.items() if not name.startswith("include/")})
    lines = sum(text.count("\n") for text in texts.values())
    counts = [
        sum(sharing),
        sum(calls > 0 for calls in sharing),
        sum(len(EACH.findall(text)) for name, text in library.items() if not name.startswith("src/run/")),
        (lines + 99) // 100,
        len(pairs),
    ]

    width = max(map(len, LIMITS))
    print(f"{'what':{width}} |  now | goal | ceiling")
    said = []
    for (what, (goal, ceiling)), now in zip(LIMITS.items(), counts, strict=True):
        print(f"{what:{width}} | {now:4} | {goal:4} | {ceiling:7}")
        if now > ceiling:
            said.append(f"error: {what}: {now}, at most {ceiling}: this count may not rise")
        elif now < ceiling:
            said.append(f"hint: {what}: lower the ceiling in tools/count_house.py from {ceiling} to {now}")
    if "--verbose" in sys.argv:
        for length, a, i, b, j in pairs[:10]:
            print(f"{length:3} lines: {a}:{i} and {b}:{j}")
    print(*said, f"{len(texts)} files, {lines} lines", sep="\n")
    return 1 if not texts or any(line.startswith("error") for line in said) else 0


if __name__ == "__main__":
    sys.exit(main())
