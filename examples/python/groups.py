# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Patients by their visits: what a group's spread tells and its mean does not, and whether anything tells anything."""

import numpy as np
from bochner import GroupEmbedding, KernelRidge, independence

draws = np.random.default_rng(0)
patients, visits = 120, 40
risk = draws.uniform(0.5, 2, patients)
patient = np.repeat(np.arange(patients), visits)
readings = draws.normal(size=(patients * visits, 2)) * risk[patient][:, None]  # a patient's readings scatter by the risk

names, laws = GroupEmbedding(64).fit(readings).group_means(readings, patient)  # one row for each patient
means = readings.reshape(patients, visits, 2).mean(axis=1)
known, new = slice(0, 80), slice(80, None)
for what, rows in (("means of readings", means), ("their distributions", laws)):
    machine = KernelRidge(n_components=200).fit(rows[known], risk[known])
    print(f"R2 from {what}: {machine.score(rows[new], risk[new]):.2f}")

found = independence(laws, risk, permutations=200)
print(f"the risk depends on the readings' law: p = {found.p_value:.3f}")
assert found.p_value < 0.05
