# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What the pictures of bochner.plots have in common."""


class Display:
    """Axes that are given or made, and remembered."""

    def _axes(self, ax):
        try:
            import matplotlib.pyplot as plt
        except ImportError as missing:
            raise ImportError("bochner.plots needs the package matplotlib: pip install bochner[plots]") from missing
        if ax is None:
            _, ax = plt.subplots(layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        return ax
