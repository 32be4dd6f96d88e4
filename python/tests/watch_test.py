# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Machines that are watched while rows come in batches."""

import bochner
import numpy as np
import pytest

draws = np.random.default_rng(0)
X = draws.normal(size=(1500, 3))
Y = X[:, 0] - X[:, 1] + 0.1 * draws.normal(size=1500)
Y[900:] *= -1
KINDS = np.where(Y > 0, "up", "down")


def batches(begin, *arrays, size=100):
    for k in range(begin, len(X), size):
        yield [array[k:k + size] for array in arrays]


def test_a_window_is_a_training_on_the_newest_rows(tmp_path):
    words = dict(keep_sum=True, n_components=32, bandwidth=2.0, alpha=0.1)
    machine = bochner.KernelRidge(**words).fit(X[:100], Y[:100])
    watcher = bochner.watch(machine, window=300)
    seen = [watcher.see(x, y) for x, y in batches(100, X, Y)]
    assert [look["rows"] for look in seen] == list(range(100, 1500, 100))
    assert {look["model"] for look in seen} == {"solved"} and seen[-1]["kept"] == 300
    assert watcher.alarms_ == [look["alarm"] for look in seen if look["alarm"] is not None]
    assert 800 <= watcher.alarms_[0] < 850
    assert seen[-1]["loss"] < 0.5 < max(look["loss"] for look in seen)
    other = bochner.KernelRidge(**words).fit(X[:100], Y[:100])
    other.partial_fit(X[1200:], Y[1200:]).forget(X[:100], Y[:100])
    assert machine.online_.digest == other.online_.digest
    assert (machine.predict(X) == other.predict(X)).all()
    watcher.save_page(tmp_path / "page.html")
    assert "</html>" in (tmp_path / "page.html").read_text()


def test_days_are_those_of_the_times():
    words = dict(keep_sum=True, map="none", alpha=0.1)
    days = np.arange(1500) / 10
    dates = np.datetime64("2024-01-01") + (days * 86400).astype("timedelta64[s]")
    kept = []
    for times in (days, dates):
        machine = bochner.KernelRidge(**words).fit(X[:100], Y[:100])
        watcher = bochner.watch(machine, window="30d", solve_every=500)
        seen = [watcher.see(x, y, times=t) for x, y, t in batches(100, X, Y, times)]
        assert [look["model"] for look in seen].count("solved") >= 2
        kept.append(watcher.settle().machine_.online_.digest)
        assert seen[-1]["kept"] == 300
    assert kept[0] == kept[1]
    halved = bochner.watch(bochner.KernelRidge(**words).fit(X[:100], Y[:100]), half_life=100)
    assert [halved.see(x, y)["kept"] for x, y in batches(100, X, Y)][-1] == 1000
    with pytest.raises(ValueError, match="times"):
        watcher.see(X[:10], Y[:10])


def test_other_machines_are_trained_anew():
    for machine in (bochner.KernelLogistic(n_components=32), bochner.KernelClassifier(effort="fast")):
        machine.fit(X[:200], KINDS[:200])
        watcher = bochner.watch(machine, window=200, solve_every=200, retrain=True)
        seen = [watcher.see(x, y) for x, y in batches(200, X, KINDS)]
        assert seen[-1]["model"] in ("trained", "as before") and seen[-1]["loss"] < 0.2
        assert max(look["loss"] for look in seen) > 0.7
        assert machine.score(X[1300:], KINDS[1300:]) > 0.8
    still = bochner.watch(machine)
    assert [still.see(x, y)["model"] for x, y in batches(1000, X, KINDS)] == ["as before"] * 5
    density = bochner.GaussianMixture(1).fit(X[:500])
    shifted = bochner.watch(density)
    shifted.see(X[500:900])
    assert shifted.see(X[900:] + 3)["alarm"] is not None
    for machine in (bochner.KernelLogistic(n_components=32), bochner.KernelKMeans(3, map="none")):
        machine.fit(X[:200], KINDS[:200])
        watcher = bochner.watch(machine, window=300)
        seen = [watcher.see(x, None if hasattr(machine, "n_clusters") else y) for x, y in batches(200, X, KINDS)]
        assert [look["model"] for look in seen] == ["as before"] * 2 + ["solved"] * 11
        assert seen[-1]["loss"] < 3 and seen[-1]["kept"] == 300
        machine.predict(X)
    anew = bochner.KernelRidge(keep_sum=True, n_components=32).fit(X[:300], Y[:300])
    watcher = bochner.watch(anew, window=200, on_alarm="rechoose")
    assert "trained" in [watcher.see(x, y)["model"] for x, y in batches(300, X, Y)]


def test_what_cannot_be_watched_is_said():
    machine = bochner.KernelRidge(keep_sum=True, n_components=16).fit(X[:100], Y[:100])
    for words, say in (({"window": 0}, "window"), ({"window": "soon"}, "window"), ({"window": 5, "half_life": 5}, "one of"),
                       ({"level": 2}, "level"), ({"on_alarm": "cry"}, "on_alarm"), ({"solve_every": 0}, "solve_every"),
                       ({"on_alarm": "rechoose"}, "window")):
        with pytest.raises(ValueError, match=say):
            bochner.watch(machine, **words)
    watcher = bochner.watch(machine)
    with pytest.raises(ValueError, match="features"):
        watcher.see(X[:5, :2], Y[:5])
    with pytest.raises(ValueError, match="y: found none"):
        watcher.see(X[:5])
    with pytest.raises(ValueError, match="window"):
        bochner.watch(bochner.KernelHuber(n_components=16).fit(X[:100], Y[:100]), retrain=True)
    with pytest.raises(ValueError, match="strange"):
        bochner.watch(bochner.KernelLogistic(n_components=8).fit(X[:100], KINDS[:100])).see(X[:2], ["up", "strange"])
