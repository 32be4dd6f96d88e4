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


def test_a_factor_of_parts_is_that_of_all_rows(tmp_path):
    factor = bochner.RandomizedSVD(2, center=True)
    made = []
    for order in ([0, 1, 2], [2, 0, 1]):
        spec = pickle.loads(pickle.dumps(parts.merge(parts.moments(X[CUTS[k]], k) for k in order)))
        made.append(parts.solve(parts.merge(parts.sketch(X[CUTS[k]], k, spec, factor=factor) for k in order)))
        made[-1].save(tmp_path / str(order[0]))
    assert (tmp_path / "0").read_bytes() == (tmp_path / "2").read_bytes()
    assert np.allclose(made[0].singular_values_, factor.fit(X).singular_values_)


def test_partial_fit_is_the_machine_of_all_rows_so_far():
    machine = bochner.KernelRidge(1.0, n_components=128, bandwidth=2.0, scale="none")
    for cut in CUTS:
        machine.partial_fit(X[cut], Y[cut])
    whole = bochner.KernelRidge(1.0, n_components=128, bandwidth=2.0, scale="none").fit(X, Y)
    assert np.allclose(machine.predict(X), whole.predict(X), atol=1e-3)
    assert machine.sum_.rows == len(X)
    again = pickle.loads(pickle.dumps(machine)).partial_fit(X[:100], Y[:100])
    assert again.sum_.rows == len(X) + 100
    with pytest.raises(ValueError, match="features"):
        machine.partial_fit(X[:10, :2], Y[:10])
