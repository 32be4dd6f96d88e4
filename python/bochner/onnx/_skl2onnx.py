# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Converters for skl2onnx: the graph of to_onnx() inside a larger one."""

import numpy as np
from onnx import TensorProto, helper
from skl2onnx import update_registered_converter
from skl2onnx.common.data_types import (
    BooleanTensorType, DoubleTensorType, FloatTensorType, Int64TensorType, StringTensorType)
from sklearn.base import is_classifier

import bochner
from bochner import compat
from bochner.onnx._graph import ML_OPSET, OPSET, TYPES, Graph, Saved, Unsupported
from bochner.onnx._maps import Converter

_TYPES = {TensorProto.FLOAT: FloatTensorType, TensorProto.DOUBLE: DoubleTensorType,
          TensorProto.INT64: Int64TensorType, TensorProto.STRING: StringTensorType,
          TensorProto.BOOL: BooleanTensorType}
CLASSIFIERS = ("KernelClassifier", "KernelRidgeClassifier", "KernelSVC", "KernelLogistic", "KernelLDA")
REGRESSORS = ("KernelRegressor", "KernelRidge", "KernelSVR", "KernelHuber", "KernelQuantile", "KernelGLM")
TRANSFORMERS = ("BinningFeatures", "FourierFeatures", "NystroemFeatures", "RandomProjection", "RandomizedSVD",
                "KernelPCA", "KernelCCA", "GroupEmbedding")
DROP_INS = ("RBFSampler", "Nystroem", "GaussianRandomProjection", "SparseRandomProjection", "TruncatedSVD",
            "KernelRidge")


def _drawn(graph, operator, x):
    """Outputs of the operator's model over the rows in x, cast to what they arrive in."""
    from bochner.onnx import _model_of, _outputs, _signed, filled

    estimator = operator.raw_operator
    model = _model_of(estimator)
    saved = Saved.of_model(model)
    columns = [c for c in saved.tree["schema"].get("columns", []) if c["kind"] in ("numeric", "category")]
    if any(c["kind"] == "category" for c in columns):
        raise Unsupported("onnx: text columns inside a pipeline; convert the model alone by bochner.onnx.to_onnx")
    dtype = np.dtype(np.float64 if model.double_precision else np.float32)
    x = graph.double(x)
    if any(c.get("marked") for c in columns):
        x = filled(graph, columns, x, np.dtype(np.float64))
    if saved.tree["schema"].get("offsets"):
        x = graph.add("Sub", x, np.array(saved.tree["schema"]["offsets"]))
    made = _outputs(Converter(graph, dtype), model, saved, graph.cast(x, dtype), getattr(estimator, "classes_", None),
                    False)
    return _signed(graph, made, estimator)


def _wanted(operator, found):
    """Those that skl2onnx asks for: label and probabilities (or scores) of classifiers, otherwise one."""
    by_name = {name: (tensor, kind, width) for name, tensor, kind, width in found}
    if is_classifier(operator.raw_operator):
        return [by_name["label"], by_name.get("probabilities", by_name["scores"])]
    return [found[-1][1:]]


def _shapes(operator):
    made = _wanted(operator, _drawn(Graph(), operator, "X"))
    rows = operator.inputs[0].get_first_dimension()
    number = DoubleTensorType if isinstance(operator.inputs[0].type, DoubleTensorType) else FloatTensorType
    for output, (_, kind, width) in zip(operator.outputs, made):
        kind = number if kind in (TensorProto.FLOAT, TensorProto.DOUBLE) else _TYPES[kind]
        output.type = kind([rows] if width is None else [rows, width])


def _convert(scope, operator, container):
    graph = Graph(scope.get_unique_variable_name("bochner") + "_")
    made = _wanted(operator, _drawn(graph, operator, operator.inputs[0].full_name))
    number = TYPES[np.dtype(np.float64 if isinstance(operator.inputs[0].type, DoubleTensorType) else np.float32)]
    for output, (tensor, kind, width) in zip(operator.outputs, made):
        if kind in (TensorProto.FLOAT, TensorProto.DOUBLE):
            graph.nodes.append(helper.make_node("Cast", [tensor], [output.full_name], to=number))
        else:
            graph.nodes.append(helper.make_node("Identity", [tensor], [output.full_name]))
    container.nodes.extend(graph.nodes)
    container.initializers.extend(graph.initializers)
    container.node_domain_version_pair_sets.add(("", OPSET))
    container.node_domain_version_pair_sets.add(("ai.onnx.ml", ML_OPSET))


def register_all():
    """Every estimator that has a converter."""
    for module, names in ((bochner, CLASSIFIERS + REGRESSORS + TRANSFORMERS), (compat, DROP_INS)):
        for name in names:
            update_registered_converter(
                getattr(module, name), f"{module.__name__.title().replace('.', '')}{name}", _shapes, _convert,
                options={"zipmap": [False, True, "columns"], "raw_scores": [False, True], "nocl": [False, True],
                         "output_class_labels": [False, True]} if name in CLASSIFIERS else None)
