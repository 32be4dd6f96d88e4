# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Tables that a program seldom meets, and what must hold whatever a command makes of one."""

import random

from command_table import CALLS, TableTest, non_finite, table

READING = [call for call in CALLS if call.rows]
TARGETS = {"rows.csv": "y", "new.csv": "y", "many.csv": "y", "classes.csv": "class", "groups.csv": "group",
           "sequences.csv": "sequence"}
NAMES = ("\x1b[31mred\x1b[0m", 'with "quotes"', "two\nlines", "<script>alert(1)</script>", "tab\there", "comma, dot.",
         "naïve ☃", "x" * 5000, "", "-o", "a b", "=1+1")


def quoted(cell):
    return '"' + cell.replace('"', '""') + '"'


def cells_of(name, rows=60):
    """Heading and cells of a plain table such as that file has."""
    lines = table(240 if name == "many.csv" and rows == 60 else rows, 11, TARGETS[name]).splitlines()
    return [line.split(",") for line in lines]


def text_of(cells):
    return "".join(",".join(row) + "\n" for row in cells)


def inputs_by(change):
    """A table whose inputs are change(number, row, column)."""
    def make(name):
        heading, *rows = cells_of(name)
        return text_of([heading, *([*(repr(change(float(x), i, j)) for j, x in enumerate(row[:3])), row[3]]
                                   for i, row in enumerate(rows))])
    return make


def targets_by(change):
    """A table whose numeric target is change(number), as text. Other targets stay as they are."""
    def make(name):
        heading, *rows = cells_of(name)
        return text_of([heading, *([*row[:3], change(row[3]) if heading[3] == "y" else row[3]] for row in rows)])
    return make


def targets(value):
    return lambda name: text_of([row if i == 0 else [*row[:3], value] for i, row in enumerate(cells_of(name))])


def rows_of(count):
    return lambda name: text_of(cells_of(name, count))


SHAPES = {
    "no byte": lambda name: "",
    "an empty line": lambda name: "\n",
    "a heading only": rows_of(0),
    "a heading without an end of line": lambda name: rows_of(0)(name).strip(),
    "one row": rows_of(1),
    "two rows": rows_of(2),
    "five rows": rows_of(5),
    "one target": targets("1"),
    "targets that count": lambda name: text_of([row if i == 0 else [*row[:3], str(i)] for i, row in
                                                enumerate(cells_of(name))]),
    "one constant input": inputs_by(lambda x, i, j: 3.5 if j == 0 else x),
    "constant inputs": inputs_by(lambda x, i, j: 3.5),
    "zero inputs": inputs_by(lambda x, i, j: 0.0),
    "equal inputs": inputs_by(lambda x, i, j: i % 7 * 1.5),
    "all rows equal": lambda name: text_of([cells_of(name)[0], *[cells_of(name)[1]] * 60]),
    "one row is other": lambda name: text_of([cells_of(name)[0], *[cells_of(name)[1]] * 60, cells_of(name)[2]]),
    "an input without cells": lambda name: text_of([row if i == 0 else ["", *row[1:]] for i, row in
                                                    enumerate(cells_of(name))]),
    "missing cells": lambda name: text_of([row if i % 3 == 0 else ["", "NA", *row[2:]] for i, row in
                                           enumerate(cells_of(name))]),
    "an input of text": lambda name: text_of([row if i == 0 else ["pqr"[i % 3], *row[1:]] for i, row in
                                              enumerate(cells_of(name))]),
    "a ragged row": lambda name: text_of(cells_of(name)) + "1,2\n",
    "an open quote": lambda name: text_of(cells_of(name)) + '"1,2,3,4\n',
    "bytes that are no text": lambda name: text_of(cells_of(name)[:30]).encode() + bytes(range(256)) + b"\n",
}

VALUES = {
    "a cell beyond float": inputs_by(lambda x, i, j: 1e39 if (i, j) == (7, 1) else x),
    "an input beyond float": inputs_by(lambda x, i, j: x * 1e300 if j == 1 else x),
    "inputs beyond float": inputs_by(lambda x, i, j: x * 1e300),
    "an input near the end of float": inputs_by(lambda x, i, j: x * 1e38 if j == 1 else x),
    "inputs near the end of double": inputs_by(lambda x, i, j: x * 4e307),
    "a large input": inputs_by(lambda x, i, j: x * 1e20 if j == 1 else x),
    "far inputs": inputs_by(lambda x, i, j: x + 1e9),
    "an input farther than its digits": inputs_by(lambda x, i, j: x + 1e17 if j == 0 else x),
    "far, and a cell beyond float": inputs_by(lambda x, i, j: 1e39 if (i, j) == (7, 1) else x + 1e9 if j == 0 else x),
    "far, and an input beyond float": inputs_by(lambda x, i, j: x * 1e300 if j == 1 else x + 1e9),
    "small inputs": inputs_by(lambda x, i, j: x * 1e-30),
    "inputs whose squares vanish": inputs_by(lambda x, i, j: x * 1e-300),
    "inputs below the normal numbers": inputs_by(lambda x, i, j: x * 1e-320),
    "targets times a million": targets_by(lambda y: repr(float(y) * 1e6)),
    "targets beyond float": targets_by(lambda y: repr(float(y) * 1e39)),
    "targets near the end of double": targets_by(lambda y: repr(float(y) * 1e307)),
    "small targets": targets_by(lambda y: repr(float(y) * 1e-40)),
    "far targets": targets_by(lambda y: repr(float(y) + 1e9)),
    "an infinite target": lambda name: text_of(cells_of(name)[:40]) + ("1,2,3,inf\n" if TARGETS[name] == "y" else ""),
    "an infinite cell": lambda name: text_of(cells_of(name)[:40]) + f"inf,2,3,{cells_of(name)[1][3]}\n",
}


class OddTables(TableTest):
    """Ends by a documented code and one line, or with files that every later command can use; no number is not finite."""

    def expect_finite(self, place, name, content):
        self.assertEqual(non_finite(name, content), "", f"{place} {name}")

    def use(self, call, model, place):
        """What can be asked of a model by the rows it learnt from."""
        questions = [("inspect", model, "--json"), ("predict", model, call.rows), ("transform", model, call.rows, "-o", "t.csv")]
        if call.command == "train":
            questions += [("eval", model, call.rows, "--json"), ("report", model, call.rows, "-o", "r.html")]
        for words in questions:
            code, output, errors = self.call(*words)
            self.expect_finite(place, words[0], output)
            if code != 0:
                self.expect_refusal(words, code, errors, place)

    def expect_refusal(self, words, code, errors, place):
        """A model that was just written must load: what is refused is the word, or for eval and report the data."""
        self.assertIn(code, (1, 2), f"{place} {words} {errors}")

    def try_table(self, call, label, content):
        place = f"{call.name}, {label}:"
        self.lay_out(call)
        self.file(call.rows, content)
        before = self.contents()
        code, output, _ = self.call(*call.line("out" + call.output))
        after = self.contents()
        made = {str(name) for name in set(after) - set(before)}
        self.assertEqual({name: after.get(name) for name in before}, before, place)
        self.assertLessEqual(made, {"out" + call.output} if code == 0 else set(), place)
        self.expect_finite(place, "stdout", output)
        for name in made:
            self.expect_finite(place, name, (self.folder / name).read_bytes())
        if code == 0 and call.learns:
            self.use(call, "out" + call.output, place)
        return code

    def try_all(self, tables):
        for label, make in tables.items():
            for call in READING:
                with self.subTest(call.name, table=label):
                    self.try_table(call, label, make(call.rows))
