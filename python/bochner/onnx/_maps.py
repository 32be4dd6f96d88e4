# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Maps of a model file as operators: the way through a chain, and maps from numbers to numbers. Numbers are rounded to the model's precision where the library rounds them."""

import math

import numpy as np

from bochner import _core, _data
from bochner.onnx._bins import Binnings, Bins
from bochner.onnx._densities import Densities
from bochner.onnx._graph import Unsupported
from bochner.onnx._kernels import Kernels
from bochner.onnx._rounded import Rounded
from bochner.onnx._trees import Trees

_CLIP = 5.0  # where twofold bends numbers


def _enlarges(saved):
    """Whether a map, or one inside it, makes much of a rounding before or in it."""
    if saved.type in ("nystroem", "radial_machine", "leaf_machines"):
        return True
    inner = [saved.child(name) for name, value in saved.tree.items() if isinstance(value, dict) and "type" in value]
    return any(map(_enlarges, inner))


class Converter(Kernels, Trees, Binnings, Densities):
    """Adds the operators of maps to a graph. dtype: what the model computes in; exact: to its bits, where they matter."""

    def __init__(self, graph, dtype, exact=True):
        self.graph, self.dtype = graph, np.dtype(dtype)
        self.rounded = Rounded(graph) if exact and self.dtype == np.float32 else None
        self._enlarged = False

    def convert(self, saved, x):
        name = f"_{saved.type}"
        if not hasattr(self, name):
            raise Unsupported(f"onnx: found a map of type {saved.type}, which has no standard operators")
        if isinstance(x, Bins) and saved.type not in ("linear", "chain", "sum", "measured"):
            x = self.dense(x)
        return getattr(self, name)(saved, x)

    def dense(self, x):
        """Rows as numbers, also where they are bins."""
        if not isinstance(x, Bins):
            return x
        g = self.graph
        rows = g.add("Slice", g.add("Shape", x.places), np.array([0]), np.array([1]))
        shape = g.add("Concat", rows, np.array([x.width + 1], np.int64), axis=0)
        ones = g.add("Expand", np.array([x.one], self.dtype), g.add("Shape", x.places))
        full = g.add("ScatterElements", g.add("Expand", np.zeros(1, self.dtype), shape), x.places, ones, axis=1)
        return g.add("Slice", full, np.array([0]), np.array([x.width]), np.array([1]))

    def _round(self, x):
        return self.graph.cast(x, self.dtype)

    # Maps of maps.

    def _parts(self, saved):
        return [saved.child(f"part{k}") for k in range(saved.tree["parts"])]

    def _chain(self, saved, x):
        return self.chain(self._parts(saved), x)

    def chain(self, parts, x):
        """Maps one after another; where one of them enlarges rounding, linear ones keep the library's."""
        before, self._enlarged = self._enlarged, self._enlarged or any(map(_enlarges, parts))
        for part in parts:
            x = self.convert(part, x)
        self._enlarged = before
        return x

    def _concat(self, saved, x):
        g = self.graph
        parts = []
        for part, weight in zip(self._parts(saved), saved.array("weights")):
            z = self.dense(self.convert(part, x))
            parts.append(z if weight == 1 else g.add("Mul", z, np.array([math.sqrt(weight)], self.dtype)))
        return g.add("Concat", *parts, axis=1)

    def _sum(self, saved, x):
        parts = [self.graph.double(self.dense(self.convert(part, x))) for part in self._parts(saved)]
        total = parts[0]
        for part in parts[1:]:
            total = self.graph.add("Add", total, part)
        return self._round(total)

    def _measured(self, saved, x):
        return self.convert(saved.child("map"), x)

    # Numbers to numbers.

    def _linear(self, saved, x):
        g = self.graph
        weights = saved.array("weights").astype(self.dtype).astype(np.float64)
        if isinstance(x, Bins):
            table = np.vstack([weights, np.zeros((1, weights.shape[1]))]) * float(self.dtype.type(x.one))
            y = g.reduce_sum(g.gather(table, x.places), 1)
        elif self.rounded and self._enlarged:
            return self._round(self.rounded.linear(g.double(x), weights, saved.array("intercept")))
        else:
            y = g.add("MatMul", g.double(x), weights)
        return self._round(g.add("Add", y, saved.array("intercept")))

    def _link(self, saved, x):
        g = self.graph
        scores = g.double(x)
        if "power" in saved.tree:
            return self._round(g.add("Exp", scores))
        count = len(saved.tree["levels"])
        return self._round(g.add("TopK", scores, np.array([count]), axis=1, largest=0, sorted=1, outputs=2)[0])

    def _components(self, saved, x):
        g = self.graph
        if len(saved.array("mean")):
            x = self._round(g.add("Sub", g.double(x), saved.array("mean")))
        directions = saved.array("directions").astype(self.dtype).astype(np.float64)
        return self._round(g.add("MatMul", g.double(x), directions))

    def _clusters(self, saved, x):
        g = self.graph
        x, centres = g.double(x), saved.array("centres")
        cross = g.add("MatMul", x, 2 * centres.T)
        less = g.add("Sub", g.add("Sub", cross, (centres**2).sum(axis=1)), g.add("ReduceSumSquare", x, np.array([1]),
                                                                             keepdims=1))
        return self._round(g.add("Min", less, np.zeros(1)))

    def _threshold(self, saved, x):
        g = self.graph
        above = g.add("Greater", g.double(x), np.array([saved.tree["above"]]))
        return g.add("Concat", x, g.cast(above, self.dtype), axis=1)

    def _project(self, saved, x):
        options = _core.ProjectOptions()
        tree = saved.tree
        options.kind = getattr(_core.ProjectOptions.Kind, tree["kind"])
        options.dims, options.seed = tree["dims"], tree["seed"]
        options.density = tree.get("density", 0.0)
        if "signs" in tree:
            options.signs = tree["signs"]
        rows = _data.rows_of(np.eye(tree["inputs"]), _data.schema_of(tree["inputs"]))
        matrix = _core.project(tree["inputs"], options).transform_double(rows, _core.Execution())
        return self._round(self.graph.add("MatMul", self.graph.double(x), matrix))

    def _scaling(self, saved, x):
        """Columns of one method together, then back in their order."""
        g = self.graph
        methods, numbers = saved.array("methods"), saved.array("parameters")
        ends = np.cumsum(saved.array("quantile_counts").astype(np.int64))
        center, factor, offset, unit = numbers.T
        left_out = (methods != 0) & (factor == 0)
        kinds = np.where(left_out, 5, np.where(methods == 2, 1, methods))
        parts, order = [], []
        for kind in np.unique(kinds):
            columns = np.flatnonzero(kinds == kind)
            part = x if len(columns) == len(kinds) else g.columns(x, columns)
            if kind == 5:
                part = g.add("Mul", part, np.zeros(1, self.dtype))
            elif kind:
                part = g.double(part)
                if kind == 3:
                    u = g.add("Div", g.add("Sub", part, offset[columns]), unit[columns])
                    part = g.add("Mul", g.add("Sign", u), g.add("Log", g.add("Add", g.add("Abs", u), np.ones(1))))
                elif kind == 4:
                    part = self._quantiles(saved, columns, ends, part)
                part = self._round(g.add("Mul", g.add("Sub", part, center[columns]), factor[columns]))
            parts.append(part)
            order.extend(columns)
        if len(parts) == 1:
            return parts[0]
        return g.columns(g.add("Concat", *parts, axis=1), np.argsort(order))

    def _quantiles(self, saved, columns, ends, x):
        """The share of the training's values below x: linear between quantiles, the middle among equal ones."""
        g = self.graph
        every, counts = saved.array("quantiles"), saved.array("quantile_counts").astype(np.int64)
        tables = [every[ends[j] - counts[j] : ends[j]] for j in columns]
        last = np.array([len(t) - 1.0 for t in tables])
        values = np.concatenate(tables)
        low, begins = g.rank(tables, x, strict=True)
        high, _ = g.rank(tables, x)
        found = g.add("Greater", high, low)
        tie = g.add("Mul", g.double(g.add("Sub", g.add("Add", low, high), np.ones(1, np.int64))), np.array([0.5]))
        before = g.add("Max", g.add("Sub", low, np.ones(1, np.int64)), np.zeros(1, np.int64))
        after = g.add("Min", low, last.astype(np.int64))
        below = g.gather(values, g.add("Add", before, begins))
        above = g.gather(values, g.add("Add", after, begins))
        width = g.add("Sub", above, below)
        width = g.add("Where", g.add("Greater", width, np.zeros(1)), width, np.ones(1))
        share = g.add("Clip", g.add("Div", g.add("Sub", x, below), width), np.array(0.0), np.array(1.0))
        between = g.add("Add", g.double(before), share)
        outside = g.add("Greater", low, last.astype(np.int64))
        between = g.add("Where", outside, last, between)
        between = g.add("Where", g.add("Equal", low, np.zeros(1, np.int64)), np.zeros(1), between)
        return g.add("Div", g.add("Where", found, tie, between), last)

    def _twofold(self, saved, x):
        g = self.graph
        kinds, scales = saved.array("kinds"), saved.array("scales")
        counts = saved.array("knots").astype(np.int64)
        ends = np.cumsum(counts)
        values, ranks = saved.array("values"), saved.array("ranks")
        width = np.array([0, 1, 2, 2])[kinds]
        dates = np.flatnonzero(kinds == 3)
        if len(dates):
            width[dates] += 2 * saved.array("cycle_counts").astype(np.int64)
        first = np.cumsum(width) - width
        parts, order = [], []
        for kind in (1, 2, 3):
            columns = np.flatnonzero(kinds == kind)
            if not len(columns):
                continue
            raw = g.double(g.columns(x, columns))
            spans = [slice(ends[j] - counts[j], ends[j]) for j in columns]
            if kind == 3:
                self._cycles(saved, raw, first[columns], parts, order)
                raw = g.add("Max", g.add("Min", raw, np.array([values[s][-1] for s in spans])),
                            np.array([values[s][0] for s in spans]))
            v = g.add("Mul", g.add("Sub", raw, scales[columns, 0]), scales[columns, 1])
            if kind == 1:
                parts.append(v)
                order.extend(first[columns])
                continue
            bent = g.add("Div", v, np.array([_CLIP]))
            root = g.add("Sqrt", g.add("Add", g.add("Mul", bent, bent), np.ones(1)))
            parts.append(g.add("Div", v, root))
            order.extend(first[columns])
            rank = self._between([values[s] for s in spans], [ranks[s] for s in spans], raw)
            parts.append(g.add("Mul", g.add("Sub", rank, np.array([0.5])), np.array([math.sqrt(12.0)])))
            order.extend(first[columns] + 1)
        return self._round(g.columns(g.add("Concat", *parts, axis=1), np.argsort(order)))

    def _cycles(self, saved, raw, first, parts, order):
        """The places of dates in their cycles, behind the two numbers of each."""
        g = self.graph
        counts = saved.array("cycle_counts").astype(np.int64)
        if not counts.sum():
            return
        cycles, date = saved.array("cycles"), np.repeat(np.arange(len(counts)), counts)
        day = g.add("Add", g.columns(raw, date), saved.array("first_days")[date])
        day = g.add("Where", cycles > 1, g.add("Floor", day), day)
        turns = g.add("Div", day, cycles)
        begins = first[date] + 2 + 2 * np.concatenate([np.arange(count) for count in counts])
        for which, quarter in enumerate((0.25, 0.0)):  # cos is sin a quarter of a turn later
            angle = g.add("Add", turns, np.array([quarter]))
            angle = g.add("Mul", g.add("Sub", angle, g.add("Floor", angle)), np.array([2 * math.pi]))
            parts.append(g.add("Mul", g.add("Sin", angle), np.array([math.sqrt(2.0)])))
            order.extend(begins + which)

    def _between(self, xs, ys, x):
        """The curve of column j through (xs[j], ys[j]) at column j of x; its ends beyond them."""
        g = self.graph
        values, heights = np.concatenate(xs), np.concatenate(ys)
        count, begins = g.rank(xs, x)
        last = np.array([len(t) - 1 for t in xs], np.int64)
        high = g.add("Max", g.add("Min", count, last), np.minimum(last, 1))
        at = g.add("Add", high, begins)
        before = g.add("Max", g.add("Sub", at, np.ones(1, np.int64)), begins)
        low_x, high_x = g.gather(values, before), g.gather(values, at)
        low_y, high_y = g.gather(heights, before), g.gather(heights, at)
        width = g.add("Sub", high_x, low_x)
        width = g.add("Where", g.add("Greater", width, np.zeros(1)), width, np.ones(1))
        share = g.add("Div", g.add("Sub", x, low_x), width)
        inner = g.add("Add", low_y, g.add("Mul", share, g.add("Sub", high_y, low_y)))
        inner = g.add("Where", g.add("Greater", count, last), np.array([t[-1] for t in ys]), inner)
        return g.add("Where", g.add("Equal", count, np.zeros(1, np.int64)), np.array([t[0] for t in ys]), inner)
