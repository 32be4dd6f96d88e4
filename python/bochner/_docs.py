# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Paragraphs that the docstrings of several estimators have in common."""

MAP = """map : str, default="fourier"
        The features, in the command's words: ``"fourier"``, ``"binning"``, ``"nystroem"``, ``"none"`` (linear),
        with options as in ``"binning:order=1-2"`` and mixtures as in ``"fourier+binning"``.
    kernel : str, default="gaussian"
        ``"gaussian"``, ``"laplacian"``, ``"cauchy"``, ``"matern:nu=1.5"``, ``"rational-quadratic:alpha=2"``, ...
    bandwidth : None, "auto", "median", "scale", float or array, default=None
        Length scales of the kernel, over the scaled inputs. None: one, searched; ``"auto"``: one per input, searched.
    n_components : int, default=None
        Features, grids or landmarks. None: by the number of rows; of ridge on Fourier features by rows left out.
    scale : {"none", "standardize", "minmax", "log", "quantile", "whiten"}, default=None
        Scaling of the inputs. None: by column, from what its values are like."""

SEARCHED = """kernel : str, default="gaussian"
        As for FourierFeatures.
    bandwidth : None, "auto", "median", "scale", float or array, default=None
        Length scales over the scaled inputs. None: one, searched.
    n_map_features : int, default=None
        Features of the map. None: by the number of rows.
    scale : {"none", "standardize", "minmax", "log", "quantile", "whiten"}, default=None
        Scaling of the inputs. None: by column."""

MEDIAN = """kernel : str, default="gaussian"
        As for FourierFeatures.
    bandwidth : None, "median", "scale", float or array, default=None
        Length scales over the scaled inputs. None: the median distance.
    n_map_features : int, default=None
        Features of the map. None: by the number of rows.
    scale : {"none", "standardize", "minmax", "log", "quantile", "whiten"}, default=None
        Scaling of the inputs. None: by column."""

LEAST_SQUARES = """solver : {"auto", "cholesky", "cg", "dual"}, default="auto"
        How the equations are solved.
    fit_intercept : bool, default=True
        A constant, which is not penalised."""

KEEP_BACKGROUND = """keep_background : bool, default=False
        Keep up to 2000 of the rows in the model, also in its file: ``explain(X)`` then needs no background."""

OF_NUMBERS = f"""fit_intercept : bool, default=True
        A constant, which is not penalised.
    calibrate : bool, default=False
        Train once more on 85 % of the rows to learn intervals.
    {KEEP_BACKGROUND}
    tol : float, default=None
        Gap of the objective, relative to its optimum."""

COMMON = """precision : {"float", "double"}, default="float"
        What features are computed in; solves are always in double.
    random_state : int, RandomState, Generator or None, default=0
        An integer is the seed: the same bytes for any number of threads.
    n_jobs : int, default=None
        Threads; -1: all cores, -2: all but one. None: all cores, in joblib's workers what is left to them.
    verbose : bool, default=False
        Print each choice as it is made."""

DRAWS = """random_state : int, RandomState, Generator or None, default=0
        An integer is the seed.
    n_jobs : int, default=None
        Threads; -1: all cores, -2: all but one. None: all cores, in joblib's workers what is left to them."""

PRECISION_OF_ROWS = """precision : {"float", "double"} or None, default=None
        What rows are summed in, and what the model's file computes in; ``transform`` answers in the type of its rows.
        None: that of X."""

DISCREPANCY = """permutations : int, default=500
        Permutations that p-values are found by.
    kernel : str, default="gaussian"
        Kernel of the discrepancy, at five bandwidths about the median distance.
    n_components : int, default=None
        Features of each bandwidth. None: by the number of rows."""

DEPENDENCE = """permutations : int, default=500
        Permutations that p-values are found by.
    kernel : str, default="gaussian"
        Kernel of both sides, at three bandwidths about the median distance.
    n_components : int, default=64
        Features of each side and bandwidth, an even number."""

NEIGHBORS = """n_neighbors : int, array of ints or None, default=None
        Neighbours that are heard. None: 1 to 100, by leave-one-out; several: the best of them.
    weights : {"auto", "uniform", "kernel"}, default="auto"
        What a neighbour weighs: the same, or by the kernel of its distance.
    kernel : str, default="gaussian"
        Kernel for ``weights="kernel"``.
    bandwidth : None, "auto", "median", "scale", float or array, default=None
        Length scales over the scaled inputs. None: one for all; ``"auto"``: one per input, searched.
    scale : {"none", "standardize", "minmax", "log", "quantile", "whiten"}, default=None
        Scaling of the inputs. None: by column, from what its values are like."""

ALL_AT_ONCE = """There is no ``partial_fit``: scaling, length scales and the number of features are chosen from a sample of
    all rows before any is summed. Rows larger than memory come as an iterator of batches or a mapped array."""

ROUNDS = """There is no ``partial_fit``: every round passes over all rows again. Rows larger than memory come as an iterator
    of batches or a mapped array."""

EFFORT = """effort : {"fast", "normal", "best"}, default="normal"
        How many machines race and how long. ``"fast"`` takes about a quarter of the time of ``"normal"``: 1 s and 4 s
        for 500 rows of 10 columns.
    budget : float, str or None, default=None
        Seconds (or ``"5m"``, ``"1h"``) to stay within by a forecast of the work: it then goes less far than its effort
        where it must. The machine then depends on the number of threads."""

FITTED = """model_ : Model
        What was learnt; ``save(path)`` writes the file that the command reads.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where they are all strings."""

CLASSIFIED = f"""classes_ : ndarray
        The classes, sorted.
    {FITTED}"""

INDEXED = """index_ : NeighborIndex
        What is searched.
    n_samples_fit_ : int
        Rows of the fit.
""" + FITTED[FITTED.index("    n_features_in_"):]

SEQUENCE = """sequence : str, default=None
        HMMClassifier: the column that tells sequences apart, each of which lies whole in one partition."""

DRIVEN = """say : callable, default=None
        Called with lines: the forecast, and what each round took.

    Returns
    -------
    estimator : the fitted estimator; ``rounds_`` tells tasks and bytes of each round"""


_PARAGRAPHS = {
    "map": MAP, "searched": SEARCHED, "median": MEDIAN, "least_squares": LEAST_SQUARES, "common": COMMON, "draws": DRAWS,
    "discrepancy": DISCREPANCY, "dependence": DEPENDENCE, "neighbors": NEIGHBORS, "all_at_once": ALL_AT_ONCE,
    "rounds": ROUNDS, "effort": EFFORT, "fitted": FITTED, "indexed": INDEXED, "classified": CLASSIFIED, "driven": DRIVEN,
    "sequence": SEQUENCE, "keep_background": KEEP_BACKGROUND, "of_numbers": OF_NUMBERS,
    "precision_of_rows": PRECISION_OF_ROWS,
}


def documented(named):
    """Fills {map}, {common} and the other paragraphs into the docstring of a class or function."""
    for name, text in _PARAGRAPHS.items():
        named.__doc__ = named.__doc__.replace("{" + name + "}", text)
    return named
