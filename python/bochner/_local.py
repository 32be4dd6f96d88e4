# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Machines that keep the rows and answer by the nearest of them."""

from __future__ import annotations

import numbers
from dataclasses import field
from typing import TYPE_CHECKING

from sklearn.base import MultiOutputMixin, RegressorMixin

from bochner import _core
from bochner._base import set_kernel
from bochner._classifiers import ClassifierMachine
from bochner._docs import documented
from bochner._machines import KernelMachine, RegressorMachine
from bochner._parameters import OfKernel, parameters
from bochner._words import choice, count

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray
    from typing_extensions import Self


@parameters
class _Nearest(OfKernel, KernelMachine):
    """What both have in common: how many neighbours are heard, and what they weigh."""

    n_neighbors: int | Sequence[int] | NDArray[Any] | None = field(default=None, kw_only=False)
    weights: str = "auto"

    _learner = _core.Learner.knn
    _joins_rows = False  # a row twice is two neighbours

    def fit(self, X: Any, y: Any = None) -> Self:
        """Keeps the rows, and chooses by leave-one-out what is not said.

        Parameters
        ----------
        X : array, sparse matrix, tensor, table, path or iterator of batches
            As for KernelRidge.
        y : array, or for a path the name or names of the target columns
            What to predict.

        Returns
        -------
        self
        """
        return super().fit(X, y)

    def _set_machine(self, options, total_weight):
        set_kernel(options, self)
        learner = options.learner
        learner.learner = self._learner
        counts = [] if self.n_neighbors is None else (
            [self.n_neighbors] if isinstance(self.n_neighbors, numbers.Integral) else self.n_neighbors)
        learner.neighbors = [count("n_neighbors", k) for k in counts]
        learner.weighting = choice(_core.LearnerOptions.Weighting, "weights", self.weights)


@documented
class KNeighborsClassifier(_Nearest, ClassifierMachine):
    """The shares of classes among the nearest rows; how many, and what they weigh, is chosen by leave-one-out.

    Parameters
    ----------
    {neighbors}
    {common}

    Attributes
    ----------
    {classified}
    """

    _lists_shares = True  # shares of few neighbours may be 0 and 1, which scikit-learn takes in a list alone

    def _set_class_weights(self, options):
        pass


@documented
class KNeighborsRegressor(MultiOutputMixin, RegressorMixin, _Nearest, RegressorMachine):
    """The mean of the nearest rows' targets; how many, and what they weigh, is chosen by leave-one-out.

    Parameters
    ----------
    {neighbors}
    {common}

    Attributes
    ----------
    {fitted}
    """
