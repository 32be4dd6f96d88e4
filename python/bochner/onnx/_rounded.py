# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Float arithmetic of the library, to its bits: sums in its order of fused multiply-adds, its exponential and logarithm.

A kernel near 1 between close points, or the inverse factor of close landmarks, enlarges the rounding of a float some
thousand times: sums in another order, or better ones, are then other answers. Tensors here hold floats in double, where
a product of two is exact: a multiply-add is one product, one sum and one rounding. (A sum that lies within 2^-29 of the
middle between two floats may be rounded twice.)
"""

import numpy as np
from onnx import TensorProto, helper

_PARTIAL, _MANY, _DEPTH, _STRIP = 16, 16, 1024, 128  # backend/cpu/multiply.cc and strips-inl.h
# backend/cpu/elementary-inl.h
_LN2 = [float.fromhex("0x1.62e4p-1"), float.fromhex("0x1.7f7d1cp-20")]
_EXP = [0.5, 0.166666671633720397949219, 0.0416664853692054748535156, 0.00833336077630519866943359,
        0.00139304355252534151077271, 0.000198527617612853646278381]
_LOG = [0.66666662693, 0.40000972152, 0.28498786688, 0.24279078841]
_LOWEST, _ROOT_HALF = -87.0, np.float32(0.70710677)
LEAST_DISTANCE = 1e-9  # squared, backend/radial.h


def _float(value):
    return np.array([np.float32(value)], np.float64)


class Rounded:
    """Operations over a graph; arrays among the operands are constants."""

    def __init__(self, graph):
        self.graph = graph

    def round(self, x):
        return self.graph.double(self.graph.cast(x, np.float32))

    def add(self, a, b):
        return self.round(self.graph.add("Add", a, b))

    def subtract(self, a, b):
        return self.round(self.graph.add("Sub", a, b))

    def multiply(self, a, b):
        return self.round(self.graph.add("Mul", a, b))

    def divide(self, a, b):
        return self.round(self.graph.add("Div", a, b))

    def root(self, x):
        return self.round(self.graph.add("Sqrt", x))

    def multiply_add(self, a, b, c):
        return self.round(self.graph.add("Add", self.graph.add("Mul", a, b), c))

    def horner(self, coefficients, x):
        total = _float(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            total = self.multiply_add(total, x, _float(c))
        return total

    def exp(self, x):
        """e^x for x <= 80: x = k ln 2 + r."""
        g = self.graph
        bounded = g.add("Max", x, np.array([_LOWEST]))
        to_integer = np.array([1.5 * 2**23])
        k = g.add("Sub", self.multiply_add(bounded, _float(1 / np.log(2)), to_integer), to_integer)
        back = g.add("Neg", k)
        r = self.multiply_add(back, _float(_LN2[1]), self.multiply_add(back, _float(_LN2[0]), bounded))
        e = self.add(self.multiply_add(self.horner(_EXP, r), self.multiply(r, r), r), np.ones(1))
        power = g.add("Mul", e, g.add("Pow", np.array([2.0]), k))
        return g.add("Where", g.add("GreaterOrEqual", x, np.array([_LOWEST])), power, np.zeros(1))

    def log(self, y, lost=np.zeros(1)):
        """log(y) + lost for normal y > 0: y = 2^k (1 + f), 1 + f from the root of 1/2 to that of 2."""
        g = self.graph
        k = g.add("Round", g.add("Div", g.add("Log", y), np.array([np.log(2)])))
        m = g.add("Mul", y, g.add("Pow", np.array([2.0]), g.add("Neg", k)))
        low = g.double(g.add("Less", m, _float(_ROOT_HALF)))
        high = g.double(g.add("GreaterOrEqual", m, 2 * _float(_ROOT_HALF)))
        k = g.add("Add", g.add("Sub", k, low), high)
        f = g.add("Sub", g.add("Mul", y, g.add("Pow", np.array([2.0]), g.add("Neg", k))), np.ones(1))
        s = self.divide(f, self.add(f, np.array([2.0])))
        z = self.multiply(s, s)
        r = self.multiply(z, self.horner(_LOG, z))
        half = self.multiply(self.multiply(f, np.array([0.5])), f)
        low = self.multiply_add(k, _float(_LN2[1]), self.multiply_add(s, self.add(half, r), lost))
        return self.multiply_add(k, _float(_LN2[0]), self.add(f, self.subtract(low, half)))

    def log1p(self, u):
        """log(1 + u) for u >= 0."""
        y = self.add(np.ones(1), u)
        return self.log(y, self.divide(self.subtract(u, self.subtract(y, np.ones(1))), y))

    # Sums over the first axis of two tensors, term after term.

    def chain(self, a, b, term="product", rank=2):
        """s of `rank` axes: s <- s + a_j b_j; "double": the same without rounding; or of delta = a_j - b_j: "squared" s + delta^2,
        "absolute" s + |delta|, "cauchy" s (1 + delta^2)."""
        g = self.graph
        a, b = (t if isinstance(t, str) else g.constant(t) for t in (a, b))
        first = g.add("Mul", *(g.add("Gather", t, np.array([0]), axis=0) for t in (a, b)))
        start = g.add("Expand", np.full(1, 1.0 if term == "cauchy" else 0.0), g.add("Shape", first, start=1))
        body = type(g)(g.name("chain"))
        inner = Rounded(body)
        s, left, right = body.name("s"), body.name("a"), body.name("b")
        if term in ("product", "double"):
            after = body.add("Add", body.add("Mul", left, right), s)
            after = after if term == "double" else inner.round(after)
        else:
            delta = inner.subtract(left, right)
            if term == "squared":
                after = inner.multiply_add(delta, delta, s)
            elif term == "absolute":
                after = inner.add(s, body.add("Abs", delta))
            else:
                after = inner.multiply(s, inner.multiply_add(delta, delta, np.ones(1)))
        shape = [None] * rank  # runtimes ask for it
        info = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, shape) for name in (s, left, right, after)]
        loop = helper.make_graph(body.nodes, body.name("graph"), info[:3], info[3:], initializer=body.initializers)
        return g.add("Scan", start, a, b, body=loop, num_scan_inputs=2)

    def terms(self, x):
        """Columns of rows first: d x n x 1."""
        return self.graph.unsqueeze(self.graph.add("Transpose", x, perm=[1, 0]), 2)

    def linear(self, x, weights, intercept):
        """x W + b as Backend::multiply finds it."""
        g, (depth, outputs) = self.graph, weights.shape
        many = outputs >= _MANY
        y = intercept.astype(np.float32).astype(np.float64)
        step = _STRIP if many else _DEPTH
        for begin in range(0, depth, step):
            part = g.columns(x, np.arange(begin, min(depth, begin + step))) if depth > step else x
            w = weights[begin : begin + step]
            y = self.add(y, self.chain(self.terms(part), w[:, None, :]) if many else self._partial_sums(part, w))
        return y

    def _partial_sums(self, x, weights):
        """Sum l has the terms l, l + 16, ...; the sums are added in halves."""
        g, (depth, outputs) = self.graph, weights.shape
        steps = -(-depth // _PARTIAL)
        short = steps * _PARTIAL - depth
        if short:
            x = g.add("Pad", x, np.array([0, 0, 0, short]))
            weights = np.vstack([weights, np.zeros((short, outputs))])
        x = g.add("Transpose", g.reshape(x, [-1, steps, _PARTIAL]), perm=[1, 0, 2])
        sums = self.chain(g.unsqueeze(x, 3), weights.reshape(steps, 1, _PARTIAL, outputs), rank=3)
        half = _PARTIAL // 2
        while half:
            sums = self.add(g.columns(sums, np.arange(half)), g.columns(sums, np.arange(half, 2 * half)))
            half //= 2
        return g.add("Squeeze", sums, np.array([1]))

    def lower(self, x, triangle):
        """x L^T of a lower triangle L, as Backend::multiply_lower finds it."""
        return self.chain(self.terms(x), np.ascontiguousarray(triangle.T)[:, None, :])

    def kernel(self, name, numbers, x, points):
        """The kernel values of a Nystroem map, from scaled rows and landmarks."""
        g = self.graph
        term = {"laplacian": "absolute", "cauchy": "cauchy"}.get(name, "squared")
        s = self.chain(self.terms(x), np.ascontiguousarray(points.T)[:, None, :], term)
        s = g.add("Min", s, _float(1e30))
        if name == "cauchy":
            return self.divide(np.ones(1), s)
        if name == "laplacian":
            return self.exp(g.add("Neg", s))
        if name == "gaussian":
            return self.exp(self.multiply(s, np.array([-0.5])))
        if name == "rational-quadratic":
            alpha = _float(numbers["alpha"])
            u = self.divide(s, alpha + alpha)
            return self.exp(g.add("Neg", self.multiply(alpha, self.log1p(u))))
        nu = numbers.get("nu", 0.5)
        if nu == 0.5:
            return self.exp(g.add("Neg", self.root(s)))
        square = self.multiply(s, np.array([2 * nu]))
        a = self.root(square)
        rise = self.add(np.ones(1), a)
        if nu == 2.5:
            rise = self.multiply_add(square, _float(1 / 3), rise)
        return self.multiply(rise, self.exp(g.add("Neg", a)))

    def radial(self, x, points, exponent, rank=2):
        """e^(-t^(q/2)) of t = |x|^2 + |y|^2 - 2 x y. x: inputs x rows x 1, points: inputs x 1 x points; of one row,
        rank 1, without the axis of rows."""
        g = self.graph
        both = self.add(self.chain(x, x, rank=rank), self.chain(points, points, rank=rank))
        t = self.multiply_add(np.array([-2.0]), self.chain(x, points, rank=rank), both)
        t = g.add("Max", t, _float(LEAST_DISTANCE))
        power = self.exp(g.add("Min", self.multiply(_float(exponent / 2), self.log(t)), np.array([7.0])))
        return self.exp(g.add("Neg", power))
