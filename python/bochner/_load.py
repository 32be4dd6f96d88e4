# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Estimators of what a file holds."""

import os

from bochner import _core
from bochner._predictors import KernelClassifier, KernelRegressor


def load(path):
    """The fitted estimator of a model file, whoever wrote it: Python, C++ or the command.

    Classes are whole numbers if all labels of the file are, and otherwise their texts. A model that predicts nothing is returned as the library's Model.
    """
    model = _core.Model.load(os.fspath(path))
    if model.output_kind in ("scores", "probabilities"):
        return KernelClassifier._of_model(model)
    if model.output_kind == "values":
        return KernelRegressor._of_model(model)
    return model
