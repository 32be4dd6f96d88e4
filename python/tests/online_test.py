# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Machines that keep their sums: what they learn on and forget has the bytes of a training."""

import pickle

import bochner
import numpy as np
import pytest
from bochner import _core

draws = np.random.default_rng(0)
X = draws.normal(size=(300, 4))
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2]
KINDS = np.array(["low", "middle", "high"])[np.digitize(Y, [-0.5, 0.5])]
REST = np.ones(len(X), dtype=bool)
REST[draws.permutation(len(X))[:40]] = False


def saved(machine, folder, name="m"):
    machine.save(folder / name)
    return (folder / name).read_bytes()


@pytest.mark.parametrize("words", [{"map": "none"}, {"map": "nystroem", "n_components": 40}, {"n_components": 64},
                                   {"n_components": 64, "precision": "double", "deviation": True}])
def test_forgetting_is_a_training_on_the_rest(tmp_path, words):
    machine = bochner.KernelRidge(keep_sum=True, **words).fit(X, Y)
    plain = bochner.KernelRidge(solver="cholesky", **words).fit(X, Y)
    assert np.allclose(machine.predict(X), plain.predict(X), rtol=0, atol=1e-6)
    receipt = machine.forget(X[~REST], Y[~REST])
    assert receipt["rows"] == {"before": 300, "changed": 40, "after": 260}
    assert receipt["sha256"]["after"] == machine.online_.digest != receipt["sha256"]["before"]
    first = saved(machine, tmp_path)
    machine.partial_fit(X[~REST], Y[~REST]).forget(X[~REST][::-1], Y[~REST][::-1])
    assert saved(machine, tmp_path) == first
    rest = bochner.KernelRidge(keep_sum=True, **words).fit(X, Y)
    for k in np.flatnonzero(~REST)[:5]:
        rest.forget(X[k:k + 1], Y[k:k + 1])
    rest.forget(X[np.flatnonzero(~REST)[5:]], Y[np.flatnonzero(~REST)[5:]])
    assert saved(rest, tmp_path) == first


def test_a_classifier_learns_on_and_forgets(tmp_path):
    machine = bochner.KernelRidgeClassifier(keep_sum=True, n_components=64, bandwidth=2.0, class_weight="balanced")
    machine.partial_fit(X[:200], KINDS[:200])
    before = saved(machine, tmp_path)
    weights = np.full(100, 0.5)
    machine.partial_fit(X[200:], KINDS[200:], sample_weight=weights)
    assert machine.online_.rows == 300
    learnt = machine.predict(X)
    often = max((KINDS == kind).mean() for kind in machine.classes_)
    assert (learnt == KINDS).mean() > often + 0.2
    again = pickle.loads(pickle.dumps(machine))
    with pytest.raises(ValueError, match="strange"):
        again.partial_fit(X[:2], ["low", "strange"])
    again.forget(X[200:], KINDS[200:], sample_weight=weights)
    trained = again.online_.digest
    assert trained == _core.OnlineModel.load(str(tmp_path / "m")).digest
    assert len(before) > 64 * 64 * 4
    assert isinstance(bochner.load(tmp_path / "m"), bochner.KernelClassifier)
    with pytest.raises(ValueError, match="of the class"):
        again.forget(X[KINDS == "low"], KINDS[KINDS == "low"])


def test_equal_rows_leave_one_by_one():
    twice = np.repeat(X[:50], 2, axis=0), np.repeat(Y[:50], 2)
    machine = bochner.KernelRidge(keep_sum=True, map="none").fit(*twice)
    machine.forget(X[:50], Y[:50])
    assert machine.online_.rows == 50


def test_what_cannot_be_forgotten_is_said():
    with pytest.raises(ValueError, match="keep_sum"):
        bochner.KernelRidge(n_components=16, bandwidth=1.0).fit(X, Y).forget(X[:1], Y[:1])
    machine = bochner.KernelRidge(keep_sum=True, n_components=16, bandwidth=1.0).fit(X[:50], Y[:50])
    with pytest.raises(ValueError, match="nothing would be left"):
        machine.forget(X[:50], Y[:50])
    with pytest.raises(ValueError, match="features"):
        machine.forget(X[:5, :2], Y[:5])
    with pytest.raises(ValueError, match="calibrate"):
        bochner.KernelRidge(keep_sum=True, calibrate=True).fit(X, Y)
    with pytest.raises(ValueError, match="bins"):
        bochner.KernelRidge(keep_sum=True, map="fourier+binning").fit(X, Y)
    bins = bochner.KernelRidge(keep_sum=True, map="binning:max_bins=8", n_components=6, alpha=0.1).fit(X, Y)
    assert bins.forget(X[:7], Y[:7])["rows"]["after"] == len(X) - 7


def test_a_file_is_learnt_and_rows_of_another_go(tmp_path):
    lines = [f"{x[0]!r},{'ab'[int(x[1] > 0)]},{y!r}" for x, y in zip(X.tolist(), Y.tolist())]
    (tmp_path / "all.csv").write_text("\n".join(["x,kind,y", *lines]) + "\n")
    (tmp_path / "gone.csv").write_text("\n".join(["x,kind,y", *lines[:30]]) + "\n")
    machine = bochner.KernelRidge(keep_sum=True, n_components=32).fit(tmp_path / "all.csv", "y")
    assert machine.forget(tmp_path / "gone.csv", None)["rows"]["after"] == 270
