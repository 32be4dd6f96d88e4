# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""A table with text columns and missing cells goes in as it is, and is read as `bochner train` reads a CSV file."""

import pandas as pd

from bochner import KernelLogistic

train, new = pd.read_csv("data/adult-small.csv"), pd.read_csv("data/adult-new.csv")
machine = KernelLogistic(n_components=256).fit(train.drop(columns="income"), train["income"])
print(machine.report_)
accuracy = machine.score(new.drop(columns="income"), new["income"])
print(f"accuracy on {len(new)} new rows: {accuracy:.3f}")
assert accuracy > 0.8
