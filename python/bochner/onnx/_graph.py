# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""A graph under construction, and a model file as its maps."""

import json
import struct

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from bochner import _files

OPSET, ML_OPSET = 18, 3
TYPES = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.float64): TensorProto.DOUBLE,
         np.dtype(np.int64): TensorProto.INT64, np.dtype(np.uint64): TensorProto.UINT64,
         np.dtype(np.bool_): TensorProto.BOOL}
_NUMPY = {"F64": np.float64, "F32": np.float32, "U64": np.uint64, "I64": np.int64, "U32": np.uint32, "U8": np.uint8}


class Unsupported(ValueError):
    """A model that has no standard operators."""


class Saved:
    """A node of the tree of a model file, with the arrays below it."""

    def __init__(self, tree, arrays, path=""):
        self.tree, self.arrays, self.path = tree, arrays, path

    @classmethod
    def of_model(cls, model):
        content = _files.to_bytes(model)
        length = struct.unpack("<Q", content[:8])[0]
        header = json.loads(content[8 : 8 + length])
        tree = json.loads(header.pop("__metadata__")["bochner"])
        arrays = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            values = np.frombuffer(content[8 + length + begin : 8 + length + end], dtype=_NUMPY[entry["dtype"]])
            arrays[name] = values.reshape(entry["shape"])
        return cls(tree, arrays)

    def child(self, name):
        return Saved(self.tree[name], self.arrays, f"{self.path}{name}.")

    def array(self, name):
        return self.arrays[self.path + name]

    @property
    def type(self):
        return self.tree["type"]


class Graph:
    """Nodes in order. Methods take and give names of tensors; arrays become initializers."""

    def __init__(self, prefix=""):
        self.nodes, self.initializers, self.prefix = [], [], prefix
        self._count = 0
        self._kept = {}

    def name(self, stem):
        self._count += 1
        return f"{self.prefix}{stem}_{self._count}"

    def constant(self, values, dtype=None):
        values = np.ascontiguousarray(values, dtype=dtype)
        key = (values.dtype.str, values.shape, values.tobytes())
        if key not in self._kept:
            name = self.name("c")
            self.initializers.append(numpy_helper.from_array(values, name))
            self._kept[key] = name
        return self._kept[key]

    def add(self, op, *inputs, domain="", outputs=1, **attributes):
        """The output of a standard operator; arrays among the inputs are constants."""
        names = [x if isinstance(x, str) else self.constant(x) for x in inputs]
        out = [self.name(op.lower()) for _ in range(outputs)]
        self.nodes.append(helper.make_node(op, names, out, name=self.name("n"), domain=domain, **attributes))
        return out[0] if outputs == 1 else out

    def cast(self, x, dtype):
        return self.add("Cast", x, to=TYPES[np.dtype(dtype)])

    def double(self, x):
        return self.cast(x, np.float64)

    def reduce_sum(self, x, axis, keep=False):
        return self.add("ReduceSum", x, np.array([axis], np.int64), keepdims=int(keep))

    def gather(self, table, places):
        return self.add("Gather", np.ascontiguousarray(table) if not isinstance(table, str) else table, places, axis=0)

    def unsqueeze(self, x, axis):
        return self.add("Unsqueeze", x, np.array([axis], np.int64))

    def reshape(self, x, shape):
        return self.add("Reshape", x, np.array(shape, np.int64))

    def columns(self, x, numbers):
        """Some columns of rows."""
        return self.add("Gather", x, np.asarray(numbers, np.int64), axis=1)

    def rank(self, tables, x, strict=False):
        """How many values of table j are at most (strict: below) column j of x, and where each table begins.

        Tables are sorted; a binary search in all of them at once, step by step.
        """
        sizes = np.array([len(t) for t in tables], np.int64)
        ends = np.cumsum(sizes)
        begins = ends - sizes
        values = self.constant(np.concatenate([*tables, tables[0][:0] if ends[-1] else np.zeros(1, tables[0].dtype)]))
        one = np.ones(1, np.int64)
        at = self.add("Add", self.add("Expand", np.zeros(1, np.int64), self.add("Shape", x)), begins)
        step = 1 << max(0, int(sizes.max()).bit_length() - 1)
        while step:
            ahead = self.add("Add", at, np.array([step], np.int64))
            place = self.add("Max", self.add("Sub", self.add("Min", ahead, ends), one), np.zeros(1, np.int64))
            low = self.add("Less" if strict else "LessOrEqual", self.gather(values, place), x)
            at = self.add("Where", self.add("And", low, self.add("LessOrEqual", ahead, ends)), ahead, at)
            step //= 2
        return self.add("Sub", at, begins), begins
