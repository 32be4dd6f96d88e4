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
        Features, grids or landmarks. None: by the number of rows.
    scale : {"none", "standardize", "minmax", "log", "quantile"}, default=None
        Of the inputs. None: by column, from what its values are like."""

COMMON = """precision : {"float", "double"}, default="float"
        What features are computed in; solves are always in double.
    random_state : int, RandomState or None, default=0
        An integer is the seed: the same bytes for any number of threads.
    n_jobs : int, default=None
        Threads; None and -1: all cores.
    verbose : bool, default=False
        Print each choice as it is made."""

DRAWS = """random_state : int, RandomState or None, default=0
        An integer is the seed.
    n_jobs : int, default=None
        Threads; None and -1: all cores."""

DISCREPANCY = """permutations : int, default=500
        By which p-values are found.
    kernel : str, default="gaussian"
        Of the discrepancy, at five bandwidths about the median distance.
    n_components : int, default=None
        Features of each bandwidth. None: by the number of rows."""

FITTED = """model_ : Model
        What was learnt; ``save(path)`` writes the file that the command reads.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns of X, where they are all strings."""


def documented(named):
    """Fills {map}, {common}, {draws}, {discrepancy} and {fitted} of the docstring of a class or function."""
    for name, text in (("{map}", MAP), ("{common}", COMMON), ("{draws}", DRAWS), ("{discrepancy}", DISCREPANCY),
                       ("{fitted}", FITTED)):
        named.__doc__ = named.__doc__.replace(name, text)
    return named
