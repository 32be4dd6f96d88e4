# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""A user's file under mypy --strict: no complaint about what is right, one about what is wrong."""

import pathlib
import sys
import textwrap

import bochner
import pytest

api = pytest.importorskip("mypy.api")
RIGHT = """
    import bochner
    import numpy as np
    from bochner import FourierFeatures, GaussianMixture, KernelClassifier, KernelRegressor, KernelRidge, KernelSVC

    X, y = np.zeros((10, 2)), np.arange(10.0)
    ridge = KernelRidge(0.1, n_components=100, bandwidth=[1.0, 2.0])
    ridge.fit(X, y).predict(X)
    answers = KernelRegressor("fast", n_jobs=2).fit(X, y, groups=y).predict_interval(X)
    shares = KernelClassifier(class_weight="balanced").fit(X, y > 3).predict_proba(X)
    machines = [KernelSVC(C=[1.0, 2.0], loss="hinge", tol=1e-3), GaussianMixture(2).fit(X)]
    features = FourierFeatures(64, bandwidth=1.0).fit_transform(X)
    print(answers.shape, shares.shape, machines, features, ridge.alpha, bochner.__version__)
"""


def checked(tmp_path, text):
    path = tmp_path / "user.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return api.run(["--strict", "--python-executable", sys.executable, "--cache-dir", str(tmp_path / "cache"), str(path)])


def test_mypy_knows_the_package(tmp_path):
    assert (pathlib.Path(bochner.__file__).parent / "py.typed").exists()
    said, _, failed = checked(tmp_path, RIGHT)
    assert not failed, said
    said, _, failed = checked(tmp_path, 'from bochner import KernelRidge\n\nKernelRidge(alpha="x")\n')
    assert failed and '"alpha" to "KernelRidge" has incompatible type "str"' in said, said
