# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Classes of sequences by hidden Markov models: rows one behind the other, and the lengths of the sequences."""

import numpy as np

from bochner import HMMClassifier

draws = np.random.default_rng(0)


def walks(stay, count):
    for _ in range(count):
        states = np.zeros(30, dtype=int)
        for t in range(1, 30):
            states[t] = states[t - 1] if draws.random() < stay else 1 - states[t - 1]
        yield 2.0 * states[:, None] + draws.normal(size=(30, 1))


sequences = [*walks(0.9, 60), *walks(0.4, 60)]  # the same rows, in another order in time
y = np.repeat(["slow", "fast"], 60)
order = draws.permutation(120)
X, y = np.vstack([sequences[i] for i in order]), y[order]
lengths = np.full(60, 30)
machine = HMMClassifier(2).fit(X[:1800], y[:60], lengths)
accuracy = np.mean(machine.predict(X[1800:], lengths) == y[60:])
print(f"accuracy on 60 new sequences: {accuracy:.3f}")
assert accuracy > 0.8
