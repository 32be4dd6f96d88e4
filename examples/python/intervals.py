# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Intervals that hold what they promise, learnt on rows that the machine did not see."""

import numpy as np

from bochner import KernelRidge

draws = np.random.default_rng(0)
X = draws.uniform(-3, 3, size=(4000, 1))
y = np.sin(2 * X[:, 0]) + draws.normal(size=4000) * 0.2
machine = KernelRidge(n_components=100, calibrate=True).fit(X[:3000], y[:3000])
for level in (0.5, 0.8, 0.95):
    lower, upper = machine.predict_interval(X[3000:], level).T
    inside = np.mean((lower <= y[3000:]) & (y[3000:] <= upper))
    print(f"promised {level:.0%}, found {inside:.1%}")
    assert abs(inside - level) < 0.06
