# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Machines from parts: the same bytes in any order, and the machine of all rows."""

import pickle

import bochner
import numpy as np
import pytest
from bochner import parts

draws = np.random.default_rng(0)
X = draws.normal(size=(3072, 4))
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
MACHINE = bochner.KernelRidge(n_components=128, bandwidth=2.0)
CUTS = [slice(0, 1024), slice(1024, 2048), slice(2048, 3072)]


def fitted(order, y, classes=None):
    surveys = [parts.survey(X[CUTS[k]], y[CUTS[k]], k, classes=classes) for k in order]
    spec = pickle.loads(pickle.dumps(parts.merge(surveys)))
    sums = [parts.accumulate(X[CUTS[k]], y[CUTS[k]], k, spec, machine=MACHINE, classes=classes) for k in order]
    left = parts.merge(sums[:2])
    return parts.solve(parts.merge([sums[2], left]), classes=classes)


def test_parts_merge_to_the_same_bytes_in_any_order(tmp_path):
    for name, order in (("a", [0, 1, 2]), ("b", [2, 0, 1])):
        fitted(order, Y).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_parts_are_as_good_as_all_rows():
    assert fitted([0, 1, 2], Y).score(X, Y) > MACHINE.fit(X, Y).score(X, Y) - 0.01
    answers = np.where(Y > 0, "up", "down")
    machine = fitted([1, 0, 2], answers, ["down", "up"])
    assert np.mean(machine.predict(X) == answers) > 0.9


def test_a_part_counts_once_and_classes_are_all_known():
    one = parts.survey(X[:1024], Y[:1024], 7)
    with pytest.raises(ValueError, match="part"):
        parts.merge([one, one])
    with pytest.raises(ValueError, match="classes"):
        parts.survey(X[:3], ["a", "b", "c"], 1, classes=["a", "b"])
    with pytest.raises(ValueError, match="none"):
        parts.merge([])
