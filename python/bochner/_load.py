# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Estimators of what a file holds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bochner import _core
from bochner._predictors import KernelClassifier, KernelRegressor

if TYPE_CHECKING:
    from typing import Any


def load(path: str | os.PathLike[str]) -> Any:
    """The fitted estimator of a model file, whoever wrote it: Python, C++ or the command.

    Classes are whole numbers if all labels of the file are, and otherwise their texts. A model that predicts nothing is returned as the library's Model.
    """
    model = _core.Model.load(os.fspath(path))
    if model.output_kind in ("scores", "probabilities"):
        return KernelClassifier._of_model(model)
    if model.output_kind == "values":
        return KernelRegressor._of_model(model)
    return model
