#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""No function of more than 60 lines, no parameter list of more than 6, in include/, src/, cli/ and python/."""

import pathlib
import re
import sys

MOST_LINES, MOST_PARAMETERS = 60, 6
SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:\\\n|[^\n])*',
                     re.DOTALL | re.MULTILINE)
NO_FUNCTION = re.compile(r"\b(namespace|class|struct|union|enum|extern\s*\"\")\b[^()]*$")
CLOSING = {"(": ")", "{": "}", "[": "]"}


def blanked(text):
    """The text without comments, literals and directives; lines stay where they are."""
    return SKIPPED.sub(lambda m: '""' + re.sub(r"[^\n]", "", m[0]) if m[0][0] in "\"'R" else re.sub(r"[^\n]", " ", m[0]), text)


def matching(text, at):
    """The position of the bracket that closes the one at `at`."""
    depth, opening = 0, text[at]
    for i in range(at, len(text)):
        if text[i] == opening:
            depth += 1
        elif text[i] == CLOSING[opening]:
            depth -= 1
            if depth == 0:
                return i
    return len(text) - 1


def without_template(head):
    """Less template <...>."""
    found = re.match(r"\s*template\s*<", head)
    if not found:
        return head
    depth = 0
    for i in range(found.end() - 1, len(head)):
        depth += {"<": 1, ">": -1}.get(head[i], 0)
        if depth == 0:
            return without_template(head[i + 1:])
    return head


def parameters(head):
    """How many parameters the function has whose head this is; None where it is no function."""
    head = re.sub(r"\bHWY_ATTR\b|\b__attribute__\s*\(\(.*?\)\)|\[\[.*?\]\]|\bdecltype\s*\([^()]*\)|\brequires\s*\([^()]*\)", "", head)
    start = head.find("(")
    if start < 0:
        return None
    if re.search(r"\boperator\s*$", head[:start]):
        start = head.find("(", matching(head, start) + 1)
        if start < 0:
            return None
    inside = head[start + 1:matching(head, start)]
    if not inside.strip() or inside.strip() == "void":
        return 0
    depth, count = 0, 1
    for c in inside:
        depth += {"(": 1, "{": 1, "[": 1, "<": 1, ")": -1, "}": -1, "]": -1, ">": -1}.get(c, 0)
        count += c == "," and depth == 0
    return count


def functions(text):
    """(line, lines, parameters, name) of each function with a body."""
    at = begin = 0
    while at < len(text):
        c = text[at]
        if c in ";}":
            begin = at + 1
        elif c == ":" and re.search(r"\b(public|private|protected)\s*$", text[begin:at]):
            begin = at + 1
        elif c == "(":
            at = matching(text, at)
        elif c == "{":
            head = without_template(text[begin:at])
            is_type = NO_FUNCTION.search(head) or head.strip() in ("", '""', 'extern ""')
            if is_type:
                begin = at + 1  # its members are looked at
            elif re.search(r"=\s*$|\breturn\s*$", head) or "(" not in head or (
                    re.search(r"\)\s*(noexcept\s*)?:[^:]", head) and re.search(r"\w\s*$", head)):
                at = matching(text, at)  # a value, or a member of a constructor's list
            else:
                end = matching(text, at)
                first = begin + len(text[begin:at]) - len(text[begin:at].lstrip())
                name = re.search(r"([~\w:]+|operator\s*\S+)\s*\(", head)
                yield (text.count("\n", 0, first) + 1, text.count("\n", first, end) + 1, parameters(head),
                       name[1] if name else "?")
                at = end
                begin = end + 1
        at += 1


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    problems, count = [], 0
    for path in sorted(p for top in ("include", "src", "cli", "python") for p in (root / top).rglob("*.*")):
        if path.suffix not in (".h", ".cc"):
            continue
        for line, lines, taken, name in functions(blanked(path.read_text(encoding="utf-8"))):
            count += 1
            where = f"{path.relative_to(root)}:{line}: {name}"
            said = []
            if lines > MOST_LINES:
                said.append(f"{where} has {lines} lines, more than {MOST_LINES}: split it")
            if taken and taken > MOST_PARAMETERS:
                said.append(f"{where} takes {taken} parameters, more than {MOST_PARAMETERS}: make a struct of them")
            problems += said
    for problem in problems:
        print("error:", problem)
    print(f"{count} functions, {len(problems)} errors")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
