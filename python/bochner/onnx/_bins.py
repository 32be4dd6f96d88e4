# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Random bins as operators: features that are mostly 0 stay unwritten."""

import math

import numpy as np

from bochner import _core


class Bins:
    """Features of bins that are not written out: of each row and grid the feature that is `one`, or `width`."""

    def __init__(self, places, width, one):
        self.places, self.width, self.one = places, width, one


class Binnings:
    """A part of Converter, which has the graph."""

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
