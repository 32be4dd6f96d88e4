#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The C interface as ctypes sees it: c_api_test.py LIBRARY COMMAND DATA. Answers are those of the command, to the digit."""

import csv
import ctypes
import pathlib
import random
import subprocess
import sys
import tempfile
import threading

OK, MISUSE, DATA_CODE, MODEL = 0, 1, 2, 3
SIZE, TEXT, NUMBERS = ctypes.c_size_t, ctypes.c_char_p, ctypes.POINTER(ctypes.c_double)


class Error(ctypes.Structure):
    _fields_ = (("code", ctypes.c_int32), ("text", ctypes.c_char * 1020))


class Table(ctypes.Structure):
    _fields_ = (("names", ctypes.POINTER(TEXT)), ("columns", SIZE), ("cells", ctypes.POINTER(TEXT)), ("rows", SIZE))


def bound(path):
    library = ctypes.CDLL(str(path))
    model, error = ctypes.c_void_p, ctypes.POINTER(Error)
    for name, result, *parameters in (
        ("bochner_version", TEXT),
        ("bochner_load", ctypes.c_int32, TEXT, ctypes.POINTER(model), error),
        ("bochner_load_bytes", ctypes.c_int32, TEXT, SIZE, ctypes.POINTER(model), error),
        ("bochner_free", None, model),
        ("bochner_inputs", SIZE, model),
        ("bochner_outputs", SIZE, model),
        ("bochner_classes", SIZE, model),
        ("bochner_class_label", TEXT, model, SIZE),
        ("bochner_columns", SIZE, model),
        ("bochner_column_name", TEXT, model, SIZE),
        ("bochner_column_kind", ctypes.c_int32, model, SIZE),
        ("bochner_column_level", TEXT, model, SIZE, SIZE),
        ("bochner_has_probabilities", ctypes.c_int32, model),
        ("bochner_predict", ctypes.c_int32, model, NUMBERS, SIZE, NUMBERS, SIZE, error),
        ("bochner_predict_cells", ctypes.c_int32, model, ctypes.POINTER(Table), NUMBERS, SIZE, error),
        ("bochner_classes_of", ctypes.c_int32, model, NUMBERS, SIZE, ctypes.POINTER(SIZE), SIZE, error),
        ("bochner_probabilities", ctypes.c_int32, model, NUMBERS, SIZE, NUMBERS, SIZE, error),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, parameters
    return library


class Loaded:
    def __init__(self, library, path):
        self.library, self.error, self.model = library, Error(), ctypes.c_void_p()
        self.check(library.bochner_load(str(path).encode(), self.model, self.error))

    def check(self, code):
        assert code == OK and self.error.code == OK, self.error.text

    def table(self, names, rows):
        names = (TEXT * len(names))(*(name.encode() for name in names))
        cells = [None if cell is None else cell.encode() for row in rows for cell in row]
        return Table(names, len(names), (TEXT * len(cells))(*cells), len(rows))

    def predict_cells(self, names, rows):
        out = (ctypes.c_double * (len(rows) * self.library.bochner_outputs(self.model)))()
        self.check(self.library.bochner_predict_cells(self.model, self.table(names, rows), out, len(out), self.error))
        return out

    def probabilities(self, scores, rows):
        out = (ctypes.c_double * (rows * self.library.bochner_classes(self.model)))()
        self.check(self.library.bochner_probabilities(self.model, scores, len(scores), out, len(out), self.error))
        return out

    def labels(self, scores, rows):
        classes = (SIZE * rows)()
        self.check(self.library.bochner_classes_of(self.model, scores, len(scores), classes, rows, self.error))
        return [self.library.bochner_class_label(self.model, number).decode() for number in classes]


def check_classes(library, command, rows_file, folder):
    """Cells of text to labels, scores and probabilities, as `predict` prints them."""
    path = folder / "classes.model"
    subprocess.run([command, "train", rows_file, "-t", "income", "--map", "fourier", "--features", "64", "--calibrate",
                    "--quiet", "-o", path], check=True, stdout=subprocess.DEVNULL)
    said = subprocess.run([command, "predict", path, rows_file, "--scores", "--probabilities", "--quiet"], check=True,
                          capture_output=True, text=True).stdout.splitlines()
    names, *rows = csv.reader(rows_file.open())
    loaded = Loaded(library, path)
    scores = loaded.predict_cells(names, rows)
    labels, chances = loaded.labels(scores, len(rows)), loaded.probabilities(scores, len(rows))
    assert len(said) == len(rows) > 300
    for i, line in enumerate(said):
        label, score, *probabilities = next(csv.reader([line]))
        assert label == labels[i]
        assert ctypes.c_float(float(score)).value == scores[i], (line, scores[i])  # a float, printed as one
        assert [float(number) for number in probabilities] == chances[2 * i:2 * i + 2], line
    check_schema(loaded, names)
    check_refused_cells(loaded, names, rows)
    check_threads(loaded, names, rows, list(scores))
    check_bytes(library, path)
    library.bochner_free(loaded.model)


def check_schema(loaded, names):
    library, model = loaded.library, loaded.model
    assert [library.bochner_column_name(model, c).decode() for c in range(library.bochner_columns(model))] == names
    kinds = {name: library.bochner_column_kind(model, c) for c, name in enumerate(names)}
    assert kinds["income"] == 3 and kinds["age"] == 0 and kinds["workclass"] == 1, kinds
    assert b"State-gov" in [library.bochner_column_level(model, names.index("workclass"), level) for level in range(9)]
    assert library.bochner_column_level(model, names.index("workclass"), 10**6) is None
    assert library.bochner_column_name(model, len(names)) is None and library.bochner_class_label(model, 2) is None
    assert library.bochner_has_probabilities(model) == 1


def check_refused_cells(loaded, names, rows):
    out, error = (ctypes.c_double * 2)(), loaded.error
    predict = loaded.library.bochner_predict_cells
    odd = list(rows[0])
    odd[names.index("age")] = "forty"
    for columns, cells, code, say in ((names, [odd], DATA_CODE, b"forty"), (names, [rows[0], odd], DATA_CODE, b"row 1"),
                                      (names[1:], [rows[0][1:]], DATA_CODE, names[0].encode()),
                                      (names, [rows[0]] * 3, MISUSE, b"out_size")):
        found = predict(loaded.model, loaded.table(columns, cells), out, min(len(cells), 2), error)
        assert found == error.code == code and say in error.text and b"\n" not in error.text, (found, error.text)
    assert predict(loaded.model, Table(None, 3, None, 1), out, 1, error) == MISUSE
    missing = [None if name == "workclass" else cell for name, cell in zip(names, rows[0])]
    assert list(loaded.predict_cells(names, [missing])) != list(loaded.predict_cells(names, [rows[0]]))
    long_name = "é" * 2000  # which no message holds
    assert loaded.library.bochner_load(long_name.encode(), loaded.model.__class__(), error) == MODEL
    assert error.text.decode().endswith("...") and len(error.text) > 1000


def check_threads(loaded, names, rows, expected):
    answers = [None] * 4
    def work(i):
        # The error belongs to one thread: each has its own.
        mine = Loaded.__new__(Loaded)
        mine.library, mine.model, mine.error = loaded.library, loaded.model, Error()
        answers[i] = list(mine.predict_cells(names, rows))
    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(answers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(answer == expected for answer in answers)


def check_bytes(library, path):
    """The bytes of a file are the model; whatever is wrong with them is refused, and nothing else happens."""
    content, model, error = path.read_bytes(), ctypes.c_void_p(), Error()
    assert library.bochner_load_bytes(content, len(content), model, error) == OK
    library.bochner_free(model)
    draw = random.Random(1)
    for i in range(200):
        broken = bytearray(content)
        broken[draw.randrange(len(content) if i % 2 else 2000)] ^= 1 << draw.randrange(8)
        broken = bytes(broken[:draw.randrange(len(content))] if i % 3 == 0 else broken)
        assert library.bochner_load_bytes(broken, len(broken), model, error) == MODEL, (i, error.text)
        assert not model.value and error.text


def main():
    library, command, data = bound(sys.argv[1]), *map(pathlib.Path, sys.argv[2:4])
    assert library.bochner_version().decode() in subprocess.run([command, "--version"], capture_output=True, text=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        check_classes(library, command, data / "adult-small.csv", pathlib.Path(folder))
    print("C interface by ctypes: the answers are those of the command")


if __name__ == "__main__":
    main()
