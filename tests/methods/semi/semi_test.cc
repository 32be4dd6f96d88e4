// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The graph's penalty against its definition in plain loops, and what a machine with it does.

#include "bochner/semi.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bochner/error.h"
#include "bochner/figures.h"
#include "bochner/neighbors.h"
#include "bochner/train.h"
#include "methods/semi/laplacian.h"
#include "model/saved_model.h"
#include "random/draw.h"

namespace bochner {
namespace {

// Rows about two middles; every eighth has a target that counts.
struct Problem {
  Matrix<float> x;
  Matrix<double> y;
  Schema schema;
  std::vector<bool> labelled;

  explicit Problem(std::size_t rows, std::size_t inputs = 4) : x(rows, inputs), y(rows, 1), labelled(rows) {
    for (std::size_t i = 0; i < rows; ++i) {
      y(i, 0) = double(i % 2);
      labelled[i] = i % 8 < 2;
      for (std::size_t j = 0; j < inputs; ++j)
        x(i, j) = float(3 * normal(1, Draw::frequency, i % 2, j) + normal(2, Draw::frequency, i, j));
    }
    schema.inputs = inputs;
    schema.targets = 1;
    schema.task = Task::classification;
    schema.labels = {"a", "b"};
  }
  std::unique_ptr<Rows> rows() const { return memory_rows<float>(x.view(), y.view(), schema); }
};

TEST(Laplacian, IsThatOfItsDefinition) {
  const Problem p(70);
  const Neighbors graph = neighbor_graph(*p.rows(), 4, {.method = IndexOptions::Method::exact});
  const std::size_t n = p.x.rows(), D = 70;
  Matrix<double> w(n, n), z(n, D);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < D; ++j) z(i, j) = normal(5, Draw::frequency, i, j);
  const auto distance = [&](std::size_t i, std::size_t j) {
    double square = 0;
    for (std::size_t k = 0; k < p.x.cols(); ++k) square += std::pow(double(p.x(i, k)) - double(p.x(j, k)), 2);
    return std::sqrt(square);
  };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t q = 0; q < 4; ++q) {
      const auto j = std::size_t(graph.rows[4 * i + q]);
      const double si = graph.distances[4 * i + 3], sj = graph.distances[4 * j + 3];
      w(i, j) = w(j, i) = std::exp(-distance(i, j) * distance(i, j) / (si * sj));
    }
  std::vector<double> degree(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) degree[i] += w(i, j);
  Threads one(1), three(3);
  const Laplacian laplacian(graph);
  const Matrix<double> found = laplacian.between(z.view(), one), again = laplacian.between(z.view(), three);
  for (std::size_t a = 0; a < D; ++a)
    for (std::size_t b = 0; b < D; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          sum += z(i, a) * ((i == j) - w(i, j) / std::sqrt(degree[i] * degree[j])) * z(j, b);
      EXPECT_NEAR(found(a, b), sum, 1e-4);
      EXPECT_EQ(found(a, b), again(a, b));
    }
}

TEST(Laplacian, EqualRowsAreJoinedWhateverTheirScale) {
  Problem p(40);
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t j = 0; j < p.x.cols(); ++j) p.x(i, j) = 1;
  const Laplacian laplacian(neighbor_graph(*p.rows(), 3));
  Threads one(1);
  Matrix<double> z(40, 1);
  for (std::size_t i = 0; i < 40; ++i) z(i, 0) = normal(7, Draw::frequency, i, 0);
  const double sum = laplacian.between(z.view(), one)(0, 0);
  EXPECT_TRUE(std::isfinite(sum));
  EXPECT_GT(sum, 0);
}

using Semi = SavedModel;

TEST_F(Semi, RowsWithoutATargetAreNotAskedForIt) {
  Problem p(240);
  const Model model = semi_supervised(*p.rows(), {.labelled = p.labelled});
  for (std::size_t i = 0; i < p.x.rows(); ++i)
    if (!p.labelled[i]) p.y(i, 0) = 1 - p.y(i, 0);
  const Model same = semi_supervised(*p.rows(), {.labelled = p.labelled});
  EXPECT_EQ(saved(model), saved(same));
  EXPECT_EQ(figure_of(*model.head(), "graph")[1], 60);
}

TEST_F(Semi, ThreadsDoNotChangeABit) {
  const Problem p(300);
  SemiOptions options{.labelled = p.labelled};
  options.features.execution.threads = 1;
  const std::string one = saved(semi_supervised(*p.rows(), options));
  options.features.execution.threads = 3;
  EXPECT_EQ(one, saved(semi_supervised(*p.rows(), options)));
}

TEST_F(Semi, WithoutTheGraphItIsRidgeOnTheSameFeatures) {
  const Problem p(200);
  SemiOptions options{.graph_weights = {0.0}, .labelled = p.labelled};
  options.learner.lambdas = {1e-3};
  const Model model = semi_supervised(*p.rows(), options);
  const std::unique_ptr<Rows> all = p.rows();
  const auto some = subset_rows(*all, [&](std::uint64_t row) { return bool(p.labelled[row]); });
  Model plain = fit(*some, model.feature_map(), {.lambdas = {1e-3}});
  const Matrix<double> a = model.predict(*p.rows()), b = plain.predict(*p.rows());
  double apart = 0, spread = 0;  // the rows' mean square is 1 for one, and below for the other
  for (std::size_t i = 0; i < a.rows(); ++i) {
    apart = std::max(apart, std::abs(a(i, 0) - b(i, 0)));
    spread = std::max(spread, std::abs(b(i, 0)));
  }
  EXPECT_LT(apart, 0.02 * spread);
}

TEST_F(Semi, RefusesWhatItCannotLearnFrom) {
  const Problem p(60);
  EXPECT_THROW(semi_supervised(*p.rows(), {.labelled = std::vector<bool>(60)}), Error);
  EXPECT_THROW(semi_supervised(*p.rows(), {.labelled = std::vector<bool>(59)}), std::invalid_argument);
  EXPECT_THROW(semi_supervised(*p.rows(), {.neighbors = 0}), std::invalid_argument);
  EXPECT_THROW(semi_supervised(*p.rows(), {.graph_weights = {-1.0}}), std::invalid_argument);
  EXPECT_THROW(semi_supervised(*p.rows(), {.learner = {.learner = Learner::knn}}), std::invalid_argument);
  Problem amounts(60);
  amounts.schema.task = Task::regression;
  amounts.schema.labels.clear();
  for (const LearnerOptions& learner :
       {LearnerOptions{.learner = Learner::poisson}, LearnerOptions{.learner = Learner::tweedie},
        LearnerOptions{.learner = Learner::quantile, .levels = {0.1, 0.9}}})
    EXPECT_THROW(semi_supervised(*amounts.rows(), {.learner = learner, .labelled = p.labelled}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
