# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Models as ONNX, in standard operators: ``pip install bochner[onnx]``.

``to_onnx(estimator)`` writes any fitted dense or binning model; ``register()`` makes skl2onnx convert pipelines that
hold our estimators, the drop-ins of ``bochner.compat`` among them.
"""

import os

import numpy as np

try:
    import onnx
    from onnx import TensorProto, helper
except ImportError as missing:
    raise ImportError("bochner.onnx needs the package onnx: pip install bochner[onnx]") from missing

from bochner import _core
from bochner._base import ModelEstimator
from bochner.onnx._graph import ML_OPSET, OPSET, TYPES, Graph, Saved, Unsupported
from bochner.onnx._maps import Converter

__all__ = ["Unsupported", "register", "to_onnx"]

# What the library's reader takes for a missing cell wherever it stands in a text column (cell_rules.cc; a test holds
# these against it).
MISSING = ["", "?", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "null", "NULL", "NaN", "nan", "-NaN",
           "-nan", "NaT", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"]


def to_onnx(estimator, *, exact=True, name="bochner"):
    """The fitted estimator as an onnx.ModelProto.

    Parameters
    ----------
    estimator : estimator, Model or path
        A fitted estimator of bochner or bochner.compat, what ``bochner.load`` gives, or a model file.
    exact : bool, default=True
        Where a kernel's near points enlarge the rounding of floats (Nystroem maps and automatic machines), take sums
        in the library's order and round as it does: answers are then its own, within 1e-5. False: sums in double by
        MatMul, 5 to 15 times faster; answers of such models in float are then away from the library's by what its own
        rounding is.
    name : str, default="bochner"
        Name of the graph.

    Returns
    -------
    onnx.ModelProto
        Its input is ``X``, rows of float (of double for models of double precision); of a model with text columns there
        is one input for each column, by its name, numbers and strings of shape (n, 1). A missing number is NaN. Its
        outputs: ``values`` of regressors; ``label`` and ``scores`` of classifiers, and ``probabilities`` where predict_proba is there;
        ``label`` and ``distances`` of KernelKMeans; ``label``, ``probabilities`` and ``log_density`` of
        GaussianMixture; ``features`` of transformers.

    Deviations and intervals are not in the graph: ``predict(X, return_std=True)`` and ``predict_interval`` are the
    library's. Models without standard operators (nearest neighbours, hidden Markov models, text, some kernels of
    Nystroem maps) are refused by a ValueError in one line.
    """
    model = _model_of(estimator)
    saved = Saved.of_model(model)
    graph = Graph()
    inputs, x, dtype = _inputs(graph, model, saved)
    outputs = _outputs(Converter(graph, dtype, exact), model, saved, x, getattr(estimator, "classes_", None),
                       isinstance(estimator, ModelEstimator) and hasattr(estimator, "transform")
                       and not hasattr(estimator, "predict"))
    outputs = _signed(graph, outputs, estimator)
    values = []
    for output, tensor, kind, width in outputs:
        graph.nodes.append(helper.make_node("Identity", [tensor], [output]))
        values.append(helper.make_tensor_value_info(output, kind, ["n"] if width is None else ["n", width]))
    proto = helper.make_graph(graph.nodes, name, inputs, values, initializer=graph.initializers)
    sets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
    made = helper.make_model(proto, opset_imports=sets, producer_name="bochner", ir_version=8)
    onnx.checker.check_model(made)
    return made


def _model_of(estimator):
    if isinstance(estimator, (str, os.PathLike)):
        return _core.Model.load(os.fspath(estimator))
    if isinstance(estimator, _core.Model):
        return estimator
    if hasattr(estimator, "index_"):
        raise Unsupported(f"onnx: {type(estimator).__name__} searches rows, which has no standard operators")
    if not hasattr(estimator, "model_"):
        raise Unsupported(f"onnx: found {type(estimator).__name__}, expected a fitted estimator of bochner")
    return estimator.model_


def _inputs(graph, model, saved):
    """Value infos of the inputs, the tensor of encoded rows, and what the model computes in."""
    schema, tree = model.schema, saved.tree["schema"]
    dtype = np.dtype(np.float64 if model.double_precision else np.float32)
    offsets = tree.get("offsets")
    read = np.dtype(np.float64) if offsets else dtype
    columns = [c for c in tree.get("columns", []) if c["kind"] in ("numeric", "category")]
    coded = [c["name"] for c in columns if c["kind"] == "numeric" and c.get("levels")]
    if coded:
        raise Unsupported(f"onnx: column {coded[0]!r} enters by the target's mean at each of its levels, expected "
                          "at most 256 levels; train with --max-levels 256")
    if any(c["kind"] == "category" for c in columns):
        missing = set(tree.get("missing_values", [])) | set(MISSING if tree.get("usual_missing", True) else [])
        infos, x = _columns(graph, columns, read, missing)
    else:
        infos, x = [helper.make_tensor_value_info("X", TYPES[read], ["n", len(columns) or schema.inputs])], "X"
        marked = any(c.get("marked") for c in columns)
        if columns and (marked or (schema.header and schema.missing != _core.Missing.error)):
            x = filled(graph, columns, x, read)
    if offsets:
        x = graph.cast(graph.add("Sub", x, np.array(offsets)), dtype)
    return infos, x, dtype


def filled(graph, columns, x, dtype):
    """Numbers of these columns with what stands for NaN, and behind those whose missing cells are marked where it was."""
    gaps = graph.add("IsNaN", x)
    values = graph.add("Where", gaps, np.array([c.get("fill", 0.0) for c in columns], dtype), x)
    marked = [k for k, c in enumerate(columns) if c.get("marked")]
    if not marked:
        return values
    marks = graph.columns(graph.cast(gaps, dtype), np.array(marked))
    order = [place for k in range(len(columns))
             for place in [k] + ([len(columns) + marked.index(k)] if k in marked else [])]
    return graph.columns(graph.add("Concat", values, marks, axis=1), np.array(order))


def _columns(graph, columns, dtype, missing):
    infos, parts = [], []
    for column in columns:
        text = column["kind"] == "category"
        infos.append(helper.make_tensor_value_info(
            column["name"], TensorProto.STRING if text else TYPES[dtype], ["n", 1]))
        if text:
            levels = column["levels"]
            codes = {level: k for k, level in enumerate(levels)}
            for text in missing - set(levels):
                codes[text] = codes.get("", -1)
            code = graph.add("LabelEncoder", column["name"], domain="ai.onnx.ml", keys_strings=sorted(codes),
                             values_int64s=[codes[text] for text in sorted(codes)], default_int64=-1)
            parts.append(graph.cast(graph.add("Equal", code, np.arange(len(levels))), dtype))
        else:
            parts.append(filled(graph, [column], column["name"], dtype))
    return infos, graph.add("Concat", *parts, axis=1)


def _outputs(convert, model, saved, x, classes, transforms):
    """(name, tensor, type, width) of what the model puts out; width None: one for each row."""
    graph, dtype, kind = convert.graph, convert.dtype, model.output_kind
    head = saved.child("head")
    if transforms and kind in ("scores", "probabilities", "values"):
        raise Unsupported("onnx: found a transformer over a model that predicts, expected one or the other")
    maps = [saved.child(f"map{k}") for k in range(saved.tree["maps"])]
    density = kind == "clusters" and (head.tree.get("map") or head.tree).get("type") == "mixture"
    if density:
        x, maps = convert.chain(maps, x), []
    y = convert.dense(convert.chain([*maps, head], x))
    width, number = model.outputs, TYPES[dtype]
    if kind in ("scores", "probabilities"):
        return _classes(graph, model, saved, y, dtype, classes)
    if kind == "clusters":
        label = graph.add("ArgMax", y, axis=1, keepdims=0)
        if density:
            return [("label", label, TensorProto.INT64, None), ("probabilities", y, number, width),
                    ("log_density", convert.mixture_density(head, x), number, 1)]
        distances = graph.add("Sqrt", graph.add("Max", graph.add("Neg", y), np.zeros(1, dtype)))
        return [("label", label, TensorProto.INT64, None), ("distances", distances, number, width)]
    if model.target_offsets:
        y, number = graph.add("Add", graph.double(y), np.array(model.target_offsets)), TYPES[np.dtype(np.float64)]
    return [("features" if kind == "components" else "values", y, number, width)]


def _signed(graph, outputs, estimator):
    """TruncatedSVD of bochner.compat turns some directions of its model round."""
    signs = getattr(estimator, "_signs", None)
    if signs is None:
        return outputs
    (name, tensor, kind, width), = outputs
    dtype = next(d for d, t in TYPES.items() if t == kind)
    return [(name, graph.add("Mul", tensor, signs.astype(dtype)), kind, width)]


def _classes(graph, model, saved, scores, dtype, classes):
    """Labels, scores and, where the model knows them, probabilities: of the class that is answered the largest."""
    labels = model.schema.labels if classes is None else classes
    count = len(labels)
    number = TYPES[dtype]
    if model.outputs == 1:
        answer = graph.cast(graph.reshape(graph.add("Greater", scores, np.zeros(1, dtype)), [-1]), np.int64)
    else:
        answer = graph.add("ArgMax", scores, axis=1, keepdims=0)
    label, kind = _labels(graph, answer, labels)
    found = [("label", label, kind, None), ("scores", scores, number, model.outputs)]
    if model.has_probabilities:
        p = _probabilities(graph, model, saved, graph.double(scores))
        numbers = np.arange(count)
        answered = graph.add("Equal", graph.unsqueeze(answer, 1), numbers)
        likeliest = graph.add("Equal", graph.add("ArgMax", p, axis=1, keepdims=1), numbers)
        most = graph.add("ReduceMax", p, np.array([1]), keepdims=1)
        own = graph.reduce_sum(graph.add("Mul", p, graph.double(answered)), 1, keep=True)
        p = graph.add("Where", answered, most, graph.add("Where", likeliest, own, p))
        found.append(("probabilities", graph.cast(p, dtype), number, count))
    return found


def _labels(graph, answer, labels):
    labels = np.asarray(labels)
    if labels.dtype.kind in "iu":
        return graph.gather(labels.astype(np.int64), answer), TensorProto.INT64
    if labels.dtype.kind == "b":
        return graph.cast(answer, np.bool_), TensorProto.BOOL
    texts = [str(label) for label in labels]
    return graph.add("LabelEncoder", answer, domain="ai.onnx.ml", keys_int64s=list(range(len(texts))),
                     values_strings=texts), TensorProto.STRING


def _probabilities(graph, model, saved, scores):
    if model.output_kind == "probabilities" and "calibration" not in saved.tree:
        return scores
    pair = model.outputs == 1
    given = np.zeros(0)
    if "calibration" in saved.tree:
        learnt = saved.child("calibration")
        shift, given = learnt.array("shift"), learnt.array("given")
        scores = graph.add("Add", graph.add("Mul", scores, np.array([learnt.tree["slope"]])), shift)
    if pair:
        scores = graph.add("Concat", graph.add("Mul", scores, np.zeros(1)), scores, axis=1)
    p = graph.add("Softmax", scores, axis=1)
    if not len(given):
        return p
    heights = learnt.array("calibrated")
    curve = Converter(graph, np.float64)._between
    if pair:
        second = curve([given], [heights], graph.columns(p, [1]))
        return graph.add("Concat", graph.add("Sub", np.ones(1), second), second, axis=1)
    p = curve([given] * model.outputs, [heights] * model.outputs, p)
    return graph.add("Div", p, graph.reduce_sum(p, 1, keep=True))


def register():
    """Makes skl2onnx convert our estimators inside its pipelines (needs the package skl2onnx)."""
    from bochner.onnx._skl2onnx import register_all

    register_all()
