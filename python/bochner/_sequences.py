# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Classes of sequences."""

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y, check_is_fitted, column_or_1d

from bochner import _core, _data
from bochner._base import ModelEstimator, choice_of_precision
from bochner._docs import documented
from bochner._words import choice, count, seed_of


@documented
class HMMClassifier(ClassifierMixin, ModelEstimator):
    """A hidden Markov model for each class of sequences; the class whose model makes a sequence likeliest wins.

    The rows of all sequences lie one behind the other; ``lengths`` says how many rows each has. Without it every row is
    a sequence of its own.

    Parameters
    ----------
    n_states : int, default=1
        States of each chain. 0: chosen by cross-validation over the sequences.
    n_mix : int, default=1
        Gaussians of each state.
    covariance_type : {"diag", "full", "spherical", "tied", "lowrank:R"}, default="diag"
        Of the Gaussians.
    topology : {"free", "left_to_right"}, default="free"
        Which states may follow.
    n_init : int, default=4
        Starts, of which the likeliest is kept.
    max_iter : int, default=100
        Rounds of Baum-Welch, at most.
    tol : float, default=1e-4
        It ends where a round gains less, in log-likelihood of a row.
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

    _least_rows = 2

    def __init__(
        self, n_states=1, *, n_mix=1, covariance_type="diag", topology="free", n_init=4, max_iter=100, tol=1e-4,
        precision="double", random_state=0, n_jobs=None, verbose=False):
        self.n_states = n_states
        self.n_mix = n_mix
        self.covariance_type = covariance_type
        self.topology = topology
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.precision = precision
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X, y, lengths=None):
        """Learns from sequences.

        Parameters
        ----------
        X : array of shape (n_rows, n_features)
            The rows of all sequences.
        y : array of shape (n_sequences,)
            The class of each sequence.
        lengths : array of shape (n_sequences,), default=None
            Rows of each sequence.

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
        lengths, starts = sequences(X, lengths, len(y))
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y: found one class, {self.classes_[0]!r}, expected at least 2 classes")
        options = _core.HmmOptions()
        options.states = count("n_states", self.n_states, least=0)
        options.components = count("n_mix", self.n_mix)
        options.covariance = _core.CovarianceForm(self.covariance_type)
        options.topology = choice(_core.HmmOptions.Topology, "topology", self.topology)
        options.restarts = count("n_init", self.n_init)
        options.rounds = count("max_iter", self.max_iter)
        options.tolerance = float(self.tol)
        options.features.double_precision = choice_of_precision(self.precision)
        options.features.seed = seed_of(self.random_state)
        options.features.execution = self._execution()
        if self.verbose:
            options.features.say = print
        schema = _data.schema_of(X.shape[1], self._feature_names(), 1, None, self.classes_)
        self.model_ = _core.hmm(_data.rows_of(X, schema, np.repeat(codes, lengths)), starts, options)
        facts = _core.hmm_facts(self.model_.head)
        self.n_iter_, self.converged_ = max(1, facts.rounds), facts.converged
        return self

    def predict_log_proba(self, X, lengths=None):
        """Logarithms of the classes' probabilities, given each sequence."""
        check_is_fitted(self, "model_")
        X, rows = self._new_rows(X)
        _, starts = sequences(X, lengths, None)
        answers = _core.predict_sequences(self.model_, rows, starts, self._execution())
        return np.asarray([answer.scores for answer in answers])

    def predict_proba(self, X, lengths=None):
        """Probabilities of the classes, given each sequence."""
        return np.exp(self.predict_log_proba(X, lengths))

    def predict(self, X, lengths=None):
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
    return lengths, np.concatenate([[0], np.cumsum(lengths)[:-1]]).tolist()
