# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""The page of names is that of the docstrings, and every public name has one."""

import ast
import importlib
import importlib.util
import inspect
import pathlib

import bochner
import pytest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "make_python_api.py"


def tool():
    spec = importlib.util.spec_from_file_location("make_python_api", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_current():
    for name in ("onnx", "dask", "matplotlib"):
        pytest.importorskip(name)
    if not hasattr(pytest.importorskip("sklearn"), "callback"):
        pytest.importorskip("sklearn.callback")  # signatures of older versions differ
    made = tool()
    assert made.PAGE.read_text() == made.text(), "run tools/make_python_api.py"


def test_every_name_is_on_the_page_and_documented():
    listed = {name for _, module, names in tool().GROUPS if module == "bochner" for name in names}
    assert listed == set(bochner.__all__)
    for name in bochner.__all__:
        thing = getattr(bochner, name)
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            described = inspect.getdoc(thing)
            for parameter in list(inspect.signature(thing).parameters):
                assert f"{parameter} :" in described, f"{name}: {parameter}"


def test_the_stub_has_every_name_from_where_it_is():
    stub = pathlib.Path(bochner.__file__).with_suffix(".pyi").read_text()
    found = {alias.name: node.module for node in ast.walk(ast.parse(stub)) if isinstance(node, ast.ImportFrom)
             for alias in node.names}
    assert set(found) == set(bochner.__all__)
    for name, module in found.items():
        assert getattr(importlib.import_module(module), name) is getattr(bochner, name), name
