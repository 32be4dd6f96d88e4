# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Rows in a learnt metric, or whitened, before a map."""

import pickle

import bochner
import numpy as np
import pytest

draws = np.random.default_rng(0)
X = draws.normal(size=(500, 8))
Y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2  # six inputs say nothing


def test_a_metric_finds_the_inputs_that_matter_and_is_kept():
    plain = bochner.KernelRidge(n_components=64).fit(X[:300], Y[:300])
    learnt = bochner.KernelRidge(map="metric|fourier", n_components=64).fit(X[:300], Y[:300])
    assert 1 - learnt.score(X[300:], Y[300:]) < 0.7 * (1 - plain.score(X[300:], Y[300:]))
    again = pickle.loads(pickle.dumps(learnt))
    assert np.array_equal(again.predict(X), learnt.predict(X))


def test_whitened_inputs_are_seen_alike_whatever_their_mix():
    mix = draws.normal(size=(8, 8))
    words = dict(scale="whiten", n_components=300, map="nystroem", bandwidth=3.0, precision="double")
    one = bochner.KernelRidge(1e-3, **words).fit(X[:300], Y[:300]).predict(X[300:])
    other = bochner.KernelRidge(1e-3, **words).fit(X[:300] @ mix, Y[:300]).predict(X[300:] @ mix)
    assert np.abs(one - other).max() < 1e-4 * np.abs(one).max()


def test_a_metric_needs_targets():
    with pytest.raises(ValueError, match="target"):
        bochner.KernelPCA(2, map="metric|fourier").fit(X)
