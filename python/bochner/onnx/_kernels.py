# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Kernels as operators: Fourier features, landmarks, radial machines."""

import numpy as np

from bochner import _core
from bochner.onnx._graph import Unsupported
from bochner.onnx._rounded import LEAST_DISTANCE


class Kernels:
    """A part of Converter, which has the graph."""

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
        return g.add("Max", s, np.array([LEAST_DISTANCE]))

    def _nystroem(self, saved, x):
        g, tree = self.graph, saved.tree
        scale = saved.array("length_scale").astype(np.float64)
        factor = (1 / scale).astype(self.dtype)
        points = (saved.array("landmark").astype(self.dtype) * factor).astype(np.float64)
        x = g.double(g.add("Mul", x, np.broadcast_to(factor, points.shape[1:])))
        name, numbers = _words(tree["kernel"])
        if self.rounded:
            k = self.rounded.kernel(name, numbers, x, points)
        else:
            k = self._kernel_values(name, numbers, x, points)
        m = len(points)
        inverse = np.zeros((m, m))
        inverse[np.tril_indices(m)] = saved.array("inverse_factor")
        inverse = inverse.astype(self.dtype).astype(np.float64)
        z = self._round(self.rounded.lower(k, inverse) if self.rounded else g.add("MatMul", k, inverse.T))
        return g.add("Clip", z, np.array(-1, self.dtype), np.array(1, self.dtype))

    def _kernel_values(self, name, numbers, x, points):
        g = self.graph
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
        nu = numbers.get("nu", 0.5)
        a = g.add("Sqrt", g.add("Mul", s, np.array([2 * nu])))
        rise = np.ones(1) if nu == 0.5 else g.add("Add", a, np.ones(1))
        if nu == 2.5:
            rise = g.add("Add", rise, g.add("Mul", g.add("Mul", a, a), np.array([1 / 3])))
        return g.add("Mul", g.add("Exp", g.add("Neg", a)), rise)

    def _radial_machine(self, saved, x):
        g, x = self.graph, self.graph.double(x)
        points, exponent = saved.array("landmarks").astype(np.float64), saved.tree["exponent"]
        if self.rounded:
            k = self.rounded.radial(self.rounded.terms(x), np.ascontiguousarray(points.T)[:, None, :], exponent)
        else:
            k = g.add("Exp", g.add("Neg", g.add("Pow", self._squares(x, points), np.array([exponent / 2]))))
        y = g.add("MatMul", k, saved.array("coefficients"))
        return self._round(g.add("Add", y, saved.array("intercept")))


def _words(words):
    """Name and parameters of the kernel of a Nystroem map."""
    name, _, text = words.partition(":")
    numbers = {key: float(value) for key, value in (part.split("=") for part in text.split(",") if part)}
    if name not in ("gaussian", "laplacian", "laplacian2", "cauchy", "rational-quadratic") and (
            name != "matern" or numbers["nu"] not in (0.5, 1.5, 2.5)):
        raise Unsupported(f"onnx: found the kernel {words} of a Nystroem map, which has no standard operators")
    return name, numbers


def _kernel(words, length_scale):
    kernel = _core.Kernel(words)
    kernel.length_scales = length_scale if isinstance(length_scale, list) else [length_scale]
    return kernel
