# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Files are read by the library, in parallel and without a copy in Python; models go to the command and back."""

import bochner

machine = bochner.KernelRidge(n_components=200).fit("data/cpu-small.csv", "usr")
machine.save("cpu.model")  # bochner predict cpu.model data/cpu-new.csv
again = bochner.load("cpu.model")
assert (again.predict("data/cpu-new.csv") == machine.predict("data/cpu-new.csv")).all()
print(again.predict("data/cpu-new.csv")[:5])
