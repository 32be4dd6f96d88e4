# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Pictures of models in the style of scikit-learn's Displays: ``pip install bochner[plots]``.

Each has ``from_estimator(...)``, which measures and draws, ``plot(ax=None)``, which draws what was measured, and then
``ax_`` and ``figure_``. Those that scikit-learn has are its own: ``ConfusionMatrixDisplay`` and
``PartialDependenceDisplay`` work with every estimator here.
"""

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.inspection import DecisionBoundaryDisplay, PartialDependenceDisplay
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import cross_val_score
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from bochner import _core
from bochner._display import Display
from bochner._explain_plots import DependenceDisplay, WaterfallDisplay
from bochner._transformers import kernel_of, sample_of
from bochner._words import seed_of

__all__ = [
    "CalibrationDisplay",
    "ConfusionMatrixDisplay",
    "DecisionSurfaceDisplay",
    "DependenceDisplay",
    "FeatureCurveDisplay",
    "ImportanceDisplay",
    "KernelErrorDisplay",
    "LambdaPathDisplay",
    "PartialDependenceDisplay",
    "ResidualsDisplay",
    "WaterfallDisplay",
]


def _log_axis(ax, base):
    ax.set_xscale("log", base=base)
    if base == 2:
        ax.xaxis.set_major_formatter("{x:g}")


def _scores(estimator, parameter, values, X, y, cv, scoring, n_jobs):
    """Mean and deviation over the folds of a score, at each value of a parameter."""
    found = [cross_val_score(clone(estimator).set_params(**{parameter: value}), X, y, cv=cv, scoring=scoring,
                             n_jobs=n_jobs) for value in values]
    return np.mean(found, axis=1), np.std(found, axis=1)


class _CurveDisplay(Display):
    """A cross-validated score over a parameter, with its deviation over the folds."""

    def __init__(self, *, values, mean, deviation, score_name="score"):
        self.values = values
        self.mean = mean
        self.deviation = deviation
        self.score_name = score_name

    @classmethod
    def _measured(cls, estimator, parameter, values, X, y, cv, scoring, n_jobs, ax):
        values = np.sort(np.asarray(values))
        mean, deviation = _scores(estimator, parameter, values.tolist(), X, y, cv, scoring, n_jobs)
        name = scoring if isinstance(scoring, str) else "accuracy" if is_classifier(estimator) else "R²"
        return cls(values=values, mean=mean, deviation=deviation, score_name=name).plot(ax)

    def plot(self, ax=None):
        """Draws the curve. ax : matplotlib axes, default=None: of a new figure."""
        ax = self._axes(ax)
        (self.line_,) = ax.plot(self.values, self.mean, marker="o")
        self.fill_ = ax.fill_between(self.values, self.mean - self.deviation, self.mean + self.deviation, alpha=0.2,
                                     color=self.line_.get_color(), linewidth=0)
        best = int(np.argmax(self.mean))
        ax.axvline(self.values[best], color="0.7", linewidth=0.8, zorder=0)
        _log_axis(ax, self._base)
        ax.set(xlabel=self._label, ylabel=f"{self.score_name}, cross-validated")
        return self


class FeatureCurveDisplay(_CurveDisplay):
    """The learning curve over the number of features.

    Parameters
    ----------
    values, mean, deviation : ndarray
        Numbers of features, and the score's mean and deviation over the folds.
    score_name : str
        What the score is.
    """

    _label, _base = "features", 2

    @classmethod
    def from_estimator(
        cls, estimator, X, y, *, n_components=(32, 64, 128, 256, 512, 1024), cv=3, scoring=None, n_jobs=None, ax=None):
        """Cross-validates a machine with ``n_components`` at each number of features."""
        return cls._measured(estimator, "n_components", n_components, X, y, cv, scoring, n_jobs, ax)


class LambdaPathDisplay(_CurveDisplay):
    """The score along the path of penalties: of ``alpha``, ``C`` or ``shrinkage``.

    Parameters
    ----------
    values, mean, deviation : ndarray
        Penalties, and the score's mean and deviation over the folds.
    score_name : str
        What the score is.
    """

    _label, _base = "penalty", 10

    @classmethod
    def from_estimator(cls, estimator, X, y, *, values=None, cv=3, scoring=None, n_jobs=None, ax=None):
        """Cross-validates the machine at each penalty. values, default=None: 10^-6 to 10^2 of alpha, 10^-3 to 10^4
        of C, 10^-8 to 1 of shrinkage."""
        names = [name for name in ("alpha", "C", "shrinkage") if name in estimator.get_params()]
        if not names:
            raise ValueError(f"estimator: found {type(estimator).__name__}, expected one with alpha, C or shrinkage")
        if values is None:
            ranges = {"alpha": (-6, 2), "C": (-3, 4), "shrinkage": (-8, 0)}
            values = np.logspace(*ranges[names[0]], 9)
        display = cls._measured(estimator, names[0], values, X, y, cv, scoring, n_jobs, ax)
        display.ax_.set_xlabel(names[0])
        return display


class KernelErrorDisplay(Display):
    """Errors of ``z(x) . z(y)`` against the kernel over the number of features, beside their bound.

    Parameters
    ----------
    n_components : ndarray
        Numbers of features.
    rms, worst, bound : ndarray
        Errors over the pairs of a sample: the root mean square, the largest, and what no pair exceeds with probability
        ``1 - delta`` (Hoeffding over all pairs).
    delta : float
        How often the bound may fail.
    """

    def __init__(self, *, n_components, rms, worst, bound, delta):
        self.n_components = n_components
        self.rms = rms
        self.worst = worst
        self.bound = bound
        self.delta = delta

    @classmethod
    def from_estimator(cls, estimator, X, *, n_components=(32, 64, 128, 256, 512, 1024, 2048), sample=200, delta=0.01,
                       ax=None):
        """Measures a FourierFeatures at each number of features, on pairs of rows drawn from X."""
        if not all(name in estimator.get_params() for name in ("kernel", "bandwidth", "draw")):
            raise ValueError(f"estimator: found {type(estimator).__name__}, expected FourierFeatures")
        seed = seed_of(estimator.random_state)
        X = np.asarray(X)
        rows = sample_of(X, sample, seed)
        kernel = kernel_of(estimator.kernel, estimator.bandwidth, X, seed)
        exact = _core.kernel_matrix(kernel, rows)
        pairs = np.triu_indices(len(rows), 1)
        numbers = np.sort(np.asarray(n_components))
        found = {"rms": [], "worst": [], "bound": []}
        for count in numbers.tolist():
            features = clone(estimator).set_params(n_components=count, bandwidth=kernel.length_scales)
            Z = features.fit_transform(rows)
            errors = (Z @ Z.T - exact)[pairs]
            form = estimator.form or ("shifted" if count % 2 else "cossin")
            found["rms"].append(np.sqrt(np.mean(errors**2)))
            found["worst"].append(np.abs(errors).max())
            found["bound"].append(_core.fourier_epsilon_pointwise(
                getattr(_core.FourierOptions.Form, form), count, delta / len(errors)))
        found = {name: np.array(values) for name, values in found.items()}
        return cls(n_components=numbers, delta=delta, **found).plot(ax)

    def plot(self, ax=None):
        """Draws the errors. ax : matplotlib axes, default=None: of a new figure."""
        ax = self._axes(ax)
        ax.plot(self.n_components, self.bound, color="0.5", linestyle="--",
                label=f"bound of the largest, {1 - self.delta:.0%} sure")
        ax.plot(self.n_components, self.worst, marker="o", label="largest")
        ax.plot(self.n_components, self.rms, marker="o", label="root mean square")
        _log_axis(ax, 2)
        ax.set(yscale="log", xlabel="features", ylabel="error of the kernel")
        ax.legend(frameon=False)
        return self


class DecisionSurfaceDisplay(DecisionBoundaryDisplay):
    """scikit-learn's decision boundary of two inputs, with the rows on it."""

    @classmethod
    def from_estimator(cls, estimator, X, y=None, *, grid_resolution=200, alpha=0.6, ax=None, **options):
        """Draws the answers of a fitted machine of two inputs, and X coloured by y where it is given."""
        display = super().from_estimator(
            estimator, X, grid_resolution=grid_resolution, alpha=alpha, ax=ax,
            **{"response_method": "predict" if is_classifier(estimator) else "auto", **options})
        if y is not None:
            points = np.asarray(X)
            colors = np.searchsorted(estimator.classes_, y) if is_classifier(estimator) else y
            display.ax_.scatter(points[:, 0], points[:, 1], c=colors, s=12, edgecolor="k", linewidth=0.3)
        return display


class CalibrationDisplay(Display):
    """Whether a model is as sure as it should be.

    Classifiers: how often the answered class is right beside its probability. Regressors: how many targets lie
    inside ``predict_interval`` beside its level.

    Parameters
    ----------
    claimed, observed, error : ndarray
        What the model says, what was found, and the standard error of it.
    of : {"probability", "level"}
        What is claimed.
    """

    def __init__(self, *, claimed, observed, error, of):
        self.claimed = claimed
        self.observed = observed
        self.error = error
        self.of = of

    @classmethod
    def from_estimator(cls, estimator, X, y, *, n_bins=10, ax=None):
        """Measures a fitted machine on rows that it has not seen."""
        y = np.asarray(y)
        if is_regressor(estimator):
            claimed = np.linspace(0.1, 0.95, n_bins)
            inside = []
            for level in claimed:
                lower, upper = estimator.predict_interval(X, level).T
                inside.append((lower <= y) & (y <= upper))
            observed, counts = np.mean(inside, axis=1), np.full(n_bins, len(y))
            of = "level"
        else:
            sure = estimator.predict_proba(X)
            right, most = estimator.classes_[sure.argmax(axis=1)] == y, sure.max(axis=1)
            edges = np.unique(np.quantile(most, np.linspace(0, 1, n_bins + 1)))
            place = np.clip(np.searchsorted(edges, most, side="right") - 1, 0, max(len(edges) - 2, 0))
            bins = np.unique(place)
            claimed = np.array([most[place == b].mean() for b in bins])
            observed = np.array([right[place == b].mean() for b in bins])
            counts = np.array([(place == b).sum() for b in bins])
            of = "probability"
        error = np.sqrt(observed * (1 - observed) / counts)
        return cls(claimed=claimed, observed=observed, error=error, of=of).plot(ax)

    def plot(self, ax=None):
        """Draws what was found against what was claimed. ax : matplotlib axes, default=None: of a new figure."""
        ax = self._axes(ax)
        low = min(self.claimed.min(), self.observed.min())
        ax.plot([low, 1], [low, 1], color="0.6", linestyle="--", label="as claimed")
        ax.errorbar(self.claimed, self.observed, yerr=self.error, marker="o", capsize=2, label="found")
        names = {"probability": ("probability of the answer", "share that is right"),
                 "level": ("level of the interval", "share of targets inside")}
        ax.set(xlabel=names[self.of][0], ylabel=names[self.of][1], aspect="equal")
        ax.legend(frameon=False)
        return self


class ImportanceDisplay(Display):
    """What inputs a model listens to.

    Parameters
    ----------
    names : list of str
        Names of the inputs.
    importance : ndarray
        Importance of each input, the largest 1.
    method : {"length_scales", "gradient", "shapley"}
        How it was found.
    """

    def __init__(self, *, names, importance, method):
        self.names = names
        self.importance = importance
        self.method = method

    @classmethod
    def from_estimator(cls, estimator, X=None, *, method="auto", sample=500, random_state=0, ax=None):
        """Draws the importance of the inputs of a fitted estimator.

        Parameters
        ----------
        estimator : machine
        X : array or table, default=None
            Rows at which gradients are taken, or that are explained.
        method : {"auto", "length_scales", "gradient", "shapley"}, default="auto"
            One over the length scales of the scaled inputs, of a machine that has one for each (``bandwidth="auto"``);
            the mean size of the answer's change along an input, for a deviation of it; or the mean size of the columns'
            Shapley values, over the scores. auto: the first if it is there, otherwise the second.
        sample : int, default=500
            Rows at most.
        random_state : int, RandomState or None, default=0
            Which.
        """
        check_is_fitted(estimator)
        count = estimator.n_features_in_
        scales = list(getattr(getattr(estimator, "report_", None), "bandwidth", []))
        if method not in ("auto", "length_scales", "gradient", "shapley"):
            raise ValueError(f"method: found {method!r}, expected auto, length_scales, gradient or shapley")
        if method == "length_scales" and len(scales) != count:
            raise ValueError(f"method: found length_scales, expected gradient: the machine has {len(scales)} length "
                             f"scales for {count} inputs; fit with bandwidth=\"auto\"")
        if method == "auto":
            method = "length_scales" if len(scales) == count > 1 else "gradient"
        if method in ("gradient", "shapley") and X is None:
            raise ValueError("X: found None, expected rows at which gradients are taken, or that are explained")
        if method == "shapley":
            found = estimator.explain(_some_rows(X, sample, random_state))
            sizes = np.abs(found.values).reshape(*found.values.shape[:2], -1).mean(axis=(0, 2))
            return cls(names=list(found.feature_names), importance=_of_largest(sizes), method=method).plot(ax)
        values = 1 / np.array(scales) if method == "length_scales" else _gradient(estimator, X, sample, random_state)
        names = getattr(estimator, "feature_names_in_", [f"x{j}" for j in range(count)])
        return cls(names=list(names), importance=_of_largest(values), method=method).plot(ax)

    def plot(self, ax=None, *, most=20):
        """Draws bars, the largest first. most : int, default=20: bars at most."""
        ax = self._axes(ax)
        order = np.argsort(-self.importance, kind="stable")[:most][::-1]
        self.bars_ = ax.barh([str(self.names[j]) for j in order], self.importance[order])
        kinds = {"length_scales": "1 / length scale", "gradient": "mean |slope| · deviation",
                 "shapley": "mean |Shapley value|"}
        ax.set_xlabel(f"importance: {kinds[self.method]}, the largest 1")
        return self


def _of_largest(values):
    top = values.max()
    return values / top if top > 0 else values


def _some_rows(X, sample, random_state):
    """At most so many rows of an array, a sparse matrix or a table of pandas."""
    rows = X.iloc if hasattr(X, "iloc") else X if hasattr(X, "shape") else np.asarray(X)
    return rows[check_random_state(random_state).permutation(X.shape[0] if hasattr(X, "shape") else len(X))[:sample]]


def _gradient(estimator, X, sample, random_state):
    """Mean |df/dx_j| times the deviation of x_j, by central differences of a hundredth of it."""
    X = np.asarray(X, dtype=np.float64)
    rows = X[check_random_state(random_state).permutation(len(X))[:sample]]
    answer = estimator.predict if is_regressor(estimator) else getattr(
        estimator, "decision_function", getattr(estimator, "transform", None))
    deviation, found = X.std(axis=0), np.zeros(X.shape[1])
    for j in np.flatnonzero(deviation > 0):
        step = np.zeros(X.shape[1])
        step[j] = deviation[j] / 100
        change = (np.asarray(answer(rows + step)) - np.asarray(answer(rows - step))) * 50
        found[j] = np.abs(change).mean()
    return found


class ResidualsDisplay(Display):
    """Residuals over predictions, with the interval that the model claims where it has one.

    Parameters
    ----------
    predicted, residuals : ndarray
        Prediction and residual of each row.
    lower, upper : ndarray or None
        Bounds of the interval, less the prediction.
    level : float
        Level of the interval.
    """

    def __init__(self, *, predicted, residuals, lower=None, upper=None, level=0.9):
        self.predicted = predicted
        self.residuals = residuals
        self.lower = lower
        self.upper = upper
        self.level = level

    @classmethod
    def from_estimator(cls, estimator, X, y, *, level=0.9, ax=None):
        """Draws the residuals of a fitted regressor of one target, on rows that it has not seen."""
        predicted = np.asarray(estimator.predict(X))
        if predicted.ndim != 1:
            raise ValueError(f"estimator: found {predicted.shape[1]} targets, expected one")
        lower = upper = None
        if getattr(getattr(estimator, "model_", None), "has_intervals", False):
            lower, upper = estimator.predict_interval(X, level).T - predicted
        return cls(predicted=predicted, residuals=np.asarray(y) - predicted, lower=lower, upper=upper,
                   level=level).plot(ax)

    def plot(self, ax=None):
        """Draws a point a row. ax : matplotlib axes, default=None: of a new figure."""
        ax = self._axes(ax)
        ax.axhline(0, color="0.6", linewidth=0.8)
        ax.scatter(self.predicted, self.residuals, s=8, alpha=0.5)
        if self.lower is not None:
            order = np.argsort(self.predicted)
            for edge in (self.lower, self.upper):
                ax.plot(self.predicted[order], edge[order], color="C1", linewidth=1)
            ax.lines[-1].set_label(f"interval, {self.level:.0%}")
            ax.legend(frameon=False)
        ax.set(xlabel="predicted", ylabel="found less predicted")
        return self
