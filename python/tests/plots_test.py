# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The bochner authors
"""What the pictures show is what was measured. BOCHNER_PICTURES=folder keeps them to be looked at."""

import os

import bochner
import numpy as np
import pytest
from sklearn.datasets import make_moons

pytest.importorskip("matplotlib").use("Agg")

import matplotlib.pyplot as plt  # noqa: E402
from bochner import plots  # noqa: E402

draws = np.random.default_rng(0)
X = draws.normal(size=(700, 3))
Y = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * draws.normal(size=700)
PICTURES = os.environ.get("BOCHNER_PICTURES")


@pytest.fixture(autouse=True)
def kept(request):
    yield
    for k, number in enumerate(plt.get_fignums()):
        plt.figure(number).canvas.draw()
        if PICTURES:
            plt.figure(number).savefig(f"{PICTURES}/{request.node.name}{k}.png", dpi=70)
    plt.close("all")


def test_features():
    shown = plots.FeatureCurveDisplay.from_estimator(
        bochner.KernelRidge(1e-3, bandwidth=2.0), X, Y, n_components=[64, 4, 16])
    assert list(shown.values) == [4, 16, 64] and shown.mean[0] < shown.mean[2]
    assert np.array_equal(shown.line_.get_xdata(), shown.values)
    assert shown.ax_.figure is shown.figure_ and "R²" in shown.ax_.get_ylabel()


def test_lambda_path():
    shown = plots.LambdaPathDisplay.from_estimator(
        bochner.KernelRidge(n_components=64, bandwidth=2.0), X, Y, values=[1e-3, 1e4])
    assert shown.mean[0] > shown.mean[1] and shown.ax_.get_xlabel() == "alpha"
    shown = plots.LambdaPathDisplay.from_estimator(
        bochner.KernelSVC(n_components=32, bandwidth=2.0), X, Y > 0, values=[0.1, 10])
    assert shown.ax_.get_xlabel() == "C" and "accuracy" in shown.ax_.get_ylabel()
    with pytest.raises(ValueError, match="alpha, C or shrinkage"):
        plots.LambdaPathDisplay.from_estimator(bochner.FourierFeatures(), X, Y)


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian"])
def test_kernel_error(kernel):
    shown = plots.KernelErrorDisplay.from_estimator(
        bochner.FourierFeatures(kernel=kernel), X, n_components=[64, 512], sample=100)
    assert (shown.worst < shown.bound).all() and (shown.rms < shown.worst).all()
    assert shown.rms[1] < 0.6 * shown.rms[0]
    Z = bochner.FourierFeatures(64, kernel=kernel, bandwidth=1.0).fit_transform(X[:50])
    assert np.abs(Z @ Z.T - 1).max() > 0.1


def test_decision_surface():
    points, classes = make_moons(300, noise=0.15, random_state=0)
    machine = bochner.KernelSVC(C=10.0, n_components=128).fit(points, classes)
    shown = plots.DecisionSurfaceDisplay.from_estimator(machine, points, classes, grid_resolution=60)
    assert shown.response.shape == (60, 60) and len(shown.ax_.collections) >= 2


def test_calibration():
    machine = bochner.KernelRidge(n_components=64, calibrate=True).fit(X[:500], Y[:500])
    shown = plots.CalibrationDisplay.from_estimator(machine, X[500:], Y[500:])
    assert shown.of == "level" and np.abs(shown.claimed - shown.observed).max() < 0.2
    sure = bochner.KernelLogistic(n_components=64).fit(X[:500], Y[:500] > 0)
    shown = plots.CalibrationDisplay.from_estimator(sure, X[500:], Y[500:] > 0, n_bins=4)
    assert shown.of == "probability" and len(shown.claimed) == 4
    assert (np.diff(shown.claimed) > 0).all() and shown.observed[-1] > 0.9


def test_confusion_and_dependence_are_scikit_learns():
    machine = bochner.KernelSVC(C=1.0, n_components=64).fit(X, np.digitize(Y, [-0.5, 0.5]))
    shown = plots.ConfusionMatrixDisplay.from_estimator(machine, X, np.digitize(Y, [-0.5, 0.5]))
    assert shown.confusion_matrix.shape == (3, 3)
    ridge = bochner.KernelRidge(1.0, n_components=64).fit(X, Y)
    shown = plots.PartialDependenceDisplay.from_estimator(ridge, X, [0, (0, 1)], grid_resolution=12)
    assert len(shown.pd_results) == 2


def test_importance():
    machine = bochner.KernelRidge(1e-2, n_components=128, bandwidth="auto").fit(X, Y)
    shown = plots.ImportanceDisplay.from_estimator(machine)
    assert shown.method == "length_scales" and shown.importance.argmax() == 0 and shown.importance.argmin() == 2
    shown = plots.ImportanceDisplay.from_estimator(machine, X, method="gradient")
    assert shown.importance.argmax() == 0 and shown.importance.argmin() == 2
    assert [bar.get_width() for bar in shown.bars_][-1] == 1
    one = bochner.KernelRidge(1.0, n_components=64, bandwidth=2.0).fit(X, Y)
    with pytest.raises(ValueError, match="bandwidth"):
        plots.ImportanceDisplay.from_estimator(one, X, method="length_scales")
    with pytest.raises(ValueError, match="^X: "):
        plots.ImportanceDisplay.from_estimator(one)


def test_residuals():
    machine = bochner.KernelRidge(n_components=64, calibrate=True).fit(X[:500], Y[:500])
    shown = plots.ResidualsDisplay.from_estimator(machine, X[500:], Y[500:])
    inside = (shown.lower <= shown.residuals) & (shown.residuals <= shown.upper)
    assert 0.8 < inside.mean() < 0.99
    plain = bochner.KernelRidge(1.0, n_components=64).fit(X, np.column_stack([Y, Y]))
    with pytest.raises(ValueError, match="2 targets"):
        plots.ResidualsDisplay.from_estimator(plain, X, Y)
    figure, ax = plt.subplots()
    assert shown.plot(ax=ax).ax_ is ax
