// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/mixtures/em.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "methods/mixtures/floor.h"
#include "methods/mixtures/maximize.h"
#include "methods/mixtures/start.h"
#include "naive.h"
#include "run/compute.h"

namespace bochner {
namespace {

using testing::clustered_rows;
using Kind = CovarianceForm::Kind;
constexpr double kTiny = 1e-12;

MixtureSample sample_of(Matrix<double> x) {
  MixtureSample sample{.x = std::move(x), .classes = {}, .weights = {}, .groups = 1};
  sample.weights.assign(sample.rows(), 1.0);
  return sample;
}

std::vector<double> variances_of(const Matrix<double>& x) {
  std::vector<double> variances;
  for (std::size_t j = 0; j < x.cols(); ++j) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < x.rows(); ++i) mean += x(i, j) / double(x.rows());
    for (std::size_t i = 0; i < x.rows(); ++i) square += std::pow(x(i, j) - mean, 2) / double(x.rows());
    variances.push_back(square);
  }
  return variances;
}

template <class T>
MixturePass pass_over(Threads& threads, const MixtureSample& sample, std::vector<T>& memory) {
  memory.assign(sample.x.data(), sample.x.data() + sample.rows() * sample.x.cols());
  auto block = RowBlock<T>::dense({memory.data(), sample.rows(), sample.x.cols(), sample.x.cols()});
  block.weights = sample.weights.data();
  if (sample.groups > 1) {
    block.targets = sample.classes.data();
    block.target_count = 1;
  }
  return [&threads, block](MixtureFold fold) {
    fold.add(workers_on(threads), block);
    return fold;
  };
}

// Gaussians of 40 inputs whose means are so far apart, and rows of them.
Gaussians apart(double distance, Matrix<double>& rows) {
  const std::size_t K = 6, d = 40;
  Gaussians g{.form = {}, .means = Matrix<double>(K, d), .variances = {}, .matrices = {}};
  for (std::size_t k = 0; k < K; ++k) {
    Matrix<double> covariance(d, d);
    for (std::size_t i = 0; i < d; ++i) {
      g.means(k, i) = distance * normal(4, Draw::entry, k, i);
      for (std::size_t j = 0; j < d; ++j) covariance(i, j) = (i == j ? 1 + 0.1 * double(k) : 0) + 0.2;
    }
    g.matrices.push_back(covariance);
  }
  rows = Matrix<double>(301, d);
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t j = 0; j < d; ++j) rows(i, j) = g.means(i % K, j) + normal(5, Draw::entry, i, j);
  return g;
}

TEST(Gaussians, AnInputThatNeverVariesIsNoDistance) {
  Gaussians g{.form = {.kind = CovarianceForm::Kind::diag},
              .means = Matrix<double>(2, 2),
              .variances = Matrix<double>(2, 2),
              .matrices = {}};
  const float far = 12345.678f;
  for (std::size_t k = 0; k < 2; ++k) {
    g.means(k, 0) = double(far);
    g.variances(k, 0) = 1e-20;  // far is 10^14 deviations from 0
    g.means(k, 1) = double(k);
    g.variances(k, 1) = 1;
  }
  const GaussianDensities<float> densities(g);
  const Matrix<float> x = [&] {
    Matrix<float> row(1, 2);
    row(0, 0) = far;
    return row;
  }();
  Matrix<double> found(1, 2);
  Threads threads(1);
  densities.log_densities(workers_on(threads).ops, x.view(), 0, 2, found.view());
  const double highest = -std::log(2 * std::numbers::pi) + 0.5 * std::log(1e20);
  EXPECT_NEAR(found(0, 0), highest, 1e-6);
  EXPECT_NEAR(found(0, 1), highest - 0.5, 1e-6);
}

TEST(Gaussians, OnlyThoseAreLeftOutThatAddNothing) {
  const std::vector<double> offsets = {-1, -2, -1.5, -2.5, -3, -1};
  Threads threads(1);
  for (const double distance : {0.1, 1.0, 3.0, 30.0}) {
    Matrix<double> x;
    GaussianDensities<double> densities(apart(distance, x));
    densities.expect_groups(3, offsets);
    std::size_t left_out = 0;
    for (const std::size_t first : {0u, 3u}) {
      const std::span<const double> added = std::span(offsets).subspan(first, 3);
      Matrix<double> all(x.rows(), 3), likely(x.rows(), 3);
      densities.log_densities(workers_on(threads).ops, std::as_const(x).view(), first, 3, all.view());
      densities.likely_log_densities(workers_on(threads).ops, std::as_const(x).view(), first, added, likely.view());
      for (std::size_t i = 0; i < x.rows(); ++i) {
        for (std::size_t m = 0; m < 3; ++m) all(i, m) += added[m];
        const double most = *std::max_element(&all(i, 0), &all(i, 0) + 3);
        for (std::size_t m = 0; m < 3; ++m) {
          if (likely(i, m) == all(i, m)) continue;
          ++left_out;
          EXPECT_EQ(likely(i, m), -std::numeric_limits<double>::infinity());
          EXPECT_LT(all(i, m), most - 48);
        }
        EXPECT_EQ(shares_of_joint(&likely(i, 0), 3), shares_of_joint(&all(i, 0), 3));
        for (std::size_t m = 0; m < 3; ++m) EXPECT_EQ(likely(i, m), all(i, m));
      }
    }
    if (distance < 0.5) {
      EXPECT_EQ(left_out, 0u);
    }
    // Each row lies in one of the three of one group: two others can be left out there.
    if (distance > 2) {
      EXPECT_GT(left_out, x.rows());
    }
  }
}

TEST(Em, RoundsAreThoseOfTheBooks) {
  MixtureSample sample = sample_of(clustered_rows(700, 4, 3, 5));
  for (std::size_t i = 0; i < sample.rows(); ++i) sample.weights[i] = 0.5 + uniform(9, Draw::entry, i);
  Threads threads(2);
  const StartOptions start{
      .components = 3, .covariance = {}, .restarts = 1, .rounds = 0, .seed = 3, .floor = std::vector<double>(4, kTiny)};
  const Mixtures from = clustered_start(workers_on(threads), sample, start, 0);
  Mixture naive = from.of_group(0);
  std::vector<double> expected;
  double all = 0;
  for (const double w : sample.weights) all += w;
  for (int round = 0; round < 12; ++round)
    expected.push_back(testing::naive_round(sample.x, sample.weights, naive) / all);

  const EmOptions options{.tolerance = -1, .rounds = 11, .floor = start.floor, .double_precision = true};
  std::vector<double> wide;
  const EmRun run = run_em(pass_over(threads, sample, wide), from, options, threads);
  ASSERT_EQ(run.paths[0].size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(run.paths[0][i], expected[i], 1e-9) << i;
  EXPECT_EQ(run.falls, 0u);

  EmOptions narrow = options;
  narrow.double_precision = false;
  std::vector<float> floats;
  const EmRun rounded = run_em(pass_over(threads, sample, floats), from, narrow, threads);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(rounded.paths[0][i], expected[i], 1e-6) << i;
}

// Every form has densities by the covariance written out, and a likelihood that never falls.
class Forms : public ::testing::TestWithParam<const char*> {};

TEST_P(Forms, DensitiesAreThoseOfTheWholeCovariance) {
  const MixtureSample sample = sample_of(clustered_rows(400, 19, 3, 7));
  Threads threads(2);
  const StartOptions start{.components = 3,
                           .covariance = parse_covariance_name(GetParam()),
                           .restarts = 1,
                           .rounds = 0,
                           .seed = 1,
                           .floor = floor_of(variances_of(sample.x), 1e-3)};
  const Mixtures found = clustered_start(workers_on(threads), sample, start, 0);
  const GaussianDensities<double> wide(found.gaussians);
  const GaussianDensities<float> narrow(found.gaussians);
  Matrix<double> a(50, 3), b(50, 3);
  Matrix<float> x(50, 19);
  std::copy_n(sample.x.data(), 50 * 19, x.data());
  const Workers on = workers_on(threads);
  wide.log_densities(on.ops, sample.x.view().slice(0, 50), 0, 3, a.view());
  narrow.log_densities(on.ops, std::as_const(x).view(), 0, 3, b.view());
  for (std::size_t i = 0; i < 50; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const double expected = testing::naive_log_density(
          testing::row_of(sample.x, i), testing::row_of(found.gaussians.means, k), found.gaussians.covariance(k));
      EXPECT_NEAR(a(i, k), expected, 1e-9 * std::abs(expected));
      EXPECT_NEAR(b(i, k), expected, 3e-5 * std::abs(expected));
    }
}

TEST_P(Forms, TheLikelihoodNeverFalls) {
  const std::size_t n = 600, d = 6;
  std::vector<Matrix<double>> hard;
  hard.push_back(clustered_rows(n, d, 4, 1));
  hard.push_back(clustered_rows(n, d, 4, 2));
  for (std::size_t i = 0; i < n; ++i) {
    std::copy_n(&hard[1](i % 7, 0), d, &hard[1](i, 0));  // seven rows, over and over
    hard[1](i, 3) = 5;                                   // and a constant input
  }
  hard.push_back(clustered_rows(3, d, 2, 3));  // fewer rows than components
  hard.push_back(clustered_rows(n, d, 3, 4));
  for (std::size_t i = 0; i < n * d; ++i) hard.back().data()[i] *= 1e6;
  hard.push_back(Matrix<double>(20, d));  // nothing but zeros
  hard.push_back(clustered_rows(1, d, 1, 3));
  hard.push_back(clustered_rows(n, d, 3, 4));
  for (std::size_t i = 0; i < n; ++i) hard.back()(i, 1) = hard.back()(i, 0) * 2;  // two inputs are one
  Threads threads(2);
  for (std::size_t h = 0; h < hard.size(); ++h) {
    MixtureSample sample = sample_of(hard[h]);
    StartOptions start{.components = 5,
                       .covariance = parse_covariance_name(GetParam()),
                       .restarts = 2,
                       .rounds = 5,
                       .seed = 2,
                       .floor = {}};
    const std::vector<double> variances = variances_of(sample.x);
    start.floor = floor_of(variances, choose_floor(workers_on(threads), sample, start, variances));
    const EmRun begun = best_start(workers_on(threads), sample, start);
    std::vector<double> wide;
    const EmRun run =
        run_em(pass_over(threads, sample, wide), begun.mixtures,
               {.tolerance = 1e-7, .rounds = 60, .floor = start.floor, .double_precision = true}, threads);
    EXPECT_EQ(run.falls, 0u) << h;
    EXPECT_EQ(begun.falls, 0u) << h;
    for (std::size_t i = 1; i < run.paths[0].size(); ++i)
      EXPECT_GE(run.paths[0][i], run.paths[0][i - 1] - 1e-9 * (1 + std::abs(run.paths[0][i]))) << h << " " << i;
    EXPECT_TRUE(std::isfinite(run.mean_log_likelihood())) << h;
    const Mixture mixture = run.mixtures.of_group(0);
    EXPECT_GE(mixture.weights.size(), 1u) << h;
    GaussianDensities<float> usable(mixture.gaussians);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Forms, ::testing::Values("full", "diag", "spherical", "tied", "lowrank:2"),
                         [](const auto& info) {
                           const std::string name = info.param;
                           return name.substr(0, name.find(':'));
                         });

TEST(Em, GroupsAreLearntAsIfAlone) {
  const std::size_t n = 900, d = 3;
  MixtureSample all = sample_of(clustered_rows(n, d, 4, 11));
  all.groups = 3;
  for (std::size_t i = 0; i < n; ++i) all.classes.push_back(double((i * 7) % 3));
  Threads threads(2);
  StartOptions start{.components = 2, .covariance = {}, .restarts = 2, .rounds = 5, .seed = 4, .floor = {}};
  start.floor = floor_of(variances_of(all.x), 1e-4);
  const EmOptions em{.tolerance = 1e-5, .rounds = 30, .floor = start.floor, .double_precision = true};
  std::vector<double> memory;
  const EmRun together =
      run_em(pass_over(threads, all, memory), best_start(workers_on(threads), all, start).mixtures, em, threads);
  for (std::size_t g = 0; g < 3; ++g) {
    const std::vector<std::size_t> rows = all.of_group(g);
    MixtureSample one = sample_of(Matrix<double>(rows.size(), d));
    for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(&all.x(rows[i], 0), d, &one.x(i, 0));
    std::vector<double> alone_memory;
    const EmRun alone = run_em(pass_over(threads, one, alone_memory),
                               best_start(workers_on(threads), one, start).mixtures, em, threads);
    EXPECT_NEAR(together.log_likelihoods[g], alone.log_likelihoods[0], 1e-6 * std::abs(alone.log_likelihoods[0]));
  }
}

TEST(Em, AClassWithoutRowsIsNoTrouble) {
  MixtureSample sample = sample_of(clustered_rows(200, 2, 2, 3));
  sample.groups = 3;
  for (std::size_t i = 0; i < 200; ++i) sample.classes.push_back(double(i % 2));  // none of class 2
  Threads threads(1);
  StartOptions start{.components = 2, .covariance = {}, .restarts = 2, .rounds = 5, .seed = 4, .floor = {}};
  start.floor = floor_of(variances_of(sample.x), 1e-4);
  const EmRun run = best_start(workers_on(threads), sample, start);
  EXPECT_TRUE(std::isfinite(run.mean_log_likelihood()));
  EXPECT_EQ(run.mixtures.of_group(2).weights.size(), 1u);
}

TEST(Floor, IsSmallWhereRowsAreManyAndLargeWhereTheyAreFewerThanInputs) {
  Threads threads(2);
  const StartOptions start{.components = 2, .covariance = {}, .restarts = 1, .rounds = 0, .seed = 0, .floor = {}};
  const MixtureSample many = sample_of(clustered_rows(6000, 4, 2, 3)), few = sample_of(clustered_rows(60, 40, 2, 3));
  EXPECT_LE(choose_floor(workers_on(threads), many, start, variances_of(many.x)), 1e-3);
  EXPECT_GE(choose_floor(workers_on(threads), few, start, variances_of(few.x)), 1e-2);
}

TEST(Floor, RaisedCovariancesAreTheLikeliestAboveIt) {
  // The value is -log det S - tr(S^-1 C) over S >= diag(floor): no admissible neighbour is likelier.
  Matrix<double> C(3, 3);
  const double given[3][3] = {{2, 1.9, 0.01}, {1.9, 2, 0}, {0.01, 0, 0.001}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) C(i, j) = given[i][j];
  const std::vector<double> floor = {0.3, 0.2, 0.01};
  const auto value = [&](const Matrix<double>& S) {
    double sum = 0;  // log N of 0 has -1/2 log det; the trace by columns of C
    Matrix<double> whole = C;
    for (std::size_t a = 0; a < 3; ++a) {
      // C = sum of columns of its root: here by the rows of its Cholesky factor
      for (std::size_t b = 0; b < a; ++b) {
        for (std::size_t l = 0; l < b; ++l) whole(a, b) -= whole(a, l) * whole(b, l);
        whole(a, b) /= whole(b, b);
      }
      for (std::size_t l = 0; l < a; ++l) whole(a, a) -= whole(a, l) * whole(a, l);
      whole(a, a) = std::sqrt(std::max(0.0, whole(a, a)));
    }
    for (std::size_t l = 0; l < 3; ++l) {
      std::vector<double> column(3);
      for (std::size_t a = l; a < 3; ++a) column[a] = whole(a, l);
      sum += testing::naive_log_density(column, {0, 0, 0}, S);
      if (l > 0) sum -= testing::naive_log_density({0, 0, 0}, {0, 0, 0}, S);
    }
    return sum;
  };
  const Matrix<double> best = raised_to_floor(C, floor);
  const double most = value(best);
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    Matrix<double> other = best;  // plus a positive semidefinite change, or mixed with another admissible one
    std::vector<double> v(3);
    for (std::size_t j = 0; j < 3; ++j) v[j] = 0.2 * normal(trial, Draw::entry, j);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        other(i, j) = trial % 2 ? other(i, j) + v[i] * v[j] : 0.9 * other(i, j) + 0.1 * (v[i] * v[j]);
        if (trial % 2 == 0 && i == j) other(i, j) += 0.1 * floor[i];
      }
    EXPECT_LE(value(other), most + 1e-9) << trial;
  }
}

}  // namespace
}  // namespace bochner
