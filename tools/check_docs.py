#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Runs the documentation: every ```sh, ```python and ```cpp block of README.md and docs/*.md not marked `skip`.

    tools/check_docs.py BUILD [FILE ...]            fails at the first block that does not do as the page says
    tools/check_docs.py BUILD --write [FILE ...]    puts what is printed now into the blocks ```output that differ

The blocks of one page run in order in one temporary folder that holds the repository's data/, with BUILD on PATH.
Python blocks that import bochner run where tests/python/wheel.sh installed it, and are skipped where it did not.
A C++ block without main() is the body of one, with <bochner/bochner.h> included; it is compiled against an
installed copy of BUILD, as a reader would. Mark a block that cannot run by a word after its language: ```sh skip
Every line of a block ```output must stand in what the block before it printed; ... stands for any text.
"""

import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)^\1``` *$", re.MULTILINE | re.DOTALL)
SECONDS = 600

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(snippets LANGUAGES CXX)
find_package(bochner REQUIRED)
file(GLOB sources *.cc)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE bochner::bochner)
endforeach()
"""


class Failure(Exception):
    pass


def snippets(page):
    """(line, language, text) of each block that should run."""
    text = page.read_text(encoding="utf-8")
    for match in FENCE.finditer(text):
        indent, info, body = match.groups()
        words = info.split()
        if not words or words[0] not in ("sh", "bash", "python", "cpp", "output") or "skip" in words[1:]:
            continue
        body = "".join(line.removeprefix(indent) for line in body.splitlines(keepends=True))
        yield text.count("\n", 0, match.start()) + 1, words[0], body


def run(place, command, folder, environment):
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, timeout=SECONDS,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        raise Failure(f"{place}: still running after {SECONDS} s") from None
    except OSError as error:
        raise Failure(f"{place}: {error}") from None
    if done.returncode != 0:
        raise Failure(f"{place}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


def says(line, printed):
    """Whether a line of a block ```output stands in what was printed."""
    return re.search(".*".join(map(re.escape, line.split("..."))), printed) is not None


def check_output(place, expected, printed):
    for line in expected.splitlines():
        if not says(line, printed):
            raise Failure(f"{place}: the block before it does not print: {line}\n{printed}")


def printed_now(place, line, printed):
    """The printed line that is most like `line`, with ... at the end if `line` ends so."""
    likeness = difflib.SequenceMatcher(autojunk=False, b=line)
    found, most = None, 0.5
    for candidate in printed.splitlines():
        likeness.set_seq1(candidate)
        if likeness.ratio() > most:
            found, most = candidate.rstrip(), likeness.ratio()
    head, dots, tail = line.partition("...")
    if found is None or tail or (dots and head[-2:] not in found):
        raise Failure(f"{place}: nothing like this is printed, mend it by hand: {line}\n{printed}")
    return found[: found.rindex(head[-2:]) + 2] + dots if dots else found


def write_output(place, page, number, expected, printed):
    """Puts what is printed into the lines of `page` after `number` that say something else."""
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    for at, line in enumerate(expected.splitlines(), number):
        if not says(line, printed):
            lines[at] = lines[at].replace(line, printed_now(place, line, printed))
            print(f"{place}: {lines[at].rstrip()}")
    page.write_text("".join(lines), encoding="utf-8")


def program(text):
    """A whole C++ program for a block."""
    if re.search(r"\bint main\(", text):
        return text
    includes = [f"#include <{name}>" for name in ("bochner/bochner.h", "cstdio", "iostream", "memory", "string", "vector")]
    lines = text.splitlines()
    includes += [line for line in lines if line.startswith("#include")]
    body = [line for line in lines if not line.startswith("#include")]
    return "\n".join(includes + ["int main() {"] + body + ["}", ""])


def build_programs(page, blocks, build, work):
    """Compiles the C++ blocks of a page; returns the program of each line."""
    sources = [(line, body) for line, language, body in blocks if language == "cpp"]
    if not sources:
        return {}
    source, prefix = work / "source", work / "prefix"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(CMAKE)
    for line, body in sources:
        (source / f"line{line}.cc").write_text(program(body))
    for command in (
        ["cmake", "--install", build, "--prefix", prefix],
        ["cmake", "-S", source, "-B", work / "programs", "-G", "Ninja", "-DCMAKE_CXX_FLAGS=-O0",
         f"-DCMAKE_PREFIX_PATH={prefix}"],
        ["cmake", "--build", work / "programs"],
    ):
        run(f"{page}: C++ blocks", command, work, os.environ)
    return {line: work / "programs" / f"line{line}" for line, _ in sources}


def check_page(page, build, write=False):
    """The number of blocks that ran; raises Failure at the first that does not."""
    name = page.relative_to(ROOT) if page.is_relative_to(ROOT) else page
    blocks = list(snippets(page))
    if not blocks:
        return 0
    python, package = ROOT / ".venv/bin/python", build / "python/clean/bin/python"  # the latter by tests/python/wheel.sh
    environment = dict(os.environ, PATH=f"{build}{os.pathsep}{os.environ['PATH']}")
    with tempfile.TemporaryDirectory(prefix="bochner-docs-") as temporary:
        work = pathlib.Path(temporary)
        folder = work / "page"
        folder.mkdir()
        shutil.copytree(ROOT / "data", folder / "data")
        programs = build_programs(name, blocks, build, work)
        printed = ""
        unmade = set()  # files that blocks which were skipped would have made
        for line, language, body in blocks:
            if language == "output":
                if write:
                    write_output(f"{name}:{line}", page, line, body, printed)
                else:
                    check_output(f"{name}:{line}", body, printed)
                continue
            if absent := sorted(file for file in unmade if file in body and not (folder / file).exists()):
                print(f"{name}:{line}: skipped, {absent[0]} comes from a block that was skipped")
                continue
            if language in ("sh", "bash"):
                command = ["bash", "-euo", "pipefail", "-c", body]
            elif language == "python":
                if re.search(r"\b(import|from) bochner\b", body):
                    if not package.exists():
                        print(f"{name}:{line}: skipped, the Python package was not built")
                        unmade |= set(re.findall(r"[\"']([\w-]+\.\w+)[\"']", body))
                        continue
                    command = [package, "-c", body]
                else:
                    command = [python if python.exists() else sys.executable, "-c", body]
            else:
                command = [programs[line]]
            printed = run(f"{name}:{line}", command, folder, environment)
    return len(blocks)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    write = "--write" in sys.argv
    pages = [pathlib.Path(p).resolve() for p in sys.argv[2:] if p != "--write"]
    pages = pages or [p for p in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if p.exists()]
    failed = False
    for page in pages:
        try:
            print(f"{page.name}: {check_page(page, build, write)} blocks ran")
        except Failure as failure:
            failed = True
            print(failure)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
