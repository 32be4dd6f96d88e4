# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Machines whose targets are classes: one of several, or several labels that a row has or has not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import _check_y, check_is_fitted, column_or_1d

from bochner import _core, _data, _streams, _tables
from bochner._machines import KernelMachine

if TYPE_CHECKING:
    import os
    from typing import Any

    from numpy.typing import ArrayLike, NDArray
    from typing_extensions import Self


def _labels_of(y):
    """The indicators of several labels, rows x labels; None: y is something else."""
    y = _tables.collected(_streams.from_tensor(y))
    if getattr(y, "ndim", None) not in (None, 2) or y is None:
        return None
    try:
        y = y.toarray() if sparse.issparse(y) else np.asarray(y)
    except ValueError:  # rows of unlike length
        return None
    if y.ndim != 2 or y.shape[1] < 2 or type_of_target(y) != "multilabel-indicator":
        return None
    if not np.isin(y, (0, 1)).all():
        raise ValueError(f"y: found {np.unique(y).tolist()} as values of several labels, expected 0 and 1")
    return y


def _winners(scores):
    return (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)


def _learns_probabilities(self):
    if hasattr(self, "estimators_"):
        return all(hasattr(machine, "predict_proba") for machine in self.estimators_)
    if hasattr(self, "model_"):
        return self.model_.has_probabilities
    return (getattr(self, "_learner", None) in (_core.Learner.logistic, _core.Learner.knn)
            or getattr(self, "_always_calibrates", False) or bool(getattr(self, "calibrate", False)))


class ClassifierMachine(ClassifierMixin, KernelMachine):
    _task = _core.Task.classification
    _takes_labels = True  # several of them, each 0 or 1
    _lists_shares = False  # predict_proba() of several labels is a list of arrays of two columns

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        labels = _labels_of(y) if self._takes_labels and y is not None and not _data.is_path(X) else None
        if labels is not None:
            return self._fit_labels(X, labels, sample_weight)
        return super().fit(X, y, sample_weight)

    fit.__doc__ = KernelMachine.fit.__doc__

    def _fit_labels(self, X, labels, sample_weight):
        """A machine for each label; what all rows have, or none, is answered without one."""
        if _streams.is_iterator(X):
            raise ValueError("X: found an iterator with several labels, expected rows that can be read more than once")
        given = dict(self._given(), **({} if sample_weight is None else {"sample_weight": sample_weight}))
        for name in ("model_", "_kept", "sum_", "online_"):
            self.__dict__.pop(name, None)
        if all(len(np.unique(label)) < 2 for label in labels.T):
            raise ValueError("y: found no label that some rows have and others have not, expected at least one")
        machines = []
        for label in labels.T:
            varies = len(np.unique(label)) > 1
            machines.append(clone(self).fit(X, label, **given) if varies
                            else DummyClassifier(strategy="most_frequent").fit(np.zeros((len(label), 1)), label))
        self.estimators_, self.classes_ = machines, np.arange(labels.shape[1])
        self._label_type = labels.dtype
        first = next(machine for machine in machines if hasattr(machine, "model_"))
        self.n_features_in_ = first.n_features_in_
        self.__dict__.pop("feature_names_in_", None)
        if hasattr(first, "feature_names_in_"):
            self.feature_names_in_ = first.feature_names_in_
        return self

    def _given(self):
        """What fit() was given besides rows, targets and weights."""
        return {}

    def _of_labels(self, ask):
        """ask(machine) of each label; None where all rows of the training had it, or none."""
        return [ask(machine) if hasattr(machine, "model_") else None for machine in self.estimators_]

    def _side_by_side(self, found, absent=0.0):
        """Columns of the labels; of one that did not vary 1, or `absent` where no row of the training had it."""
        rows = len(next(column for column in found if column is not None))
        return np.column_stack([np.full(rows, 1.0 if machine.classes_[0] else absent) if column is None else column
                                for column, machine in zip(found, self.estimators_)])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model, which the command and C++ read as well."""
        self._refuse_labels("save")
        super().save(path)

    def explain(self, X: Any, *background: Any, **options: Any) -> Any:
        self._refuse_labels("explain")
        return super().explain(X, *background, **options)

    explain.__doc__ = KernelMachine.explain.__doc__

    @property
    def report_(self):
        """What the training did and found; of several labels a list."""
        if hasattr(self, "estimators_"):
            return self._of_labels(lambda machine: machine.report_)
        return super().report_

    @property
    def feature_importances_(self):
        """How much the answers hear each column, as shares of one: of several labels their mean."""
        if hasattr(self, "estimators_"):
            found = self._of_labels(lambda machine: machine.feature_importances_)
            return np.mean([shares for shares in found if shares is not None], axis=0)
        return super().feature_importances_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = self._takes_labels
        return tags

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_") or hasattr(self, "estimators_")

    def _encode_targets(self, y):
        y = column_or_1d(y, warn=True)
        if y.dtype.kind == "O":
            absent = [i for i, value in enumerate(y) if _tables.is_missing(value)]
            if absent:
                raise ValueError(f"y: Input y contains NaN or None: found {y[absent[0]]!r} at place {absent[0]}, expected "
                                 "a class for every row; leave such rows out")
        if len(y) == 0:
            raise ValueError("y: found no rows, expected at least one of each class")
        try:
            y = _check_y(y, estimator=self) if y.dtype.kind in "fiub" else y
            check_classification_targets(y)
            self.classes_, codes = np.unique(y, return_inverse=True)
        except TypeError as unlike:
            kinds = sorted({type(value).__name__ for value in y})
            raise ValueError(f"y: found classes of the types {', '.join(kinds)}, expected one type; use y.astype(str)"
                             ) from unlike
        if len(self.classes_) < 2:
            only = self.classes_[0]
            raise ValueError(f"y: found one class, {getattr(only, 'item', lambda: only)()!r}, expected at least 2 classes")
        return codes.astype(np.float64)

    def _set_class_weights(self, options):
        if self.class_weight is None:
            return
        if isinstance(self.class_weight, str):
            if self.class_weight != "balanced":
                raise ValueError(f"class_weight: found {self.class_weight!r}, expected balanced or a dict")
            options.balanced = True
        else:
            options.class_weights = [(_data.label_of(c), float(w)) for c, w in self.class_weight.items()]

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Scores: of two classes one, of the second; otherwise one for each class, or each label."""
        if hasattr(self, "estimators_"):
            signs = self._of_labels(lambda machine: machine.decision_function(X))
            return self._side_by_side(signs, absent=-1.0)
        scores = self._answers(X)
        if scores.shape[1] == 2:  # shares of both
            return scores[:, 1] - scores[:, 0]
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Classes of new rows: array, sparse matrix, table or path. Of several labels an indicator for each."""
        if hasattr(self, "estimators_"):
            return self._side_by_side(self._of_labels(lambda machine: machine.predict(X))).astype(self._label_type)
        answers = self._answers(X)
        return self.classes_[_winners(answers)]

    @available_if(_learns_probabilities)
    def predict_proba(self, X: Any) -> NDArray[Any]:
        """Probabilities of the classes: of the automatic and the logistic machine, or after ``calibrate=True``.

        The class that predict() answers is the likeliest: where a calibration finds another one likelier, near a tie,
        the two exchange their probabilities. Of several labels the probability of each.
        """
        if hasattr(self, "estimators_"):
            shares = self._side_by_side(self._of_labels(lambda machine: machine.predict_proba(X)[:, 1]))
            return [np.column_stack([1 - share, share]) for share in shares.T] if self._lists_shares else shares
        check_is_fitted(self, "model_")
        scores = self._answers(X)
        found = self.model_.probabilities(scores)
        answered = _winners(scores)
        rows, likeliest = np.arange(len(found)), found.argmax(axis=1)
        found[rows, answered], found[rows, likeliest] = found[rows, likeliest], found[rows, answered]
        return found

    @available_if(_learns_probabilities)
    def predict_log_proba(self, X: Any) -> NDArray[Any]:
        """Logarithms of predict_proba."""
        with np.errstate(divide="ignore"):
            found = self.predict_proba(X)
            return [np.log(shares) for shares in found] if isinstance(found, list) else np.log(found)

    @classmethod
    def _of_model(cls, model):
        machine = super()._of_model(model)
        machine.classes_ = _data.classes_of(model.schema.labels)
        return machine
