# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Whose code a drop-in is."""

from sklearn.utils.validation import check_is_fitted


def uses(estimator):
    """Whose code a fitted drop-in answers by: ``"bochner"`` or ``"scikit-learn"``.

    Examples
    --------
    >>> from bochner.compat import NearestNeighbors, uses
    >>> uses(NearestNeighbors().fit([[0.0], [1.0]]))
    'scikit-learn'
    """
    check_is_fitted(estimator)
    if hasattr(estimator, "peer_"):
        return "scikit-learn"
    return "bochner" if hasattr(estimator, "model_") or hasattr(estimator, "index_") else "scikit-learn"
