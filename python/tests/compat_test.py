# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""Drop-ins beside what they stand in for."""

import inspect
import tempfile

import numpy as np
import pytest
import sklearn.decomposition
import sklearn.kernel_approximation
import sklearn.kernel_ridge
import sklearn.mixture
import sklearn.neighbors
import sklearn.random_projection
from bochner import compat
from scipy import sparse
from sklearn.datasets import make_low_rank_matrix
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

X = np.random.default_rng(0).normal(size=(200, 6))


@parametrize_with_checks([
    compat.RBFSampler(), compat.Nystroem(n_components=20), compat.GaussianRandomProjection(n_components=2),
    compat.SparseRandomProjection(n_components=2), compat.TruncatedSVD(), compat.KernelRidge(), compat.GaussianMixture(),
    compat.NearestNeighbors(), compat.AdditiveChi2Sampler(), compat.SkewedChi2Sampler(),
])
def test_contract(estimator, check):
    check(estimator)


@pytest.mark.parametrize("module, name", [
    (sklearn.kernel_approximation, "RBFSampler"),
    (sklearn.kernel_approximation, "AdditiveChi2Sampler"),
    (sklearn.kernel_approximation, "SkewedChi2Sampler"),
    (sklearn.random_projection, "GaussianRandomProjection"),
    (sklearn.random_projection, "SparseRandomProjection"),
])
def test_signatures_are_scikit_learns(module, name):
    own, theirs = (inspect.signature(getattr(place, name)) for place in (compat, module))
    assert {k: p.default for k, p in own.parameters.items()} == {k: p.default for k, p in theirs.parameters.items()}


def test_rbf_sampler_approximates_the_kernel():
    Z = compat.RBFSampler(gamma=0.1, n_components=20000, random_state=0).fit_transform(X)
    assert np.abs(Z @ Z.T - rbf_kernel(X, gamma=0.1)).max() < 0.06


@pytest.mark.parametrize("steps, interval", [(1, None), (2, None), (3, None), (4, 0.3)])
def test_additive_chi2_has_scikit_learns_numbers(steps, interval):
    shares = np.abs(X) * (X > -1)  # some zeros
    own = compat.AdditiveChi2Sampler(sample_steps=steps, sample_interval=interval).fit(shares)
    theirs = sklearn.kernel_approximation.AdditiveChi2Sampler(sample_steps=steps, sample_interval=interval).fit(shares)
    assert np.allclose(own.transform(shares), theirs.transform(shares), atol=1e-12)
    assert np.allclose(own.transform(sparse.csr_array(shares)).toarray(), theirs.transform(shares), atol=1e-12)
    assert list(own.get_feature_names_out()) == list(theirs.get_feature_names_out())
    with pytest.raises(ValueError, match="Negative"):
        own.transform(-shares)


def test_skewed_chi2_approximates_the_kernel():
    Z = compat.SkewedChi2Sampler(skewedness=4, n_components=20000, random_state=0).fit_transform(np.maximum(X, -3))
    a = np.maximum(X, -3)[:, None] + 4
    b = np.maximum(X, -3)[None] + 4
    assert np.abs(Z @ Z.T - np.prod(2 * np.sqrt(a * b) / (a + b), axis=2)).max() < 0.06
    with pytest.raises(ValueError, match="skewedness"):
        compat.SkewedChi2Sampler().fit_transform(X - 9)


@pytest.mark.parametrize("kernel, exact", [("rbf", rbf_kernel), ("laplacian", laplacian_kernel)])
def test_nystroem_of_all_rows_is_exact(kernel, exact):
    Z = compat.Nystroem(kernel, gamma=0.2, n_components=200, random_state=0).fit_transform(X)
    assert np.allclose(Z @ Z.T, exact(X, gamma=0.2), atol=1e-6)


@pytest.mark.parametrize("projection", [
    compat.GaussianRandomProjection(3, random_state=0, compute_inverse_components=True),
    compat.SparseRandomProjection(3, density=0.5, random_state=0, compute_inverse_components=True),
    compat.SparseRandomProjection(3, random_state=0, compute_inverse_components=True)])
def test_components_are_the_matrix_of_a_projection(projection):
    Z = projection.fit_transform(X)
    assert np.allclose(X @ projection.components_.T, Z)
    assert np.allclose(projection.inverse_transform(Z) @ projection.components_.T, Z)
    matrix = projection.components_.toarray() if sparse.issparse(projection.components_) else projection.components_
    assert np.allclose(projection.inverse_components_, np.linalg.pinv(matrix), atol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
@pytest.mark.parametrize("weighted", [False, True])
def test_kernel_ridge_of_few_rows_is_exact(kernel, weighted):
    y = np.sin(X[:, 0])
    weights = np.random.default_rng(1).uniform(1, 2, len(y)) if weighted else None
    own = compat.KernelRidge(0.5, kernel=kernel, gamma=0.1).fit(X, y, weights).predict(X)
    theirs = sklearn.kernel_ridge.KernelRidge(alpha=0.5, kernel=kernel, gamma=0.1).fit(X, y, weights).predict(X)
    assert np.allclose(own, theirs, atol=1e-6)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_svd_finds_the_leading_factor(container):
    A = make_low_rank_matrix(300, 40, effective_rank=5, random_state=0)
    U, s, Vt = compat.randomized_svd(container(A), 5, random_state=0)
    exact = np.linalg.svd(A, compute_uv=False)[:5]
    assert np.allclose(s, exact, rtol=1e-3)
    assert np.linalg.norm(A - (U * s) @ Vt) < 1.01 * np.linalg.norm(np.linalg.svd(A, compute_uv=False)[5:])
    own = compat.TruncatedSVD(5, random_state=0).fit(container(A))
    theirs = sklearn.decomposition.TruncatedSVD(5, algorithm="arpack").fit(A)
    assert np.allclose(own.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-2)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_mixtures_are_as_likely(kind):
    rows = np.vstack([X[:, :2], 0.5 * X[:, 2:4] + 6])
    own = compat.GaussianMixture(2, covariance_type=kind, random_state=0, tol=1e-5).fit(rows)
    theirs = sklearn.mixture.GaussianMixture(2, covariance_type=kind, random_state=0, tol=1e-5).fit(rows)
    assert own.covariances_.shape == theirs.covariances_.shape
    assert abs(own.score(rows) - theirs.score(rows)) < 1e-3
    assert abs(own.bic(rows) - theirs.bic(rows)) < 1 and own.sample(7)[0].shape == (7, 2)


@pytest.mark.parametrize("metric", ["minkowski", "cosine"])
def test_neighbours_are_the_same(metric):
    own = compat.NearestNeighbors(n_neighbors=4, metric=metric).fit(X)
    theirs = sklearn.neighbors.NearestNeighbors(n_neighbors=4, metric=metric).fit(X)
    for queries in (None, X[:9] + 0.1):
        for a, b in zip(own.kneighbors(queries), theirs.kneighbors(queries)):
            assert np.allclose(a, b, atol=1e-6)
    assert np.allclose(own.kneighbors_graph(X[:5]).toarray(), theirs.kneighbors_graph(X[:5]).toarray())


def test_svmlight_files_go_there_and_back():
    A = sparse.random(50, 30, density=0.2, format="csr", random_state=0)
    y = np.arange(50.0) - 20
    with tempfile.NamedTemporaryFile(suffix=".svm") as file:
        compat.dump_svmlight_file(A, y, file.name, zero_based=False)
        B, z = compat.load_svmlight_file(file.name, n_features=30, zero_based=False)
    assert np.allclose(A.toarray(), B.toarray()) and np.array_equal(y, z)
