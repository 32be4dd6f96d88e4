# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""XGBoost, LightGBM and CatBoost on the tables that `bochner train` reads; those not installed are left out."""
import numpy as np
import pandas as pd

ROUNDS, RATE, PATIENCE = 2000, 0.05, 100  # where rows held out stop them


def tables(train, test, target, classes):
    """Inputs with categories as such and targets (classes as numbers) of the two files."""
    both = [pd.read_csv(path, skipinitialspace=True, low_memory=False) for path in (train, test)]
    y = [part.pop(target) for part in both]
    if classes:
        y = [part.astype(str).str.strip().str.rstrip(".") for part in y]
        labels = pd.Categorical(y[0]).categories
        y = [pd.Categorical(part, categories=labels).codes for part in y]
    for name in both[0].columns:
        if not pd.api.types.is_numeric_dtype(both[0][name]):
            levels = pd.Categorical(both[0][name].astype(str)).categories
            for part in both:
                part[name] = pd.Categorical(part[name].astype(str), categories=levels)
    return both[0], np.asarray(y[0]), both[1], np.asarray(y[1])


def as_it_takes(name, x):
    """x with a level for those that the training rows do not have: CatBoost refuses them, the others count them as
    missing."""
    if name != "CatBoost":
        return x
    unseen = [c for c in x.columns if isinstance(x[c].dtype, pd.CategoricalDtype) and x[c].isna().any()]
    return x.assign(**{c: x[c].cat.add_categories("(unseen)").fillna("(unseen)") for c in unseen})


def error_of(predicted, truth, classes):
    """The fraction wrong, or the root mean squared error over the deviation of the targets."""
    predicted = np.ravel(predicted)
    return float(np.mean(predicted != truth) if classes else np.sqrt(np.mean((predicted - truth) ** 2)) / np.std(truth))


def stopped_early(classes, threads, seed, categories):
    """name, model, words of its fit() given the rows that stop it: defaults, up to ROUNDS at RATE."""
    try:
        import xgboost
        kind = xgboost.XGBClassifier if classes else xgboost.XGBRegressor
        yield ("XGBoost", kind(n_estimators=ROUNDS, learning_rate=RATE, early_stopping_rounds=PATIENCE, n_jobs=threads,
                               enable_categorical=True, random_state=seed),
               lambda held: {"eval_set": [held], "verbose": False})
    except ImportError:
        pass
    try:
        import lightgbm
        kind = lightgbm.LGBMClassifier if classes else lightgbm.LGBMRegressor
        yield ("LightGBM", kind(n_estimators=ROUNDS, learning_rate=RATE, n_jobs=threads, random_state=seed, verbose=-1),
               lambda held: {"eval_set": [held], "callbacks": [lightgbm.early_stopping(PATIENCE, verbose=False)]})
    except ImportError:
        pass
    try:
        import catboost
        kind = catboost.CatBoostClassifier if classes else catboost.CatBoostRegressor
        yield ("CatBoost", kind(iterations=ROUNDS, learning_rate=RATE, early_stopping_rounds=PATIENCE,
                                thread_count=threads, cat_features=categories, random_seed=seed, verbose=False,
                                allow_writing_files=False),
               lambda held: {"eval_set": held})
    except ImportError:
        pass
