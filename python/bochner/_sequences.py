# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Classes of sequences."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_is_fitted, column_or_1d

from bochner import _core, _data
from bochner._base import ModelEstimator, choice_of_precision
from bochner._docs import documented
from bochner._machines import FEW_ROWS, weights_of
from bochner._parameters import Common, parameters
from bochner._words import choice, count, number_or_auto, seed_of

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self


@documented
@parameters
class HMMClassifier(ClassifierMixin, Common, ModelEstimator):
    """A hidden Markov model for each class of sequences; the class whose model makes a sequence likeliest wins.

    The rows of all sequences lie one behind the other; ``lengths`` says how many rows each has. Without it every row is
    a sequence of its own.

    {rounds}

    Parameters
    ----------
    n_states : int or "auto", default=1
        States of each chain. ``"auto"`` or 0: chosen by cross-validation over the sequences.
    n_mix : int, default=1
        Gaussians of each state.
    covariance_type : {"diag", "full", "spherical", "lowrank:R", "auto"}, default="diag"
        Covariances of the Gaussians. ``"auto"``: chosen with the states.
    shrink : float or "auto", default=0.0
        Draw covariances towards the mean one of all states and classes, as if each state had so many rows more that have
        it. ``"auto"``: chosen with the states.
    slopes : int or "auto", default=0
        Besides each input its slope along the sequence, over so many rows on both sides. ``"auto"``: chosen with the
        states.
    topology : {"free", "left_to_right"}, default="free"
        Which states may follow.
    n_init : int, default=4
        Starts, of which the likeliest is kept.
    max_iter : int, default=100
        Rounds of Baum-Welch, at most.
    tol : float, default=1e-4
        It ends where a round gains less, in log-likelihood of a row.
    reg_covar : float or None, default=None
        Least variance, as a share of an input's. None: chosen on sequences held out.
    precision : {"float", "double"}, default="double"
        What densities are computed in.
    {draws}
    verbose : bool, default=False
        Print each choice as it is made.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    n_iter_ : int
        Rounds of Baum-Welch.
    converged_ : bool
        Whether it ended by ``tol``.
    {fitted}
    """

    n_states: Any = field(default=1, kw_only=False)
    n_mix: Any = 1
    covariance_type: str = "diag"
    shrink: Any = 0.0
    slopes: Any = 0
    topology: Any = "free"
    n_init: int = 4
    max_iter: int = 100
    tol: float | None = 0.0001
    reg_covar: float | None = None
    precision: str = "double"

    _least_rows = 2

    def fit(self, X: Any, y: Any, lengths: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learns from sequences.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
            The rows of all sequences.
        y : array of shape (n_sequences,)
            The class of each sequence.
        lengths : array of shape (n_sequences,), default=None
            Rows of each sequence.
        sample_weight : array of shape (n_sequences,), default=None
            Weight of each sequence: 2 is as if it were there twice. Up to 256 rows to the bit; beyond, starts and floors
            do not see weights, the rounds of Baum-Welch do.

        Returns
        -------
        self
        """
        if y is None:
            raise ValueError("This HMMClassifier estimator requires y to be passed, but the target y is None.")
        X = self._inputs(X, reset=True)
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        y = _check_y(y, estimator=self) if y.dtype.kind in "fiub" else y
        lengths, _ = sequences(X, lengths, len(y))
        weights = None if sample_weight is None else weights_of(y, sample_weight)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y: found one class, {self.classes_[0]!r}, expected at least 2 classes")
        if X.shape[0] <= FEW_ROWS:
            X, codes, lengths, weights = joined_sequences(X, codes, lengths, weights)
        schema = _data.schema_of(X.shape[1], self._feature_names(), 1, None, self.classes_)
        rows = _data.rows_of(X, schema, np.repeat(codes, lengths), None if weights is None else np.repeat(weights, lengths))
        self.model_ = _core.hmm(rows, starts_of(lengths), self._options())
        self._take_facts()
        return self

    def _learning(self):
        return _core.learning(self._options())

    @classmethod
    def _of_model(cls, model):
        machine = super()._of_model(model)
        machine.classes_ = _data.classes_of(model.schema.labels)
        return machine

    def _take_facts(self):
        facts = _core.hmm_facts(self.model_.head)
        self.n_iter_, self.converged_ = max(1, facts.rounds), facts.converged

    def _options(self):
        options = _core.HmmOptions()
        options.states = 0 if self.n_states == "auto" else count("n_states", self.n_states, least=0)
        options.components = count("n_mix", self.n_mix)
        automatic = self.covariance_type == "auto"
        options.covariance = None if automatic else _core.CovarianceForm(self.covariance_type)
        options.shrink = number_or_auto("shrink", self.shrink)
        options.slopes = None if self.slopes == "auto" else count("slopes", self.slopes, least=0)
        options.topology = choice(_core.HmmOptions.Topology, "topology", self.topology)
        options.restarts = count("n_init", self.n_init)
        options.rounds = count("max_iter", self.max_iter)
        options.tolerance = float(self.tol)
        options.floor = None if self.reg_covar is None else float(self.reg_covar)
        options.features.double_precision = choice_of_precision(self.precision)
        options.features.seed = seed_of(self.random_state)
        options.features.execution = self._execution()
        if self.verbose:
            options.features.say = print
        return options

    def predict_log_proba(self, X: Any, lengths: Any = None) -> NDArray[Any]:
        """Logarithms of the classes' probabilities, given each sequence."""
        check_is_fitted(self, "model_")
        X, rows = self._new_rows(X)
        _, starts = sequences(X, lengths, None)
        answers = _core.predict_sequences(self.model_, rows, starts, self._execution())
        return np.asarray([answer.scores for answer in answers])

    def predict_proba(self, X: Any, lengths: Any = None) -> NDArray[Any]:
        """Probabilities of the classes, given each sequence."""
        return np.exp(self.predict_log_proba(X, lengths))

    def predict(self, X: Any, lengths: Any = None) -> NDArray[Any]:
        """The likeliest class of each sequence."""
        found = self.predict_log_proba(X, lengths)
        return self.classes_[found.argmax(axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags


def sequences(X, lengths, count_of_y):
    """Lengths, and the row at which each sequence begins."""
    lengths = np.ones(X.shape[0], dtype=np.intp) if lengths is None else np.asarray(lengths, dtype=np.intp)
    if lengths.ndim != 1 or lengths.sum() != X.shape[0] or (lengths < 1).any():
        raise ValueError(f"lengths: found a sum of {lengths.sum()}, expected whole numbers above 0 that add up to the "
                         f"{X.shape[0]} rows")
    if count_of_y is not None and count_of_y != len(lengths):
        raise ValueError(f"y: found {count_of_y} classes for {len(lengths)} sequences, expected as many: inconsistent "
                         "numbers of samples")
    return lengths, starts_of(lengths)


def starts_of(lengths):
    return np.concatenate([[0], np.cumsum(lengths)[:-1]]).tolist()


def joined_sequences(X, codes, lengths, weights):
    """Few sequences, sorted and without repetition, as joined_rows() has rows."""
    weights = np.ones(len(lengths)) if weights is None else weights
    parts = np.split(X, np.cumsum(lengths)[:-1])
    found = {}
    for i in np.flatnonzero(weights > 0):
        key = codes[i], (parts[i] + 0.0).tobytes()
        first, weight = found.get(key, (i, 0.0))
        found[key] = first, weight + weights[i]
    take = [found[key][0] for key in sorted(found)]
    joined = np.array([found[key][1] for key in sorted(found)])
    return (np.concatenate([parts[i] for i in take]), codes[take], lengths[take],
            None if np.all(joined == 1) else joined)
