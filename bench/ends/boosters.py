# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""XGBoost, LightGBM, CatBoost and scikit-learn's machines on the tables that `bochner train` reads; those not installed
are left out.
"""
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
    missing. Columns of more than 255 levels by their codes: scikit-learn's boosting refuses these.
    """
    levels = [c for c in x.columns if isinstance(x[c].dtype, pd.CategoricalDtype)]
    if name == "CatBoost":
        return x.assign(**{c: x[c].cat.add_categories("(unseen)").fillna("(unseen)") for c in levels if x[c].isna().any()})
    if name == "HistGradientBoosting":
        return x.assign(**{c: x[c].cat.codes for c in levels if len(x[c].cat.categories) > 255})
    return x


def error_of(predicted, truth, classes):
    """The fraction wrong, or the root mean squared error over the deviation of the targets."""
    predicted = np.ravel(predicted)
    return float(np.mean(predicted != truth) if classes else np.sqrt(np.mean((predicted - truth) ** 2)) / np.std(truth))


def scores_of(model, name, x, truth, classes):
    """The error; of classes also the log-loss and, of two, the area under the ROC curve."""
    x = as_it_takes(name, x)
    scores = {"error": error_of(model.predict(x), truth, classes)}
    if classes:
        import sklearn.metrics
        known = [int(c) for c in model.classes_]  # perhaps not all that there are
        likely = np.zeros((len(truth), max(*known, *truth) + 1))
        likely[:, known] = model.predict_proba(x)
        seen = truth >= 0  # others have a class that no file of training rows has
        likely, truth = likely[seen], truth[seen]
        scores["log_loss"] = float(-np.mean(np.log(np.clip(likely[np.arange(len(truth)), truth], 1e-15, 1))))
        if len(known) == 2 and set(truth) == set(known):
            scores["auc"] = float(sklearn.metrics.roc_auc_score(truth, likely[:, known[1]]))
    return scores


def as_numbers(x):
    """Categories by their codes, for a machine that takes numbers alone."""
    return x.apply(lambda c: c.cat.codes if isinstance(c.dtype, pd.CategoricalDtype) else c).to_numpy(float)


def of_scikit_learn(classes, threads, seed):
    """The same of scikit-learn: boosted histograms stopped early, and a forest of 500 trees."""
    from sklearn.ensemble import (HistGradientBoostingClassifier, HistGradientBoostingRegressor, RandomForestClassifier,
                                  RandomForestRegressor)
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer
    boosted = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    yield ("HistGradientBoosting",
           boosted(max_iter=ROUNDS, learning_rate=RATE, early_stopping=True, n_iter_no_change=PATIENCE, random_state=seed,
                   categorical_features="from_dtype"), lambda held: {"X_val": held[0], "y_val": held[1]})
    forest = RandomForestClassifier if classes else RandomForestRegressor
    yield ("RandomForest", make_pipeline(FunctionTransformer(as_numbers), forest(500, n_jobs=threads, random_state=seed)),
           lambda held: {})


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
    yield from of_scikit_learn(classes, threads, seed)
