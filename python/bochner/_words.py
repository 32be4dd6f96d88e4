# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Words of Python's arguments become the library's types here."""

import datetime
import numbers
import os

import joblib
import numpy as np
from sklearn.utils import check_random_state

from bochner import _core


def choice(kind, argument, word):
    """The member of a bound enumeration that `word` names."""
    words = [member.name for member in kind]
    if not isinstance(word, str) or word.replace("-", "_") not in words:
        raise ValueError(f"{argument}: found {word!r}, expected one of {', '.join(words)}")
    return getattr(kind, word.replace("-", "_"))


def seed_of(random_state):
    """An integer is the seed itself; None, RandomState and Generator draw one."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(np.iinfo(np.int32).max))
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"random_state: found {random_state}, expected 0 or more")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def count(argument, value, least=1):
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
        raise ValueError(f"{argument}: found {value!r}, expected a whole number of at least {least}")
    return int(value)


def number_or_auto(argument, value):
    """None for "auto": the library chooses."""
    if isinstance(value, str) and value == "auto":
        return None
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise ValueError(f"{argument}: found {value!r}, expected a number or auto")
    return float(value)


def numbers_of(argument, value, least=0.0):
    """None: none; one number or several."""
    if value is None:
        return []
    values = [value] if isinstance(value, numbers.Real) else list(value)
    for number in values:
        if not isinstance(number, numbers.Real) or isinstance(number, bool) or not number >= least:
            raise ValueError(f"{argument}: found {number!r}, expected numbers of at least {least:g}")
    return [float(number) for number in values]


def seconds_of(argument, value):
    """A number of seconds, or words of the command: 30s, 5m, 2h."""
    units = {"s": 1.0, "m": 60.0, "h": 3600.0}
    if isinstance(value, str) and value[-1:] in units:
        try:
            value = float(value[:-1]) * units[value[-1]]
        except ValueError:
            pass
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not 0 < value < np.inf:
        raise ValueError(f"{argument}: found {value!r}, expected seconds, or a time as 30s, 5m or 2h")
    return float(value)


def _of_rows(argument, values):
    values = np.asarray(values)
    if values.ndim != 1:
        raise ValueError(f"{argument}: found an array of shape {values.shape}, expected one value for each row")
    return values


def groups_of(groups):
    """A number for each row, the same for rows of a group."""
    groups = _of_rows("groups", groups)
    if any(value is None or value != value for value in groups):
        raise ValueError("groups: found None or NaN, expected a group for every row")
    return np.unique(groups, return_inverse=True)[1].tolist()


def times_of(times):
    """A number for each row: as it is, or days since 1970-01-01."""
    times = _of_rows("times", times)
    if times.dtype.kind == "O":
        times = np.asarray([np.datetime64(value) for value in times]) if len(times) and isinstance(times[0], datetime.date) else times
    if times.dtype.kind == "M":
        times = np.where(np.isnat(times), np.nan, (times - np.datetime64(0, "D")) / np.timedelta64(1, "D"))
    try:
        times = times.astype(np.float64)
    except (TypeError, ValueError) as unlike:
        raise ValueError(f"times: found {times.tolist()[0]!r}, expected numbers or dates") from unlike
    if not np.isfinite(times).all():
        raise ValueError("times: found NaN, NaT or infinity, expected a time for every row")
    return times.tolist()


def bandwidth_words(bandwidth):
    """As --bandwidth of the command: None (searched), a rule, or one length scale for all inputs or each."""
    if bandwidth is None:
        return ""
    if isinstance(bandwidth, str):
        if bandwidth not in ("auto", "median", "scale"):
            raise ValueError(f"bandwidth: found {bandwidth!r}, expected auto, median, scale, or length scales")
        return bandwidth
    return ",".join(repr(scale) for scale in numbers_of("bandwidth", bandwidth))


def threads_of(n_jobs):
    """Threads to work with; 0: all cores. Negative counts are from the cores, as scikit-learn has it: -2 all but one.

    None: as many as ``joblib.parallel_config`` says; within one of joblib's workers what is left to it, often one;
    otherwise all cores, since the answers do not depend on it.
    """
    if n_jobs is None:
        backend, given = joblib.parallel.get_active_backend()
        if given is None and backend.nesting_level:
            left = os.environ.get("OMP_NUM_THREADS", "")  # set by joblib in processes of its own
            return int(left) if left.isdigit() and int(left) > 0 else 1
        n_jobs = -1 if given is None else given
    if not isinstance(n_jobs, numbers.Integral) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise ValueError(f"n_jobs: found {n_jobs!r}, expected a whole number of at least 1, or below 0 to count from the "
                         "cores")
    if n_jobs > 0:
        return int(n_jobs)
    return 0 if n_jobs == -1 else max(1, joblib.cpu_count() + 1 + int(n_jobs))


def execution_of(n_jobs):
    """How much of the machine work may take: n_jobs as threads_of() reads it."""
    execution = _core.Execution()
    execution.threads = threads_of(n_jobs)
    return execution
