# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Maps of a model file as operators. Numbers are rounded to the model's precision where the library rounds them."""

import math

import numpy as np

from bochner import _core, _data
from bochner.onnx._graph import Unsupported

_CLIP = 5.0  # where twofold bends numbers


class Bins:
    """Features of bins that are not written out: of each row and grid the feature that is `one`, or `width`."""

    def __init__(self, places, width, one):
        self.places, self.width, self.one = places, width, one


class Converter:
    """Adds the operators of maps to a graph. dtype: what the model computes in."""

    def __init__(self, graph, dtype):
        self.graph, self.dtype = graph, np.dtype(dtype)

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
        for part in self._parts(saved):
            x = self.convert(part, x)
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
        else:
            y = g.add("MatMul", g.double(x), weights)
        return self._round(g.add("Add", y, saved.array("intercept")))

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
        ends = np.cumsum(saved.array("knots").astype(np.int64))
        values, ranks = saved.array("values"), saved.array("ranks")
        width = np.array([0, 1, 2])[kinds]
        first = np.cumsum(width) - width
        parts, order = [], []
        for kind in (1, 2):
            columns = np.flatnonzero(kinds == kind)
            if not len(columns):
                continue
            raw = g.double(g.columns(x, columns))
            v = g.add("Mul", g.add("Sub", raw, scales[columns, 0]), scales[columns, 1])
            if kind == 1:
                parts.append(v)
                order.extend(first[columns])
                continue
            bent = g.add("Div", v, np.array([_CLIP]))
            root = g.add("Sqrt", g.add("Add", g.add("Mul", bent, bent), np.ones(1)))
            parts.append(g.add("Div", v, root))
            order.extend(first[columns])
            counts = saved.array("knots").astype(np.int64)
            spans = [slice(ends[j] - counts[j], ends[j]) for j in columns]
            rank = self._between([values[s] for s in spans], [ranks[s] for s in spans], raw)
            parts.append(g.add("Mul", g.add("Sub", rank, np.array([0.5])), np.array([math.sqrt(12.0)])))
            order.extend(first[columns] + 1)
        return self._round(g.columns(g.add("Concat", *parts, axis=1), np.argsort(order)))

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

    # Kernels.

    def _fourier(self, saved, x):
        """Angles in turns, so that the reduction to one turn is exact."""
        g, tree = self.graph, saved.tree
        options = _core.FourierOptions()
        options.kernel = _kernel(tree["kernel"], tree["length_scale"])
        options.features, options.seed = tree["features"], tree["seed"]
        options.form = getattr(_core.FourierOptions.Form, tree["form"])
        options.draw = getattr(_core.FourierOptions.Draw, tree["draw"])
        drawn = _core.drawn_frequencies(tree["inputs"], options)
        turns = (drawn.omega().T / (2 * np.pi)).astype(self.dtype).astype(np.float64)
        angle = g.add("MatMul", g.double(x), turns)
        if drawn.phase:
            phase = (np.array(drawn.phase) / (2 * np.pi)).astype(self.dtype).astype(np.float64)
            angle = g.add("Add", angle, phase)
        angle = g.add("Sub", angle, g.add("Round", angle))
        angle = self._round(g.add("Mul", angle, np.array([2 * np.pi])))
        parts = [g.add("Cos", angle)] if drawn.phase else [g.add("Cos", angle), g.add("Sin", angle)]
        z = parts[0] if len(parts) == 1 else g.add("Concat", *parts, axis=1)
        return g.add("Mul", z, np.array([drawn.scale], self.dtype))

    def _squares(self, x, points):
        """Squared distances of rows to points, in double."""
        g = self.graph
        centre = points.mean(axis=0)  # distances do not see it, and less cancels
        points = points - centre
        x = g.add("Sub", x, centre)
        own = g.add("ReduceSumSquare", x, np.array([1]), keepdims=1)
        s = g.add("Add", g.add("Sub", own, g.add("MatMul", x, 2 * points.T)), (points**2).sum(axis=1))
        return g.add("Max", s, np.zeros(1))

    def _nystroem(self, saved, x):
        g, tree = self.graph, saved.tree
        scale = saved.array("length_scale").astype(np.float64)
        factor = (1 / scale).astype(self.dtype)
        points = (saved.array("landmark").astype(self.dtype) * factor).astype(np.float64)
        x = g.double(g.add("Mul", x, np.broadcast_to(factor, points.shape[1:])))
        k = self._round(self._kernel_values(tree["kernel"], x, points))
        m = len(points)
        inverse = np.zeros((m, m))
        inverse[np.tril_indices(m)] = saved.array("inverse_factor")
        inverse = inverse.astype(self.dtype).astype(np.float64)
        z = self._round(g.add("MatMul", g.double(k), inverse.T))
        return g.add("Clip", z, np.array(-1, self.dtype), np.array(1, self.dtype))

    def _kernel_values(self, words, x, points):
        g = self.graph
        name, _, text = words.partition(":")
        numbers = {key: float(value) for key, value in (part.split("=") for part in text.split(",") if part)}
        if name in ("laplacian", "cauchy"):
            apart = g.add("Sub", g.unsqueeze(x, 1), points)
            if name == "laplacian":
                return g.add("Exp", g.add("Neg", g.reduce_sum(g.add("Abs", apart), 2)))
            product = g.add("ReduceProd", g.add("Add", g.add("Mul", apart, apart), np.ones(1)), np.array([2]), keepdims=0)
            return g.add("Reciprocal", product)
        s = self._squares(x, points)
        if name == "gaussian":
            return g.add("Exp", g.add("Mul", s, np.array([-0.5])))
        if name == "rational-quadratic":
            alpha = numbers["alpha"]
            base = g.add("Add", g.add("Mul", s, np.array([1 / (2 * alpha)])), np.ones(1))
            return g.add("Pow", base, np.array([-alpha]))
        nu = numbers.get("nu") if name == "matern" else 0.5 if name == "laplacian2" else None
        if nu not in (0.5, 1.5, 2.5):
            raise Unsupported(f"onnx: found the kernel {words} of a Nystroem map, which has no standard operators")
        a = g.add("Sqrt", g.add("Mul", s, np.array([2 * nu])))
        rise = np.ones(1) if nu == 0.5 else g.add("Add", a, np.ones(1))
        if nu == 2.5:
            rise = g.add("Add", rise, g.add("Mul", g.add("Mul", a, a), np.array([1 / 3])))
        return g.add("Mul", g.add("Exp", g.add("Neg", a)), rise)

    def _radial(self, x, points, exponent, coefficients):
        g = self.graph
        power = g.add("Pow", self._squares(x, points), np.array([exponent / 2]))
        return g.add("MatMul", g.add("Exp", g.add("Neg", power)), coefficients)

    def _radial_machine(self, saved, x):
        points = saved.array("landmarks").astype(np.float64)
        y = self._radial(self.graph.double(x), points, saved.tree["exponent"], saved.array("coefficients"))
        return self._round(self.graph.add("Add", y, saved.array("intercept")))

    # Trees.

    def _tree_sum(self, saved, x):
        g = self.graph
        sizes, at, thresholds = saved.array("sizes").astype(int), saved.array("at"), saved.array("thresholds")
        children, leaves, intercept = saved.array("children"), saved.array("leaves"), saved.array("intercept")
        outputs = len(intercept)
        nodes = {key: [] for key in ("treeids", "nodeids", "featureids", "values", "modes", "truenodeids",
                                     "falsenodeids")}
        targets = {key: [] for key in ("treeids", "nodeids", "ids", "weights")}

        def put(tree, node, feature, value, mode, true, false):
            for key, item in zip(nodes, (tree, node, feature, value, mode, true, false)):
                nodes[key].append(item)

        node, leaf = 0, 0
        for tree, size in enumerate(sizes):
            place = lambda child: int(child) if child >= 0 else size + int(-1 - child)
            for i in range(size):
                below, above = children[node + i]
                put(tree, i, int(at[node + i]), float(thresholds[node + i]), "BRANCH_LEQ", place(below), place(above))
            for i in range(size + 1):
                put(tree, size + i, 0, 0.0, "LEAF", 0, 0)
                for k in range(outputs):
                    for key, item in zip(targets, (tree, size + i, k, float(leaves[leaf + i, k]))):
                        targets[key].append(item)
            node, leaf = node + size, leaf + size + 1
        if not len(sizes):
            return self._round(g.add("Add", g.add("MatMul", g.double(x), np.zeros((saved.tree["inputs"], outputs))),
                                     intercept))
        from onnx import numpy_helper

        tensors = {"nodes_values_as_tensor": nodes.pop("values"), "target_weights_as_tensor": targets.pop("weights"),
                   "base_values_as_tensor": intercept}
        y = g.add("TreeEnsembleRegressor", g.double(x), domain="ai.onnx.ml", n_targets=outputs,
                  **{f"nodes_{key}": value for key, value in nodes.items()},
                  **{f"target_{key}": value for key, value in targets.items()},
                  **{key: numpy_helper.from_array(np.asarray(value, np.float64), key)
                     for key, value in tensors.items()})
        return self._round(y)

    def _leaf_machines(self, saved, x):
        g = self.graph
        x, points = g.double(x), saved.array("points").astype(np.float64)
        total = None
        for t in range(saved.tree["trees"]):
            part = self._leaf_machine(saved, f"tree{t}.", x, points)
            total = part if total is None else g.add("Add", total, part)
        return self._round(total)

    def _leaf_machine(self, saved, name, x, points):
        """Each row against the points of its leaf: a loop over rows, so that memory does not grow with the leaves."""
        g = self.graph
        sizes = saved.array(name + "sizes").astype(np.int64)
        children = saved.array(name + "children")
        leaf = g.add("Mul", g.cast(g.columns(x, [0]), np.int64), np.zeros(1, np.int64))
        if len(children):
            side = g.add("LessOrEqual", g.add("MatMul", x, saved.array(name + "directions").T),
                         saved.array(name + "thresholds"))
            at, depth = leaf, _depth(children)
            flat = children.reshape(-1)
            for _ in range(depth):
                inner = g.add("Max", at, np.zeros(1, np.int64))
                below = g.add("GatherElements", side, inner, axis=1)
                twice = g.add("Mul", inner, np.array([2], np.int64))
                step = g.gather(flat, g.add("Where", below, twice, g.add("Add", twice, np.ones(1, np.int64))))
                at = g.add("Where", g.add("GreaterOrEqual", at, np.zeros(1, np.int64)), step, at)
            leaf = g.add("Sub", np.array([-1], np.int64), at)
        ends = np.cumsum(sizes)
        members = points[saved.array(name + "members").astype(np.int64)]
        return self._scan_leaves(x, leaf, (ends - sizes, ends), members, saved, name)

    def _scan_leaves(self, x, leaf, spans, members, saved, name):
        from onnx import TensorProto, helper

        g = self.graph
        begin, end = g.gather(spans[0], leaf), g.gather(spans[1], leaf)
        members, coefficients = g.constant(members), g.constant(saved.array(name + "coefficients"))
        body = type(g)(g.name("leaf"))
        row, first, last = body.name("row"), body.name("first"), body.name("last")
        axis = np.array([0], np.int64)
        near = body.add("Slice", members, first, last, axis)
        own = body.add("Slice", coefficients, first, last, axis)
        apart = body.add("Sub", near, row)
        squares = body.add("ReduceSumSquare", apart, np.array([1]), keepdims=0)
        power = body.add("Pow", squares, np.array([saved.tree["exponent"] / 2]))
        y = body.add("MatMul", body.add("Exp", body.add("Neg", power)), own)
        info = helper.make_tensor_value_info
        inner = helper.make_graph(
            body.nodes, body.name("graph"),
            [info(row, TensorProto.DOUBLE, None), info(first, TensorProto.INT64, None),
             info(last, TensorProto.INT64, None)],
            [info(y, TensorProto.DOUBLE, None)], initializer=body.initializers)
        return g.add("Scan", x, begin, end, body=inner, num_scan_inputs=3)

    # Bins.

    def _binning(self, saved, x):
        g, tree = self.graph, saved.tree
        options = _core.BinningOptions()
        if tree["kernel"] == "table":
            options.set_law_table(saved.array("pitch").tolist(), saved.array("pitch_probability").tolist())
        else:
            options.law = tree["kernel"]
            options.law_range = (tree["low"], tree["high"])
        options.length_scales = saved.array("length_scale").tolist()
        options.groups = saved.array("group").tolist()
        options.grids, options.seed = tree["grids"], tree["seed"]
        options.order_low, options.order_high = tree["order_low"], tree["order_high"]
        grids = _core.drawn_grids(tree["inputs"], options, saved.array("draw").tolist(), self.dtype == np.float64)
        hashes = self._hashes(x, grids)
        counts = saved.array("bin_count").astype(np.int64)
        ends = np.cumsum(counts)
        keys = saved.array("bin").view(np.int64)
        tables, orders = [], []
        for begin, end in zip(ends - counts, ends):
            order = np.argsort(keys[begin:end])
            tables.append(keys[begin:end][order])
            orders.append(begin + order)
        width = int(ends[-1])
        rank, begins = g.rank(tables, hashes)
        place = g.add("Max", g.add("Add", g.add("Sub", rank, np.ones(1, np.int64)), begins), np.zeros(1, np.int64))
        sure = np.concatenate([*tables, np.zeros(1, np.int64)])
        known = g.add("And", g.add("Equal", g.gather(sure, place), hashes),
                      g.add("Greater", rank, np.zeros(1, np.int64)))
        order = np.concatenate([*orders, [width]]).astype(np.int64)
        places = g.add("Where", known, g.gather(order, place), np.array([width], np.int64))
        return Bins(places, width, math.sqrt(1 / tree["grids"]))

    def _hashes(self, x, grids):
        """Rows x grids: two sums of bin numbers times keys modulo 2^32, as one whole number of 64 bits."""
        g = self.graph
        shift, per_pitch = grids.shift().astype(self.dtype), grids.per_pitch().astype(self.dtype)
        low, high = grids.low(), grids.high()

        used = [np.flatnonzero(low[k] | high[k]) for k in range(len(low))]
        if all(len(inputs) == low.shape[1] for inputs in used):
            return self._joined(*self._sums(g.unsqueeze(x, 1), shift, per_pitch, low, high))
        most = max(len(inputs) for inputs in used)
        take = np.array([np.resize(inputs, most) if len(inputs) else np.zeros(most, int) for inputs in used])
        rows = np.arange(len(used))[:, None]
        kept = np.array([np.arange(most) < len(inputs) for inputs in used])
        picked = g.add("Gather", x, take.astype(np.int64), axis=1)
        return self._joined(*self._sums(picked, shift[rows, take], per_pitch[rows, take],
                                        np.where(kept, low[rows, take], 0), np.where(kept, high[rows, take], 0)))

    def _sums(self, x, shift, per_pitch, low, high):
        g = self.graph
        at = g.double(g.add("Floor", g.add("Mul", g.add("Sub", x, shift), per_pitch)))
        at = g.add("Clip", at, np.array(-2147483648.0), np.array(2147483647.0))
        # Modulo 2^32 before the product, and after it: nothing passes 2^63 then but by whole multiples of 2^64.
        bins = g.cast(g.cast(at, np.int64), np.uint64)
        mask = np.array([0xFFFFFFFF], np.uint64)
        bins = g.add("BitwiseAnd", bins, mask)
        sums = []
        for keys in (low, high):
            terms = g.add("BitwiseAnd", g.add("Mul", bins, keys.astype(np.uint64)), mask)
            total = g.add("ReduceSum", g.cast(terms, np.int64), np.array([2]), keepdims=0)
            sums.append(g.add("BitwiseAnd", g.cast(total, np.uint64), mask))
        return sums

    def _joined(self, low, high):
        g = self.graph
        top = g.add("BitShift", high, np.array([32], np.uint64), direction="LEFT")
        return g.cast(g.add("BitwiseOr", top, low), np.int64)

    def _grid_linear(self, saved, x):
        g = self.graph
        bins = self._binning(saved.child("bins"), x)
        values = saved.array("value").astype(np.float64)
        table = np.vstack([values, np.zeros((1, values.shape[1]))])
        y = g.reduce_sum(g.gather(table, bins.places), 1)
        return self._round(g.add("Add", y, saved.array("intercept")))

    # Densities.

    def _log_densities(self, saved, x):
        """Rows x components, with the components' weights."""
        g = self.graph
        means, weights = saved.array("means"), saved.array("weights")
        whiten, constants = _whitening(saved)
        apart = g.add("Sub", g.unsqueeze(x, 0), means[:, None, :])  # components x rows x inputs
        if whiten.ndim == 2:
            white = g.add("Mul", apart, whiten[:, None, :])
        else:
            white = g.add("MatMul", apart, np.ascontiguousarray(whiten.transpose(0, 2, 1)))
        squares = g.add("ReduceSumSquare", white, np.array([2]), keepdims=0)
        logs = g.add("Add", g.add("Mul", squares, np.array([-0.5])), (constants + np.log(weights))[:, None])
        return g.add("Transpose", logs, perm=[1, 0])

    def mixture_density(self, saved, x):
        """The log density of each row; saved: a mixture, or what is measured of one."""
        saved = saved.child("map") if saved.type == "measured" else saved
        return self._mixture(saved, x, output="density")

    def _mixture(self, saved, x, output=None):
        g = self.graph
        x, output = g.double(x), output or saved.tree["output"]
        joint = [self._log_densities(saved.child(f"class{c}"), x) for c in range(saved.tree["classes"])]
        if output == "shares":
            return self._round(g.add("Softmax", joint[0], axis=1))
        each = [g.add("ReduceLogSumExp", j, np.array([1]), keepdims=1) for j in joint]
        of_class = each[0] if len(each) == 1 else g.add("Concat", *each, axis=1)
        of_class = g.add("Add", of_class, np.log(saved.array("priors")))
        total = g.add("ReduceLogSumExp", of_class, np.array([1]), keepdims=1)
        if output == "density":
            return self._round(total)
        if len(each) == 2:
            return self._round(g.add("Sub", g.columns(of_class, [1]), g.columns(of_class, [0])))
        return self._round(g.add("Sub", of_class, total))


def _depth(children):
    """Steps from the root to the deepest leaf."""
    depths = np.zeros(len(children), int)
    for i in reversed(range(len(children))):
        depths[i] = 1 + max(depths[c] if c >= 0 else 0 for c in children[i])
    return depths[0]


def _whitening(saved):
    """L^-1 of each covariance (of diagonal ones their diagonal), and -1/2 (d log 2 pi + log det)."""
    means, form = saved.array("means"), saved.tree["covariance"].partition(":")[0]
    k, d = means.shape
    base = -0.5 * d * math.log(2 * math.pi)
    if form in ("diag", "spherical"):
        variances = np.broadcast_to(saved.array("variances"), (k, d))
        return 1 / np.sqrt(variances), base - 0.5 * np.log(variances).sum(axis=1)
    matrices = saved.array("matrices")
    if form == "lowrank":
        matrices = matrices @ matrices.transpose(0, 2, 1) + np.stack([np.diag(v) for v in saved.array("variances")])
    factors = np.linalg.cholesky(np.broadcast_to(matrices, (k, d, d)))
    logs = np.log(np.diagonal(factors, axis1=1, axis2=2)).sum(axis=1)
    return np.linalg.inv(factors), base - logs


def _kernel(words, length_scale):
    kernel = _core.Kernel(words)
    kernel.length_scales = length_scale if isinstance(length_scale, list) else [length_scale]
    return kernel
