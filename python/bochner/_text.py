# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Documents as rows."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from bochner import _core
from bochner._base import ModelEstimator
from bochner._docs import documented
from bochner._parameters import Drawn, parameters
from bochner._transformers import mapped
from bochner._words import choice, count, seed_of

if TYPE_CHECKING:
    import os
    from typing import Any

    from typing_extensions import Self


@documented
@parameters
class TextProjection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Drawn, ModelEstimator):
    """Documents as tf-idf of their words, projected at random to a few numbers: what ``bochner text --project`` does.

    Distances and products of rows are about those of all terms, at any size of the vocabulary.

    Parameters
    ----------
    n_components : int or None, default=1000
        Outputs. None: tf-idf itself, as a sparse matrix.
    ngram_range : tuple of two int, default=(1, 1)
        Runs of how many neighbouring words are counted.
    min_df : int or None, default=None
        Terms in fewer documents are left out. None: what suits a projection, or 1 without one.
    max_df : float or None, default=None
        Terms in a larger share of the documents are left out. None: what suits a projection, or 1.0 without one.
    n_hashes : int, default=0
        Columns that terms fall into by their hash, so that none is stored. 0: one column for each term.
    use_idf : bool, default=True
        Weigh a term by how rare it is.
    sublinear_tf : bool, default=False
        Count c of a term in a document as 1 + ln c.
    bm25 : bool, default=False
        Weights of Okapi BM25 instead of tf-idf. Their products with rows of ``transform_queries`` are the scores.
    k1 : float, default=1.5
        BM25: how slowly a repeated term saturates.
    b : float, default=0.75
        BM25: how much long documents are weighed down.
    kind : {"sign", "gaussian", "sparse", "verysparse", "fastjl", "srht", "hash"}, default="sign"
        The law of the projection.
    {draws}

    Attributes
    ----------
    text_ : TextModel
        What was learnt; ``save(path)`` writes the file that ``bochner transform`` reads.
    n_terms_ : int
        Columns before the projection.
    """

    n_components: int | None = field(default=1000, kw_only=False)
    ngram_range: Any = (1, 1)
    min_df: Any = None
    max_df: Any = None
    n_hashes: Any = 0
    use_idf: Any = True
    sublinear_tf: Any = False
    bm25: Any = False
    k1: Any = 1.5
    b: Any = 0.75
    kind: str = "sign"

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns the terms of documents: an iterable of strings. y is ignored."""
        documents = documents_of(X)
        options = _core.TextOptions()
        low, high = self.ngram_range
        options.least_words, options.most_words = count("ngram_range", low), count("ngram_range", high, least=low)
        options.hashed = count("n_hashes", self.n_hashes, least=0)
        options.idf, options.sublinear = bool(self.use_idf), bool(self.sublinear_tf)
        options.bm25, options.k1, options.b = bool(self.bm25), float(self.k1), float(self.b)
        counts = _core.count_text(documents, options, self._execution())
        if self.n_components is not None:
            options = _core.before_projection(options, counts.documents)
        if self.min_df is not None:
            options.min_documents = count("min_df", self.min_df)
        if self.max_df is not None:
            options.max_share = float(self.max_df)
        counts.choose(options)
        model = _core.TextModel(counts)
        self.n_terms_ = model.columns
        if self.n_components is not None:
            projection = _core.ProjectOptions()
            projection.kind = choice(_core.ProjectOptions.Kind, "kind", self.kind)
            projection.dims = count("n_components", self.n_components)
            projection.seed = seed_of(self.random_state)
            model = model.with_map(_core.project(self.n_terms_, projection))
        self.text_ = model
        return self

    def transform(self, X: Any) -> Any:
        """Rows of documents: an array of float32, or without a projection a sparse matrix of float64."""
        return self._encoded(X, False)

    def transform_queries(self, X: Any) -> Any:
        """Rows of queries: counts of their terms if ``bm25``, else what ``transform`` gives."""
        return self._encoded(X, True)

    def _encoded(self, X, queries):
        check_is_fitted(self, "text_")
        documents = documents_of(X)
        rows = self.text_.rows(documents, self._execution(), queries)
        map = self.text_.map
        if map is not None:
            return mapped(map, rows, np.dtype(np.float32), self._execution())
        from scipy import sparse

        values, columns, offsets, _ = _core.read_sparse(rows)
        return sparse.csr_array((values, columns.view(np.int32), offsets.astype(np.int64)),
                                shape=(len(offsets) - 1, self.n_terms_))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the text model, which the command reads as well."""
        check_is_fitted(self, "text_")
        self.text_.save(str(path))

    def terms(self) -> Any:
        """The terms, in the order of the columns; none where they are hashed."""
        check_is_fitted(self, "text_")
        return [] if self.n_hashes else [self.text_.term(j) for j in range(self.n_terms_)]

    @property
    def _n_features_out(self):
        return self.n_terms_ if self.n_components is None else self.text_.map.outputs

    def __sklearn_is_fitted__(self):
        return hasattr(self, "text_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array, tags.input_tags.string, tags.input_tags.sparse = False, True, False
        tags.no_validation = True
        return tags


def documents_of(X):
    if isinstance(X, str):
        raise ValueError("Iterable over raw text documents expected, string object received.")
    texts = list(X)
    for k, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"X: document {k} is of type {type(text).__name__}, expected strings")
    if not texts:
        raise ValueError("X: found no document, expected at least one")
    try:
        return _core.ListedDocuments(texts)
    except TypeError:  # half of a surrogate pair has no UTF-8
        k = next(k for k, text in enumerate(texts) if text.encode(errors="replace") != text.encode(errors="surrogatepass"))
        raise ValueError(f"X: document {k} has a letter that is no Unicode (a lone surrogate), expected text; replace it "
                         "by text.encode(errors='replace').decode()") from None
