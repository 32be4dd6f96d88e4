# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""TextProjection beside scikit-learn's tf-idf, and MMDTest."""

import pickle

import bochner
import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

WORDS = ["cat", "dog", "stone", "river", "Straße", "naïve", "market", "share", "price", "bank", "loan", "rate"]
draws = np.random.default_rng(0)
DOCUMENTS = [" ".join(draws.choice(WORDS, size=30, p=np.roll(np.arange(1, 13) / 78, 4 * (k % 3)))) for k in range(90)]


@pytest.mark.parametrize("options", [{}, {"ngram_range": (1, 2)}, {"sublinear_tf": True, "use_idf": False}])
def test_tf_idf_is_that_of_scikit_learn(options):
    ours = bochner.TextProjection(None, **options).fit(DOCUMENTS)
    theirs = TfidfVectorizer(**options).fit(DOCUMENTS)
    assert ours.terms() == list(theirs.get_feature_names_out())
    assert np.allclose(ours.transform(DOCUMENTS).toarray(), theirs.transform(DOCUMENTS).toarray(), atol=1e-12)


def test_products_of_queries_are_the_scores_of_bm25():
    k1, b = 1.2, 0.6
    words = bochner.TextProjection(None, bm25=True, k1=k1, b=b).fit(DOCUMENTS)
    queries = ["cat cat stone", "river unknown"]
    found = (words.transform_queries(queries) @ words.transform(DOCUMENTS).T).toarray()
    counts = np.array([[text.lower().split().count(term) for term in words.terms()] for text in DOCUMENTS])
    lengths, holding = counts.sum(1), (counts > 0).sum(0)
    weights = np.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5)) * counts / (
        counts + k1 * (1 - b + b * lengths / lengths.mean())[:, None])
    asked = np.array([[text.split().count(term) for term in words.terms()] for text in queries])
    assert np.allclose(found, asked @ weights.T, atol=1e-12)


def test_products_survive_the_projection(tmp_path):
    words = bochner.TextProjection(2000, min_df=1, max_df=1.0)
    Z = words.fit_transform(DOCUMENTS)
    assert Z.shape == (90, 2000) and Z.dtype == np.float32
    full = bochner.TextProjection(None).fit_transform(DOCUMENTS)
    assert np.abs(Z @ Z.T - (full @ full.T).toarray()).max() < 0.15
    again = pickle.loads(pickle.dumps(words))
    assert np.array_equal(again.transform(DOCUMENTS), Z)
    words.save(tmp_path / "words")
    assert (tmp_path / "words").read_bytes() in pickle.dumps(words)
    hashed = bochner.TextProjection(200, n_hashes=1024).fit(DOCUMENTS)
    assert hashed.n_terms_ == 1024 and hashed.terms() == []
    assert list(words.get_feature_names_out()[:2]) == ["textprojection0", "textprojection1"]


def test_wrong_documents_are_named():
    with pytest.raises(ValueError, match="string object received"):
        bochner.TextProjection().fit("one text")
    with pytest.raises(ValueError, match="document 1 is of type int"):
        bochner.TextProjection().fit(["a b", 3])
    with pytest.raises(ValueError, match="no document"):
        bochner.TextProjection().fit([])


def test_the_test_of_two_samples():
    X = draws.normal(size=(400, 3))
    test = bochner.MMDTest(permutations=200).fit(X[:200])
    assert test.score(X[200:]) > 0.01 > test.score(X[200:] + [0, 1, 0])
    assert test.test(X[200:]).p_value == bochner.drift(X[:200], X[200:], permutations=200).p_value
    with pytest.raises(ValueError, match="features"):
        test.score(X[:, :2])
