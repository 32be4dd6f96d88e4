// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// pca, lda, cca and anomaly against their definitions in plain loops.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bochner/anomaly.h"
#include "bochner/cca.h"
#include "bochner/error.h"
#include "bochner/lda.h"
#include "bochner/pca.h"
#include "bochner/svd.h"
#include "bochner/transform.h"
#include "model/saved_model.h"
#include "random/draw.h"
#include "solve/dense.h"

namespace bochner {
namespace {

struct Problem {
  std::size_t n, d;
  Matrix<float> x;
  Matrix<double> y;
  Schema schema;

  // classes: rows about a middle each; 0: none.
  Problem(std::size_t rows, std::size_t inputs, std::size_t classes, double apart = 2)
      : n(rows), d(inputs), x(rows, inputs), y(rows, 1) {
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t c = classes ? i % classes : 0;
      y(i, 0) = double(c);
      for (std::size_t j = 0; j < d; ++j) {
        const double shared = normal(3, Draw::frequency, i, j / 2);  // neighbours go together
        x(i, j) = float((classes ? apart * normal(1, Draw::frequency, c, j) : 0) + normal(2, Draw::frequency, i, j) +
                        shared / double(j + 1));
      }
    }
    schema.inputs = d;
    if (classes == 0) return;
    schema.targets = 1;
    schema.task = Task::classification;
    for (std::size_t c = 0; c < classes; ++c) schema.labels.push_back("c" + std::to_string(c));
  }
  std::unique_ptr<Rows> rows() const {
    return memory_rows<float>(x.view(), schema.targets ? y.view() : MatrixView<const double>{}, schema);
  }
};

FeatureOptions raw() { return {.scale = ColumnScaling::Method::none}; }

using Components = SavedModel;

TEST_F(Components, PcaOfTheInputsIsTheirCentredFactor) {
  const Problem p(700, 9, 0);
  const Model found = pca(*p.rows(), {.rank = 4, .features = raw()});
  const Model expected = svd(*p.rows(), {.rank = 4, .center = true});
  const Matrix<double> a = found.predict(*p.rows()), b = expected.predict(*p.rows());
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(a(i, k), b(i, k), 1e-4);
  const std::vector<double> variance = figure_of(*found.head(), "explained_variance");
  const std::vector<double> values = factor_of(*expected.map())->singular_values;
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(variance[k], values[k] * values[k] / 699, 1e-4);
  double shares = 0;
  for (const double share : figure_of(*pca(*p.rows(), {.rank = 9}).head(), "explained_variance_ratio")) shares += share;
  EXPECT_NEAR(shares, 1, 1e-6);  // products are in float
}

TEST_F(Components, AllPcaComponentsLeadBackToTheInputs) {
  Problem p(300, 5, 0);
  for (std::size_t i = 0; i < p.n; ++i) p.x(i, 3) = std::exp(2 * p.x(i, 3));  // which is scaled by its logarithm
  const Model model = pca(*p.rows(), {.rank = 5});
  const Matrix<double> y = model.predict(*p.rows());
  const MapPtr back = model.map()->inverse(model.map());
  ASSERT_NE(back, nullptr);
  const Matrix<double> x = transform<double>(back, y.view());
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t j = 0; j < p.d; ++j)
      EXPECT_NEAR(x(i, j), double(p.x(i, j)), 1e-4 * (1 + std::abs(double(p.x(i, j)))));
  const Model kernel = pca(*p.rows(), {.rank = 2, .features = {.map = Fourier{}, .features = 32}});
  EXPECT_EQ(kernel.map()->inverse(kernel.map()), nullptr);
}

TEST_F(Components, KernelPcaHasTheEigenvaluesOfTheCentredKernelMatrix) {
  const Problem p(300, 3, 3);
  PcaOptions options{.rank = 5, .features = raw()};
  options.features.map = Fourier{};
  options.features.bandwidth = 2.0;
  options.features.features = 8192;
  const std::vector<double> found = figure_of(*pca(*p.rows(), options).head(), "explained_variance");
  Matrix<double> k(p.n, p.n);
  std::vector<double> mean(p.n);
  double all = 0;
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t l = 0; l < p.n; ++l) {
      double square = 0;
      for (std::size_t j = 0; j < p.d; ++j) square += std::pow(double(p.x(i, j)) - double(p.x(l, j)), 2);
      k(i, l) = std::exp(-square / 8);
      mean[i] += k(i, l) / double(p.n);
      all += k(i, l) / double(p.n * p.n);
    }
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t l = 0; l < p.n; ++l) k(i, l) -= mean[i] + mean[l] - all;
  const Eigen expected = largest_eigen(std::move(k), 5);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(found[i], expected.values[i] / 299, 0.05 * expected.values[i] / 299);
}

TEST_F(Components, LdaOfTwoClassesIsFishersDirection) {
  const Problem p(2000, 3, 2);
  LdaOptions options{.lambdas = {1e-9}, .features = raw()};
  const Model model = lda(*p.rows(), options);
  // S_w^-1 (m_1 - m_0) by Cramer's rule is direct enough: 3 x 3 by Cholesky.
  Matrix<double> mean(2, 3), within(3, 3), direction(3, 1);
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t j = 0; j < 3; ++j) mean(i % 2, j) += double(p.x(i, j)) / 1000;
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        within(a, b) += (double(p.x(i, a)) - mean(i % 2, a)) * (double(p.x(i, b)) - mean(i % 2, b)) / double(p.n);
  for (std::size_t j = 0; j < 3; ++j) direction(j, 0) = mean(1, j) - mean(0, j);
  ASSERT_EQ(factor_lower(within.view()), 0u);
  solve_lower(within.view(), direction.view());
  solve_lower_transposed(within.view(), direction.view());
  // The score is linear: the slope in each input is the direction's.
  Matrix<double> probes(4, 3);
  for (std::size_t j = 0; j < 3; ++j) probes(j + 1, j) = 1;
  const Matrix<double> scores = model.predict(std::as_const(probes).view());
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_NEAR(scores(j + 1, 0) - scores(0, 0), direction(j, 0), 1e-3 * std::abs(direction(j, 0)) + 1e-3);
  EXPECT_EQ(model.puts_out().kind, Outputs::Kind::scores);
}

TEST_F(Components, DiscriminantCoordinatesHaveUnitScatterWithinClasses) {
  const Problem p(3000, 6, 4);
  const Model model = lda(*p.rows(), {.lambdas = {1e-9}});
  ASSERT_EQ(model.feature_map()->outputs(), 3u);
  const Matrix<float> y = transform<float>(model.feature_map(), p.x.view());
  Matrix<double> mean(4, 3), within(3, 3);
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t k = 0; k < 3; ++k) mean(i % 4, k) += double(y(i, k)) / 750;
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        within(a, b) += (double(y(i, a)) - mean(i % 4, a)) * (double(y(i, b)) - mean(i % 4, b)) / double(p.n);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) EXPECT_NEAR(within(a, b), a == b ? 1 : 0, 1e-3);
  EXPECT_LT(*model.evaluate(*p.rows()).error, 0.15);
}

TEST_F(Components, AKernelDiscriminantTellsRingsApart) {
  Problem p(2000, 2, 2);
  for (std::size_t i = 0; i < p.n; ++i) {
    const double angle = 6.2832 * uniform(5, Draw::frequency, i), radius = i % 2 ? 3 : 1;
    p.x(i, 0) = float(radius * std::cos(angle) + 0.1 * normal(6, Draw::frequency, i));
    p.x(i, 1) = float(radius * std::sin(angle) + 0.1 * normal(7, Draw::frequency, i));
  }
  EXPECT_GT(*lda(*p.rows()).evaluate(*p.rows()).error, 0.3);
  const Model model = lda(*p.rows(), {.features = {.map = Fourier{}, .bandwidth = 1.0, .features = 100}});
  EXPECT_LT(*model.evaluate(*p.rows()).error, 0.02);
}

TEST_F(Components, LdaNeedsClasses) {
  Problem p(100, 3, 2);
  for (std::size_t i = 0; i < p.n; ++i) p.y(i, 0) = 0;  // one class alone
  EXPECT_THROW(lda(*p.rows()), Error);
  p.schema.task = Task::regression;
  p.schema.labels.clear();
  EXPECT_THROW(lda(*p.rows()), std::invalid_argument);
}

TEST_F(Components, LdaOfConstantAndRepeatedColumnsIsFinite) {
  Problem p(200, 4, 3);
  for (std::size_t i = 0; i < p.n; ++i) p.x(i, 2) = p.x(i, 1), p.x(i, 3) = 7;
  const Model model = lda(*p.rows());
  const Matrix<double> scores = model.predict(*p.rows());
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t c = 0; c < 3; ++c) ASSERT_TRUE(std::isfinite(scores(i, c)));
  Problem wide(12, 40, 3);  // more inputs than rows
  EXPECT_TRUE(std::isfinite(lda(*wide.rows()).predict(*wide.rows())(0, 0)));
}

// One target: the canonical correlation is the multiple correlation, that of the least squares prediction.
TEST_F(Components, CcaOfOneTargetIsTheMultipleCorrelation) {
  Problem p(1500, 3, 0);
  p.schema.targets = 2;
  p.y = Matrix<double>(p.n, 2);
  for (std::size_t i = 0; i < p.n; ++i) {
    p.y(i, 0) = 1e6 * (2 * double(p.x(i, 0)) - double(p.x(i, 1)) + normal(8, Draw::frequency, i));
    p.y(i, 1) = 3 + double(p.x(i, 2)) + 5 * normal(9, Draw::frequency, i);
  }
  CcaOptions options{.lambdas = {1e-10}, .features = raw()};
  const Model model = cca(*p.rows(), options);
  const std::vector<double> found = figure_of(*model.head(), "correlations");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_GT(found[0], found[1]);
  // The coordinates have these correlations with those of the targets, and variance 1.
  const Matrix<double> u = model.predict(*p.rows());
  const std::vector<double> b = figure_of(*model.head(), "target_directions");
  for (std::size_t k = 0; k < 2; ++k) {
    double su = 0, sv = 0, suu = 0, svv = 0, suv = 0;
    for (std::size_t i = 0; i < p.n; ++i) {
      const double v = b[2 * k] * p.y(i, 0) + b[2 * k + 1] * p.y(i, 1), n = double(p.n);
      su += u(i, k) / n, sv += v / n, suu += u(i, k) * u(i, k) / n, svv += v * v / n, suv += u(i, k) * v / n;
    }
    EXPECT_NEAR((suv - su * sv) / std::sqrt((suu - su * su) * (svv - sv * sv)), found[k], 1e-4);
    EXPECT_NEAR(suu - su * su, 1, 1e-3);
    EXPECT_NEAR(svv - sv * sv, 1, 1e-3);
  }
}

TEST_F(Components, CcaRefusesTargetsThatNeverVary) {
  Problem p(50, 2, 0);
  p.schema.targets = 1;
  EXPECT_THROW(cca(*p.rows()), Error);
  p.schema.targets = 0;
  EXPECT_THROW(cca(*p.rows()), std::invalid_argument);
}

// A crowd, and a few rows far away from it and from each other.
struct Outliers : Problem {
  Outliers() : Problem(2000, 3, 2, 0) {
    for (std::size_t i = 0; i < n; ++i) {
      const bool out = i % 100 == 7;
      y(i, 0) = out ? 1 : 0;
      for (std::size_t j = 0; j < d && out; ++j) x(i, j) = float(15 * normal(11, Draw::frequency, i, j));
    }
    schema.labels = {"usual", "odd"};
  }
};

TEST_F(Components, AnomaliesAreTheRowsFarFromTheOthers) {
  const Outliers p;
  using enum AnomalyOptions::Method;
  for (const auto method : {embedding, bins, isolation, mixture}) {
    AnomalyOptions options{.method = method, .rate = 0.01};
    options.features.features = 64;
    options.components = 1;
    const Model model = anomaly(*p.rows(), options);
    const Matrix<double> found = model.predict(*p.rows());
    double flagged = 0, right = 0;
    for (std::size_t i = 0; i < p.n; ++i) {
      flagged += found(i, 1);
      right += found(i, 1) * p.y(i, 0);
    }
    EXPECT_LE(flagged, 20);
    EXPECT_GE(flagged, 15);
    EXPECT_GE(right, 0.7 * flagged);
    const Evaluation evaluation = model.examine(*p.rows());
    EXPECT_GT(*evaluation.score.auc, 0.95);
    EXPECT_EQ(evaluation.labels, (std::vector<std::string>{"usual", "odd"}));
    EXPECT_NEAR(*evaluation.score.error, (flagged + 20 - 2 * right) / 2000, 1e-12);
    saved(model);
    EXPECT_EQ(Model::load(path_.string()).predict(*p.rows()), found);
  }
}

TEST_F(Components, TheMeanEmbeddingIsTheMeanKernel) {
  const Problem p(400, 2, 0);
  AnomalyOptions options{.features = raw()};
  options.features.bandwidth = 1.5;
  options.features.features = 16384;
  const Matrix<double> found = anomaly(*p.rows(), options).predict(*p.rows());
  for (const std::size_t i : {std::size_t(0), std::size_t(17), std::size_t(399)}) {
    double mean = 0;
    for (std::size_t l = 0; l < p.n; ++l) {
      double square = 0;
      for (std::size_t j = 0; j < p.d; ++j) square += std::pow(double(p.x(i, j)) - double(p.x(l, j)), 2);
      mean += std::exp(-square / 4.5) / double(p.n);
    }
    EXPECT_NEAR(found(i, 0), 1 - mean, 0.02);
  }
}

// Each tree of two rows is one cut: of depth 1, which is the mean depth of a search among two.
TEST_F(Components, RowsThatOneCutPartsHaveTheDepthOfOneCut) {
  Problem p(2, 1, 0);
  p.x(0, 0) = 1e9f;
  p.x(1, 0) = -3;
  const AnomalyOptions options{.method = AnomalyOptions::Method::isolation};
  const Matrix<double> found = anomaly(*p.rows(), options).predict(*p.rows());
  EXPECT_NEAR(found(0, 0), 0, 1e-6);
  EXPECT_NEAR(found(1, 0), 0, 1e-6);
  p.x(1, 0) = p.x(0, 0);  // rows that nothing parts
  const Matrix<double> same = anomaly(*p.rows(), options).predict(*p.rows());
  EXPECT_NEAR(same(0, 0), 0, 1e-6);
}

TEST_F(Components, TheMixtureScoreIsMinusTheLogDensity) {
  const Problem p(400, 2, 0);
  AnomalyOptions options{.method = AnomalyOptions::Method::mixture, .components = 1};
  options.features.double_precision = true;
  const Matrix<double> found = anomaly(*p.rows(), options).predict(*p.rows());
  double mean[2] = {}, s[3] = {};
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t j = 0; j < 2; ++j) mean[j] += double(p.x(i, j)) / double(p.n);
  for (std::size_t i = 0; i < p.n; ++i) {
    const double a = double(p.x(i, 0)) - mean[0], b = double(p.x(i, 1)) - mean[1];
    s[0] += a * a / double(p.n), s[1] += a * b / double(p.n), s[2] += b * b / double(p.n);
  }
  const double det = s[0] * s[2] - s[1] * s[1];
  for (const std::size_t i : {std::size_t(0), std::size_t(399)}) {
    const double a = double(p.x(i, 0)) - mean[0], b = double(p.x(i, 1)) - mean[1];
    const double square = (s[2] * a * a - 2 * s[1] * a * b + s[0] * b * b) / det;
    EXPECT_NEAR(found(i, 0), 0.5 * square + 0.5 * std::log(det) + std::log(2 * M_PI), 1e-6);
  }
}

TEST_F(Components, AnomalyWithoutLabelsCannotBeEvaluated) {
  const Problem p(100, 2, 0);
  const Model model = anomaly(*p.rows());
  EXPECT_THROW(model.examine(*p.rows()), std::invalid_argument);
  EXPECT_THROW(anomaly(*p.rows(), {.rate = 0}), std::invalid_argument);
  EXPECT_THROW(anomaly(*p.rows(), {.normal = "usual"}), std::invalid_argument);
}

TEST_F(Components, BytesDoNotDependOnThreadsOrBlocks) {
  const Outliers p;
  FeatureOptions features{.map = Fourier{}, .bandwidth = Bandwidth::Rule::median, .features = 40};
  std::vector<std::string> first;
  for (const int threads : {1, 3}) {
    features.execution.threads = threads;
    features.execution.block_rows = threads == 1 ? 0 : 1024;
    FeatureOptions bins = features;
    bins.map = NoMap{};
    const std::vector<std::string> bytes = {
        saved(pca(*p.rows(), {.rank = 3, .features = features})),
        saved(lda(*p.rows(), {.features = features})),
        saved(cca(*p.rows(), {.features = features})),
        saved(anomaly(*p.rows(), {.features = features})),
        saved(anomaly(*p.rows(), {.method = AnomalyOptions::Method::bins, .features = bins})),
        saved(anomaly(*p.rows(), {.method = AnomalyOptions::Method::isolation, .features = bins})),
        saved(anomaly(*p.rows(), {.method = AnomalyOptions::Method::mixture, .features = bins, .components = 2}))};
    if (first.empty()) first = bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_TRUE(bytes[i] == first[i]) << i;
  }
}

}  // namespace
}  // namespace bochner
