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


def test_a_waterfall_ends_at_the_score():
    machine = bochner.KernelRidge(1e-3, n_components=128, keep_background=True).fit(X, Y)
    shown = plots.WaterfallDisplay.from_estimator(machine, X, row=3)
    assert shown.base_value + shown.values.sum() == pytest.approx(machine.predict(X[3:4])[0], abs=1e-4)
    assert len(shown.bars_) == 3 and "x0 = " in shown.names[0] or "0 = " in shown.names[0]
    assert shown.bars_[-1].get_x() + shown.bars_[-1].get_width() == pytest.approx(shown.base_value + shown.values.sum())
    shown = plots.WaterfallDisplay(names=list("abcde"), values=np.array([5.0, -4, 3, -2, 1]), base_value=1.0).plot(most=3)
    assert [label.get_text() for label in shown.ax_.get_yticklabels()] == ["a", "b", "3 other columns"]
    classes = bochner.KernelLogistic(n_components=64).fit(X, np.digitize(Y, [-0.5, 0.5]))
    assert plots.WaterfallDisplay.from_estimator(classes, X, output=2).output == "2"
    with pytest.raises(ValueError, match="output"):
        plots.WaterfallDisplay.from_estimator(classes, X)


def test_dependence_is_coloured_by_the_strongest_partner():
    product = X[:, 1] * X[:, 2]
    found = bochner.KernelRidge(1e-4, n_components=256, bandwidth=2.0).fit(X, product).explain(X)
    shown = plots.DependenceDisplay.from_explanation(found, 1)
    assert shown.partner == found.feature_names[2]
    assert np.array_equal(shown.points_.get_offsets()[:, 0], X[:, 1])
    assert plots.DependenceDisplay.from_explanation(found, 1, color_by=None).partner is None
    for words in ({"column": 3}, {"column": "none"}, {"column": 0, "color_by": "none"}):
        with pytest.raises(ValueError, match="expected one of"):
            plots.DependenceDisplay.from_explanation(found, **words)


def test_dependence_of_text_has_its_levels():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": X[:, 0], "city": np.where(X[:, 1] > 0, "Rome", "Oslo")})
    machine = bochner.KernelRidge(1e-3, n_components=64).fit(table, Y)
    shown = plots.DependenceDisplay.from_estimator(machine, table, "city", color_by="a")
    assert set(shown.cells) == {"Rome", "Oslo"} and shown.partner == "a"


def test_importance_by_shapley_values():
    machine = bochner.KernelRidge(1e-3, n_components=128).fit(X, Y)
    shown = plots.ImportanceDisplay.from_estimator(machine, X, method="shapley")
    assert np.argmax(shown.importance) == 0 and np.argmin(shown.importance) == 2
    with pytest.raises(ValueError, match="X: "):
        plots.ImportanceDisplay.from_estimator(machine, method="shapley")
