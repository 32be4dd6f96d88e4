# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Machines that learn from rows whose class is known and from rows whose class is not."""

from __future__ import annotations

import numbers
from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_consistent_length, column_or_1d

from bochner import _core, _data
from bochner._base import set_features
from bochner._docs import documented
from bochner._classifiers import ClassifierMachine
from bochner._parameters import OfMap, parameters
from bochner._words import choice, count, numbers_of, seed_of

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray
    from typing_extensions import Self


def _is_unlabelled(label):
    return isinstance(label, numbers.Real) and not isinstance(label, bool) and label == -1


@documented
@parameters
class SemiSupervisedClassifier(OfMap, ClassifierMachine):
    """A classifier that learns from rows without a class too: neighbours shall have like answers.

    The class -1 says that a row's class is not known, as for scikit-learn's LabelSpreading. Where -1 and one more class
    are all there is, both are classes. {all_at_once}

    Parameters
    ----------
    n_neighbors : int, default=10
        Neighbours of each row.
    graph_weight : float, array of floats or None, default=None
        What unlike answers of neighbours cost. None: 0 and 0.1 to 100,000 are tried; several: the best of them, each
        row with a class left out.
    learner : {"ridge", "svm", "hard_svm", "logistic"}, default="ridge"
        What is learnt in the kernel that the graph has bent.
    alpha : float, array of floats or None, default=None
        Penalty of the coefficients, relative to the rows with a class. None: searched; several: the best of them.
    map : str, default="nystroem"
        The features, in the command's words.
    {median}
    {common}

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted, without -1.
    transduction_ : ndarray of shape (n_samples,)
        The answers for the rows of the fit.
    graph_weight_ : float
        The weight that was chosen.
    {fitted}
    """

    map: str = "nystroem"
    n_neighbors: int = field(default=10, kw_only=False)
    graph_weight: Any = None
    learner: str = "ridge"
    alpha: Any = None

    _allows_nan = False

    _takes_labels = False

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from all rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            Classes; -1: not known.

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        X = self._inputs(X, reset=True)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        known = np.array([not _is_unlabelled(label) for label in y.tolist()], dtype=bool)
        if len(set(y[known].tolist())) < 2:
            known[:] = True
        targets = np.zeros(len(y))
        targets[known] = self._encode_targets(y[known])
        options = _core.SemiOptions()
        set_features(options.features, self, seed_of(self.random_state), self.n_map_features)
        options.neighbors = count("n_neighbors", self.n_neighbors)
        options.graph_weights = numbers_of("graph_weight", self.graph_weight)
        options.labelled = known.tolist()
        learner = _core.LearnerOptions()
        learner.learner = choice(_core.Learner, "learner", self.learner)
        learner.lambdas = numbers_of("alpha", self.alpha)
        learner.seed = options.features.seed
        options.learner = learner
        schema = _data.schema_of(X.shape[1], self._feature_names(), 1, self._target_names(y), self._labels(),
                                 sparse.issparse(X))
        self.model_ = _core.semi_supervised(_data.rows_of(X, schema, targets), options)
        self._kept = None
        self.transduction_ = self._of_own(self.predict, X)
        return self

    @property
    def graph_weight_(self) -> float:
        return float(self._figure("graph")[0])
