# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Gaussians and mixtures as operators."""

import math

import numpy as np


class Densities:
    """A part of Converter, which has the graph."""

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
