# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Models as bytes: pickling by the library's own files."""

import copyreg
import os
import tempfile

from bochner import _core


def to_bytes(saved):
    """What save() writes: the bytes of a model file, checked when they are read."""
    with tempfile.TemporaryDirectory(prefix="bochner-") as folder:
        path = os.path.join(folder, "model")
        saved.save(path)
        with open(path, "rb") as file:
            return file.read()


def _from_bytes(kind, data):
    with tempfile.TemporaryDirectory(prefix="bochner-") as folder:
        path = os.path.join(folder, "model")
        with open(path, "wb") as file:
            file.write(data)
        return getattr(_core, kind).load(path)


copyreg.pickle(_core.Model, lambda model: (_from_bytes, ("Model", to_bytes(model))))
copyreg.pickle(_core.OnlineModel, lambda model: (_from_bytes, ("OnlineModel", to_bytes(model))))
copyreg.pickle(_core.Sum, lambda total: (_from_bytes, ("Sum", to_bytes(total))))
copyreg.pickle(_core.FactorSum, lambda total: (_from_bytes, ("FactorSum", to_bytes(total))))
copyreg.pickle(_core.MeanEmbedding, lambda mean: (_from_bytes, ("MeanEmbedding", to_bytes(mean))))
copyreg.pickle(_core.TextModel, lambda model: (_from_bytes, ("TextModel", to_bytes(model))))
copyreg.pickle(_core.NeighborIndex, lambda index: (_from_bytes, ("NeighborIndex", to_bytes(index))))
