#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""A comment begins with its subject, not with a preposition that hangs on the line above ("Of the rows: ...").

Checked are the first line of each block of comment lines, each comment after code, and each Python docstring.
"After", "Before", "If", "When" and "For" may begin a comment: they open a condition or a purpose that is understood
by itself. So may "At least" and "At most", which are numbers. A parameter whose name is a preposition stands in
backticks ("`of`: ..."); its name in a call, /*in=*/, is no comment.
"""

import ast
import io
import pathlib
import re
import sys
import tokenize

PREPOSITIONS = set(
    "of in on by from to with within without at into onto among amongst between beside besides beyond per under over "
    "upon through throughout against across along during toward towards inside outside".split()
)
FOLDERS = ["include", "src", "cli", "python", "tests", "tools", "cmake", "bench", "examples"]
CPP = {".h", ".cc", ".cu", ".c"}
HASH = {".cmake", ".sh", ".in"}
HASH_NAMES = {"CMakeLists.txt", "Makefile"}
PYTHON = {".py", ".pyi"}
# A comment is found as group 1; literals and quoted words are passed over.
CPP_TOKEN = re.compile(
    r'(//[^\n]*|/\*.*?\*/)|R"(\w*)\(.*?\)\2"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL
)
HASH_TOKEN = re.compile(r'((?:^|(?<=\s))#[^\n]*)|"(?:\\.|[^"\\])*"|(?<!\w)\'[^\']*\'|\\.', re.DOTALL | re.MULTILINE)
FIRST_WORD = re.compile(r"[^\w(\[{$`'\"<|]*([A-Za-z]+)\b(?!\s*=|[(.\[-]\w|::|/| (?:least|most)\b)")


def cpp_or_shell_comments(text, token):
    """(line, column, whether code stands before it, text) of each comment."""
    for match in token.finditer(text):
        if match[1]:
            start = text.rfind("\n", 0, match.start()) + 1
            yield text.count("\n", 0, start) + 1, match.start() - start, bool(text[start:match.start()].strip()), match[1]


def python_comments(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield *token.start, bool(token.line[:token.start[1]].strip()), token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node):
            yield node.body[0].lineno, -1, False, ast.get_docstring(node)


def comments(path, text):
    if path.suffix in PYTHON:
        return python_comments(text)
    return cpp_or_shell_comments(text, CPP_TOKEN if path.suffix in CPP else HASH_TOKEN)


def check(path, text):
    """A line comment right below another, in the same column and without code before it, goes on with it."""
    problems, above = [], None
    for line, column, after_code, comment in comments(path, text):
        goes_on = not after_code and above == (line - 1, column)
        above = (line, column)
        whole, *of_examples = comment.strip().splitlines()[0].split("  // ")
        for begin in of_examples if goes_on else [whole, *of_examples]:
            word = FIRST_WORD.match(begin)
            if word and word[1].lower() in PREPOSITIONS:
                problems.append((line, f"{path}:{line}: the comment begins with '{word[1]}': {begin[:80]}"))
    return [problem for _, problem in sorted(problems)]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    files = [p for folder in FOLDERS for p in (root / folder).rglob("*")] + [root / name for name in HASH_NAMES]
    problems, count = [], 0
    for path in sorted(files):
        if not path.is_file() or not (path.suffix in CPP | HASH | PYTHON or path.name in HASH_NAMES):
            continue
        count += 1
        problems += check(path.relative_to(root), path.read_text(encoding="utf-8"))
    for problem in problems:
        print(problem)
    print(f"{count} files, {len(problems)} comments that begin with a preposition; say the subject first")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
