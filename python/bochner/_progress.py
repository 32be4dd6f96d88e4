# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""How far a fit is: to tqdm, to a function, and to scikit-learn's callbacks where it has them (1.9 and newer)."""

import contextlib
import contextvars
import functools

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:
        """Stands in for the class of scikit-learn; has no callbacks."""

    def with_callbacks(method):
        return method


_shown = contextvars.ContextVar("bochner_progress", default=None)


@contextlib.contextmanager
def progress(show=None):
    """While the context lasts, fits show how far they are.

    Parameters
    ----------
    show : callable, default=None
        Called with the step's name and the fraction of it that is done, by the thread that works; what it raises ends
        the fit. None: a bar of tqdm, which has to be installed.

    Examples
    --------
    >>> with bochner.progress():
    ...     KernelRidge().fit(X, y)
    """
    if show is None:
        with _bars() as bars:
            token = _shown.set(bars)
            try:
                yield
            finally:
                _shown.reset(token)
        return
    if not callable(show):
        raise ValueError(f"show: found {show!r}, expected a function of a step's name and a fraction, or None")
    token = _shown.set(show)
    try:
        yield
    finally:
        _shown.reset(token)


@contextlib.contextmanager
def _bars():
    """One bar of tqdm, that begins anew with every step."""
    try:
        from tqdm.auto import tqdm
    except ImportError as missing:
        raise ImportError("bochner.progress() needs the package tqdm, or a function: pip install tqdm") from missing
    bar = tqdm(total=1.0, bar_format="{desc}: {percentage:3.0f}% {bar} {elapsed}", leave=False)

    of = None

    def show(step, fraction):
        nonlocal of
        if of != stem_of(step):
            of = stem_of(step)
            bar.reset(total=1.0)
        bar.set_description_str(step, refresh=False)
        bar.n = fraction
        bar.refresh()

    try:
        yield show
    finally:
        bar.close()


def stem_of(step):
    """The name of a step without what it has found so far, as in "metric (squared error 0.31)"."""
    return step.partition(" (")[0]


class Reporter:
    """What a running fit tells: the steps become subtasks of scikit-learn's root task."""

    def __init__(self, estimator):
        self._estimator, self._step, self._task = estimator, None, None
        self._show, self._root = _shown.get(), None
        if hasattr(estimator, "_init_callback_context") and (
                getattr(estimator, "_skl_callbacks", None) or hasattr(estimator, "_parent_callback_ctx")):
            self._root = estimator._init_callback_context(max_subtasks=None)

    @property
    def listens(self):
        return self._show is not None or self._root is not None

    def begin(self, X, y):
        self._data = {"X": X, "y": y}
        if self._root is not None:
            self._root.call_on_fit_task_begin(estimator=self._estimator, **self._data)

    def __call__(self, step, fraction):
        if self._show is not None:
            self._show(step, fraction)
        if self._root is not None and stem_of(step) != self._step:
            self._end_step()
            self._step = stem_of(step)
            self._task = self._root.subcontext(task_name=self._step)
            self._task.call_on_fit_task_begin(estimator=self._estimator, **self._data)

    def _end_step(self):
        if self._task is not None:
            self._task.call_on_fit_task_end(estimator=self._estimator, **self._data)
            self._task = None

    def end(self):
        self._end_step()
        if self._root is not None:
            self._root.call_on_fit_task_end(
                estimator=self._estimator, reconstruction_attributes=lambda: self._estimator.__dict__.copy(),
                **self._data)


def reported(fit):
    """fit() that reports: the outermost of those that call each other."""

    @with_callbacks
    def outermost(self, X, y, *arguments, **named):
        reporter = self._reporter = Reporter(self)
        try:
            reporter.begin(X, y)
            fit(self, X, y, *arguments, **named)
        finally:
            del self._reporter
        reporter.end()
        return self

    @functools.wraps(fit)
    def reporting(self, X, y=None, *arguments, **named):
        inner = "_reporter" in self.__dict__
        return (fit if inner else outermost)(self, X, y, *arguments, **named)

    return reporting
