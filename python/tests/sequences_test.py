# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Classes of sequences: their weights, and what the library chooses."""

import os
import subprocess

import numpy as np
import pytest
from bochner import HMMClassifier

COMMAND = os.environ.get("BOCHNER_COMMAND")


def sequences(count, seed=0):
    """Two classes that differ in how long a state lasts, not in what it puts out."""
    draws = np.random.default_rng(seed)
    lengths = draws.integers(6, 14, count)
    y = np.arange(count) % 2
    parts = []
    for length, label in zip(lengths, y):
        changes = draws.random(length) < (0.9 if label else 0.1)
        states = np.cumsum(changes) % 2
        parts.append(draws.normal(size=(length, 2)) * 0.4 + 2 * states[:, None])
    return np.concatenate(parts), y, lengths


def taken(X, y, lengths, chosen):
    parts = np.split(X, np.cumsum(lengths)[:-1])
    return np.concatenate([parts[i] for i in chosen]), y[chosen], lengths[chosen]


def saved(machine, path):
    machine.save(path)
    return path.read_bytes()


def test_a_weight_of_two_is_the_sequence_twice(tmp_path):
    X, y, lengths = sequences(14)
    weights = np.array([2, 1, 1, 0, 1, 3, 1, 1, 2, 1, 1, 1, 0, 1])
    machine = HMMClassifier(2, n_init=2)
    weighted = saved(machine.fit(X, y, lengths, sample_weight=weights), tmp_path / "weighted")
    repeated = taken(X, y, lengths, np.repeat(np.arange(len(y)), weights))
    assert saved(machine.fit(*repeated), tmp_path / "repeated") == weighted
    assert saved(machine.fit(X, y, lengths), tmp_path / "unweighted") != weighted


def test_weights_of_many_sequences_move_the_model():
    X, y, lengths = sequences(60)
    machine = HMMClassifier(2, random_state=1)
    assert machine.fit(X, y, lengths).predict(X, lengths).tolist() == y.tolist()
    prior = machine.predict_log_proba(X, lengths)
    heavy = machine.fit(X, y, lengths, sample_weight=np.where(y == 1, 9.0, 1.0)).predict_log_proba(X, lengths)
    # What the classes put out stays; the odds of class 1 rise by the ratio of the weights.
    assert np.allclose(np.diff(heavy, axis=1) - np.diff(prior, axis=1), np.log(9), atol=1e-6)


@pytest.mark.skipif(not COMMAND, reason="no command here")
def test_automatic_choices_are_those_of_the_command(tmp_path):
    X, y, lengths = sequences(40)
    ids = np.repeat(np.arange(len(y)), lengths)
    lines = [f"{i},{a!r},{b!r},c{label}" for i, (a, b), label in zip(ids, X.tolist(), np.repeat(y, lengths))]
    (tmp_path / "rows.csv").write_text("id,a,b,class\n" + "\n".join(lines) + "\n")
    subprocess.run([COMMAND, "hmm", tmp_path / "rows.csv", "--sequence", "id", "--target", "class", "--states", "auto",
                    "--covariance", "auto", "--shrink", "auto", "--slopes", "auto", "--precision", "double", "-q", "-o",
                    tmp_path / "model"],
                   check=True)
    subprocess.run([COMMAND, "predict", tmp_path / "model", tmp_path / "rows.csv", "-q", "-o", tmp_path / "answers"],
                   check=True)
    machine = HMMClassifier("auto", covariance_type="auto", shrink="auto", slopes="auto")
    machine.fit(X, np.char.add("c", y.astype(str)), lengths)
    printed = (tmp_path / "answers").read_text().split()
    assert machine.predict(X, lengths).tolist() == printed
    found = subprocess.run([COMMAND, "inspect", tmp_path / "model"], check=True, capture_output=True, text=True).stdout
    machine.save(tmp_path / "of_python")
    ours = subprocess.run([COMMAND, "inspect", tmp_path / "of_python"], check=True, capture_output=True, text=True).stdout
    assert [l for l in found.splitlines() if "hmm" in l] == [l for l in ours.splitlines() if "hmm" in l]


def test_mistakes_name_the_argument():
    X, y, lengths = sequences(8)
    with pytest.raises(ValueError, match="sample_weight"):
        HMMClassifier().fit(X, y, lengths, sample_weight=-np.ones(len(y)))
    with pytest.raises(ValueError, match="sample_weight|weights"):
        HMMClassifier().fit(X, y, lengths, sample_weight=np.ones(len(X)))
    with pytest.raises(ValueError, match="shrink: found 'much', expected a number or auto"):
        HMMClassifier(shrink="much").fit(X, y, lengths)
    with pytest.raises(ValueError, match="covariance"):
        HMMClassifier(covariance_type="tied").fit(X, y, lengths)
