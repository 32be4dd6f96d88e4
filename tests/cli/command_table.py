# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Every command of the program with arguments on tiny files: the table that the properties_*_test.py run over.

A command that is missing here fails properties_names_test.py. Whether a command has --threads, --memory or --seed is
asked of its help, so that it cannot be forgotten here."""

import array
import dataclasses
import functools
import json
import math
import os
import pathlib
import random
import re
import shutil
import stat
import struct
import subprocess
import tempfile

from command import COMMAND, CommandTest

EXIT_CODES = (0, 1, 2, 3)


@dataclasses.dataclass(frozen=True)
class Call:
    """A command with its words but for -o. Words that are files of the kitchen are its inputs."""

    command: str
    words: tuple
    output: str = ""  # how the name after -o ends; without one the result is on stdout only
    beside: tuple = ()  # ends of names that are written besides the output
    rows: str = ""  # the file among the words that any table of the same columns may replace
    learns: bool = False  # the output is a model, for predict or transform
    slow: bool = False  # takes seconds: one of several like ways will do
    big: tuple = ()  # words in place of `words` for rows that fill memory; none: it keeps no rows

    @property
    def name(self):
        return " ".join((self.command, *self.words))

    def line(self, output=None, words=None):
        """What follows the name of the program."""
        where = ("-o", output) if output is not None and self.output else ()
        return (self.command, *(self.words if words is None else words), *where)

    def inputs(self):
        return [word for word in self.words if word in FILES]

    def with_rows(self, file):
        return dataclasses.replace(self, words=tuple(file if word == self.rows else word for word in self.words))


FEW = ("--map", "fourier", "--features", "16", "--bandwidth", "1")
# The files of the kitchen, in the order in which they are made: their text, or the words of the command that writes them.
FILES = {
    "rows.csv": lambda: table(60, 1),
    "new.csv": lambda: table(12, 2),
    "many.csv": lambda: table(240, 3),
    "classes.csv": lambda: table(60, 4, target="class"),
    "groups.csv": lambda: table(60, 5, target="group"),
    "sequences.csv": lambda: table(60, 6, target="sequence"),
    "docs.txt": lambda: documents(30),
    "rows.model": ("train", "rows.csv", "-t", "y", *FEW),
    "classes.model": ("train", "classes.csv", "-t", "class", *FEW, "--calibrate"),
    "mixture.model": ("gmm", "rows.csv", "--ignore", "y", "--components", "2"),
    "rows.index": ("index", "rows.csv", "-t", "y"),
    "docs.svm": ("text", "docs.txt"),
    "docs.svm.text": None,  # written beside docs.svm
    "docs.index": ("index", "docs.svm", "--metric", "cosine"),
    "a.survey": ("accumulate", "rows.csv", "-t", "y"),
    "b.survey": ("accumulate", "new.csv", "-t", "y"),
    "kept.model": ("train", "rows.csv", "-t", "y", *FEW, "--lambda", "0.001", "--keep-sum"),
    "grounded.model": ("train", "rows.csv", "-t", "y", *FEW, "--keep-background"),
    "some.csv": lambda: table(9, 1),  # the first of rows.csv
    "rows.sum": ("accumulate", "rows.csv", "--spec", "a.survey", "--features", "16", "--bandwidth", "1"),
}

CALLS = [
    Call("train", ("rows.csv", "-t", "y", *FEW), ".model", rows="rows.csv", learns=True,
         big=("-t", "y", *FEW)),
    Call("train", ("many.csv", "-t", "y", "--effort", "fast"), ".model", rows="many.csv", learns=True,
         big=("-t", "y", "--effort", "fast")),
    Call("train", ("classes.csv", "-t", "class", *FEW), ".model", rows="classes.csv", learns=True),
    Call("train", ("rows.csv", "-t", "y", "--map", "binning", "--features", "8"), ".model", rows="rows.csv", learns=True,
         big=("-t", "y", "--map", "binning", "--features", "8")),
    Call("train", ("classes.csv", "-t", "class", "--map", "none", "--learner", "logistic"), ".model",
         rows="classes.csv", learns=True),
    Call("predict", ("rows.model", "new.csv"), ".csv", rows="new.csv"),
    Call("eval", ("rows.model", "new.csv", "--json"), rows="new.csv"),
    Call("eval", ("classes.model", "classes.csv", "--json"), rows="classes.csv"),
    Call("report", ("rows.model", "new.csv"), ".html", rows="new.csv"),
    Call("explain", ("rows.model", "new.csv", "--background", "rows.csv"), ".csv", rows="new.csv"),
    Call("explain", ("classes.model", "new.csv"), ".npy", rows="new.csv"),
    Call("train", ("rows.csv", "-t", "y", *FEW, "--keep-background"), ".model", rows="rows.csv", learns=True),
    Call("explain", ("grounded.model", "new.csv"), ".csv", rows="new.csv"),
    Call("transform", ("rows.model", "new.csv"), ".csv", rows="new.csv"),
    Call("transform", ("rows.model", "new.csv"), ".npy", rows="new.csv"),
    Call("project", ("rows.csv", "-t", "y", "--kind", "sign", "--dims", "2"), ".model", rows="rows.csv", learns=True,
         big=("-t", "y", "--kind", "sign", "--dims", "2")),
    Call("svd", ("rows.csv", "-t", "y", "--rank", "2"), ".model", rows="rows.csv", learns=True,
         big=("-t", "y", "--rank", "2")),
    Call("pca", ("rows.csv", "-t", "y", "--rank", "2"), ".model", rows="rows.csv", learns=True,
         big=("-t", "y", "--rank", "2")),
    Call("kmeans", ("rows.csv", "-t", "y", "--clusters", "3"), ".model", rows="rows.csv", learns=True,
         big=("-t", "y", "--clusters", "3", "--passes", "5")),
    Call("lda", ("classes.csv", "-t", "class"), ".model", rows="classes.csv", learns=True, big=("-t", "class")),
    Call("cca", ("rows.csv", "-t", "c,y"), ".model", rows="rows.csv", learns=True, big=("-t", "c,y")),
    Call("rank", ("groups.csv", "-t", "a", "--group", "group", "--features", "16", "--bandwidth", "1"), ".model",
         rows="groups.csv", big=("-t", "a", "--group", "group", "--features", "16", "--bandwidth", "1")),
    Call("semi", ("classes.csv", "-t", "class", "--features", "16"), ".model", rows="classes.csv", learns=True,
         big=("-t", "class", "--features", "16")),
    Call("anomaly", ("rows.csv", "--ignore", "y"), ".model", rows="rows.csv", learns=True, big=("--ignore", "y")),
    Call("anomaly", ("rows.csv", "--ignore", "y", "--method", "isolation"), ".model", rows="rows.csv", learns=True),
    Call("drift", ("rows.csv", "new.csv", "--permutations", "50"), ".html", rows="new.csv",
         big=("rows.csv", "--permutations", "50")),
    Call("independence", ("rows.csv", "-t", "y", "--permutations", "50"), rows="rows.csv",
         big=("-t", "y", "--permutations", "50")),
    Call("embed", ("groups.csv", "--group", "group", "--features", "16"), ".model", rows="groups.csv",
         big=("--group", "group", "--features", "16")),
    Call("reduce", ("rows.csv", "--points", "4"), ".csv", rows="rows.csv", big=("--points", "4")),
    Call("plot", ("rows.csv", "--x", "a", "--y", "b"), ".svg", rows="rows.csv", big=("--x", "a", "--y", "b")),
    Call("gmm", ("rows.csv", "--ignore", "y", "--components", "2"), ".model", rows="rows.csv", learns=True,
         big=("--ignore", "y", "--components", "2", "--rounds", "5")),
    Call("gmm", ("classes.csv", "-t", "class", "--components", "1"), ".model", rows="classes.csv", learns=True),
    Call("hmm", ("sequences.csv", "--sequence", "sequence", "--states", "2"), ".model", rows="sequences.csv",
         big=("--sequence", "sequence", "--states", "2", "--rounds", "3")),
    Call("sample", ("mixture.model", "--rows", "20"), ".csv"),
    Call("text", ("docs.txt",), ".svm", beside=(".text",)),
    Call("index", ("rows.csv", "-t", "y"), ".index", rows="rows.csv", big=("-t", "y")),
    Call("index", ("docs.svm", "--metric", "cosine", "--text", "docs.svm.text"), ".index"),
    Call("neighbors", ("rows.index", "new.csv", "-k", "2"), ".csv", rows="new.csv"),
    Call("graph", ("rows.csv", "-t", "y", "-k", "2"), ".csv", rows="rows.csv", big=("-t", "y", "-k", "2")),
    Call("dedup", ("docs.svm",), ".csv"),
    Call("dedup", ("rows.csv", "-t", "y", "--metric", "cosine", "--threshold", "0.99"), ".csv", rows="rows.csv",
         big=("-t", "y", "--metric", "cosine", "--threshold", "0.99")),
    Call("retrieve", ("docs.index", "storm sea", "--json")),
    Call("inspect", ("rows.model", "--json")),
    Call("train", ("rows.csv", "-t", "y", *FEW, "--keep-sum"), ".model", rows="rows.csv", learns=True),
    Call("update", ("kept.model", "new.csv"), ".model", rows="new.csv"),
    Call("forget", ("kept.model", "some.csv"), ".model"),
    Call("watch", ("kept.model", "--stream", "new.csv", "--every", "5", "--window", "8"), ".model", rows="new.csv"),
    Call("watch", ("kept.model", "--stream", "new.csv", "--every", "5", "--half-life", "3", "--solve-every", "10"), ".model",
         rows="new.csv"),
    Call("watch", ("rows.model", "--stream", "new.csv", "--every", "5", "--window", "15", "--solve-every", "15", "--retrain",
                   "--features 16"), ".model", rows="new.csv"),
    Call("accumulate", ("rows.csv", "-t", "y"), ".survey", rows="rows.csv", big=("-t", "y")),
    Call("accumulate", ("rows.csv", "--spec", "a.survey", "--features", "16", "--bandwidth", "1"), ".sum", rows="rows.csv"),
    Call("merge", ("a.survey", "b.survey"), ".survey"),
    Call("solve", ("rows.sum",), ".model"),
    Call("rounds", ("begin", "rows.csv", "new.csv", "-t", "y", *FEW), ".job"),
    Call("dims", ("--epsilon", "0.1", "--delta", "0.01", "--json")),
    Call("check", ("rows.csv", "-t", "y", "--features", "16", "--seeds", "3", "--json"), rows="rows.csv",
         big=("-t", "y", "--features", "16", "--seeds", "3", "--json")),
    Call("demo", ("--seeds", "1", "--json"), slow=True),
    Call("papers", ("--only", "jl", "--no-seconds"), ".html"),
]
WRITING = [call for call in CALLS if call.output]


def table(rows, seed, target="y"):
    """A CSV file of numbers a, b, c and a target: a number, one of three classes, or the name of a group."""
    draw = random.Random(seed)
    lines = [f"a,b,c,{target}"]
    for i in range(rows):
        a, b, c = (round(draw.gauss(0, 1), 4) for _ in range(3))
        last = {"y": f"{math.sin(a) + b * c + draw.gauss(0, 0.1):.4f}", "class": "xyz"[(a > 0) + (b > 0)],
                "group": f"g{i % 6}", "sequence": f"s{i // 10}"}[target]
        lines.append(f"{a},{b},{c},{last}")
    return "\n".join(lines) + "\n"


def documents(lines):
    words = "storm sea ship sail harbour wind wave rope deck mast captain crew night light shore".split()
    draw = random.Random(7)
    return "".join(" ".join(draw.choices(words, k=8)) + "\n" for _ in range(lines))


@functools.cache
def kitchen():
    """A folder with all of FILES, made once in a test program."""
    folder = tempfile.TemporaryDirectory(prefix="bochner-kitchen-")
    for name, made in FILES.items():
        path = pathlib.Path(folder.name) / name
        if callable(made):
            path.write_text(made())
        elif made:
            subprocess.run([COMMAND, *made, "-o", name, "--quiet"], cwd=folder.name, check=True,
                           stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return folder


@functools.cache
def listed_commands():
    text = subprocess.run([COMMAND, "--help"], check=True, capture_output=True, text=True).stdout
    return frozenset(re.findall(r"^  ([a-z]+)  ", text, re.MULTILINE))


@functools.cache
def has_option(command, option):
    return any(re.search(rf"{option}\b", subprocess.run([COMMAND, command, ask], capture_output=True, text=True).stdout)
               for ask in ("--help", "--help-all"))


def floats_of_archive(content):
    """All floating-point arrays of a model, sum or index, by name, and its metadata as text."""
    size = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:8 + size])
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] in ("F32", "F64"):
            begin, end = entry["data_offsets"]
            arrays[name] = array.array("f" if entry["dtype"] == "F32" else "d", content[8 + size + begin:8 + size + end])
    return arrays, json.dumps(header.get("__metadata__", {}))


def floats_of_npy(content):
    size = struct.unpack("<H", content[8:10])[0]
    return array.array("f" if b"'<f4'" in content[:10 + size] else "d", content[10 + size:])


NO_NUMBER = re.compile(r"(?<![\w./-])[-+]?(nan|inf|infinity)(?![\w./-])", re.IGNORECASE)


def non_finite(name, content):
    """What is not a finite number in a result, or "" if all numbers are finite."""
    if name.endswith(".npy"):
        return "" if all(map(math.isfinite, floats_of_npy(content))) else "an entry of the array"
    if content[8:10] == b'{"':
        arrays, text = floats_of_archive(content)
        for key, numbers in arrays.items():
            if not all(map(math.isfinite, numbers)):
                return f"array {key}"
    else:
        text = content.decode(errors="replace")
    found = NO_NUMBER.search(text)
    return f"...{text[max(0, found.start() - 40):found.end() + 20]!r}" if found else ""


class TableTest(CommandTest):
    """A test of a property of every command. Each call runs in a folder that holds the files it reads."""

    def lay_out(self, call):
        """An empty folder with the inputs of the call."""
        for path in self.folder.iterdir():
            path.unlink() if path.is_symlink() or not path.is_dir() else shutil.rmtree(path)
        for name in call.inputs():
            shutil.copy(pathlib.Path(kitchen().name) / name, self.folder)
        return self.contents()

    def device(self, name, like):
        """A device of our own: a faulty command that replaces its output would take that of the machine away."""
        path = self.folder / name
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.stat(like).st_rdev)
        except PermissionError:
            path.symlink_to(like)
        return path

    def call(self, *words, **options):
        """Exit code, stdout and stderr in bytes. Ends only by an exit code that is documented, with one line if not 0."""
        process = self.start(*words, "--quiet", **options)
        output, errors = process.communicate(timeout=120)
        place = f"bochner {' '.join(map(str, words))}: exit {process.returncode}, {errors!r}"
        self.assertIn(process.returncode, EXIT_CODES, place)
        if process.returncode == 0:
            self.assertEqual(errors or b"", b"", place)
        elif errors is not None:
            self.assertRegex(errors, rb"\Abochner: [^\n]+\n\Z", place)
            self.assertNotRegex(errors, rb"[\x00-\x09\x0b-\x1f\x7f]", place)
            if words[0] != "watch":  # which prints while it works
                self.assertEqual(output or b"", b"", place)
        return process.returncode, output or b"", errors or b""

    def expected(self, call):
        """The files that the call writes to `out`, by name, and its stdout, from a run of its own."""
        if call not in self.known:
            before = self.lay_out(call)
            code, output, errors = self.call(*call.line("out" + call.output))
            self.assertEqual(code, 0, errors)
            after = self.contents()
            made = {str(name): after[name] for name in set(after) - set(before)}
            self.assertEqual(set(made), {"out" + end for end in ((call.output,) if call.output else ())} |
                             {"out" + call.output + end for end in call.beside}, call.name)
            self.assertEqual({name: after.get(name) for name in before}, before, call.name)
            self.known[call] = made, without_times(output)
        return self.known[call]

    known = {}


def without_times(output):
    """stdout without figures that depend on the clock, and without the name of the output."""
    return re.sub(rb'("[a-z_]*seconds[a-z_]*": )[-+.e0-9]+|[0-9.]+ s\b', rb"\1", output)
