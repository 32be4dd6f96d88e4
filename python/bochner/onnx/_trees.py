# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Trees and leaves as operators."""

import numpy as np

from bochner.onnx._rounded import LEAST_DISTANCE, Rounded


class Trees:
    """A part of Converter, which has the graph."""

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
            # A threshold may be where a row lies: in the library's order, without rounding to float.
            order = Rounded(g)
            along = order.chain(order.terms(x), saved.array(name + "directions").T[:, None, :], "double")
            side = g.add("LessOrEqual", along, saved.array(name + "thresholds"))
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
        if self.rounded:
            terms = body.add("Transpose", near, perm=[1, 0])
            k = Rounded(body).radial(body.unsqueeze(row, 1), terms, saved.tree["exponent"], rank=1)
        else:
            squares = body.add("ReduceSumSquare", body.add("Sub", near, row), np.array([1]), keepdims=0)
            squares = body.add("Max", squares, np.array([LEAST_DISTANCE]))
            k = body.add("Exp", body.add("Neg", body.add("Pow", squares, np.array([saved.tree["exponent"] / 2]))))
        y = body.add("MatMul", k, own)
        info = helper.make_tensor_value_info
        inner = helper.make_graph(
            body.nodes, body.name("graph"),
            [info(row, TensorProto.DOUBLE, [None]), info(first, TensorProto.INT64, [None]),
             info(last, TensorProto.INT64, [None])],
            [info(y, TensorProto.DOUBLE, [None])], initializer=body.initializers)
        return g.add("Scan", x, begin, end, body=inner, num_scan_inputs=3)


def _depth(children):
    """Steps from the root to the deepest leaf."""
    depths = np.zeros(len(children), int)
    for i in reversed(range(len(children))):
        depths[i] = 1 + max(depths[c] if c >= 0 else 0 for c in children[i])
    return depths[0]
