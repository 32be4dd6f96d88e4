# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Every example runs, in a folder that has the project's data."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "python"
DATA = os.environ.get("BOCHNER_TEST_DATA", EXAMPLES.parent.parent / "data")


@pytest.mark.parametrize("example", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_example(example, tmp_path):
    if example == "text_columns.py":
        pytest.importorskip("pandas")
    shutil.copytree(DATA, tmp_path / "data")
    done = subprocess.run([sys.executable, EXAMPLES / example], cwd=tmp_path, capture_output=True, text=True)
    print(done.stdout)
    assert done.returncode == 0, done.stderr
