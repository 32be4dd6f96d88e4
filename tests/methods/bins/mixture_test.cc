// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <cmath>

#include "methods/bins/fit_mixture.h"
#include "methods/bins/grid_linear.h"
#include "random/draw.h"
#include "solve/cholesky.h"

namespace bochner {
namespace {

// A smooth wave along both inputs and a step along the first: neither part alone fits both.
struct Problem {
  std::size_t n;
  std::vector<float> x;
  std::vector<double> y;
  std::unique_ptr<Rows> rows;

  explicit Problem(std::size_t n) : n(n), x(n * 2), y(n) {
    for (std::size_t i = 0; i < n; ++i) {
      const double a = normal(5, Draw::sample, i, 0), b = normal(5, Draw::sample, i, 1);
      x[i * 2] = float(a);
      x[i * 2 + 1] = float(b);
      y[i] = std::sin(a + b) + (a > 0.3 ? 1.0 : 0.0);
    }
    Schema schema;
    schema.inputs = 2;
    schema.targets = 1;
    schema.task = Task::regression;
    rows = memory_rows<float>(MatrixView<const float>{x.data(), n, 2, 2}, MatrixView<const double>{y.data(), n, 1, 1},
                              schema);
  }
};

MixtureFit few_parts() {
  MixtureFit options;
  options.bins.binning.grids = 6;
  options.bins.binning.length_scales = {0.6};
  options.bins.binning.seed = 4;
  options.bins.fit.lambda = 0.5;
  options.bins.fit.passes = 200;
  options.dense_weight = 2;
  options.bins_weight = 0.5;
  return options;
}

Fitted fit(Problem& p, const MixtureFit& options, const MapPtr& map, int threads_count, Threads& threads) {
  const Execution execution{.threads = threads_count};
  const Survey survey = Stream(*p.rows, nullptr, threads, execution).fold(Survey(p.rows->schema(), 0), "");
  return fit_mixture(Stream(*p.rows, map, threads, execution), Stream(*p.rows, nullptr, threads, execution), survey,
                     options);
}

Matrix<float> predict(const Problem& p, const MapPtr& head) {
  Matrix<float> f(p.n, 1);
  RowBlock<float> block;
  block.rows = p.n;
  block.cols = block.stride = 2;
  block.values = p.x.data();
  head->apply(cpu_backend(), block, f.view());
  return f;
}

// Ridge of [sqrt(w1) z, sqrt(w2) bins] with an intercept, by one dense factor.
std::vector<double> solved_at_once(const Problem& p, const MapPtr& dense, const MapPtr& bins, double lambda, double w1,
                                   double w2) {
  const MapPtr both = concat({dense, bins}, {w1, w2});
  const std::size_t D = both->outputs();
  Matrix<double> z(p.n, D);
  std::vector<double> x(p.x.begin(), p.x.end());
  RowBlock<double> block;
  block.rows = p.n;
  block.cols = block.stride = 2;
  block.values = x.data();
  both->apply(cpu_backend(), block, z.view());
  std::vector<double> mean(D);
  double target_mean = 0;
  for (std::size_t i = 0; i < p.n; ++i) {
    for (std::size_t j = 0; j < D; ++j) mean[j] += z(i, j) / double(p.n);
    target_mean += p.y[i] / double(p.n);
  }
  TiledSymmetric<double> gram(D, 64);
  Matrix<double> w(D, 1);
  for (std::size_t i = 0; i < p.n; ++i) {
    for (std::size_t j = 0; j < D; ++j) {
      const double zj = z(i, j) - mean[j];
      w(j, 0) += zj * (p.y[i] - target_mean);
      for (std::size_t k = 0; k <= j; ++k) {
        gram.at(j, k) += zj * (z(i, k) - mean[k]);
        if (j / 64 == k / 64 && j != k) gram.block(j / 64, k / 64)(k % 64, j % 64) = gram.at(j, k);
      }
    }
  }
  Threads one(1);
  const Cholesky factor(gram, lambda, one);
  EXPECT_FALSE(factor.failed_column());
  factor.solve(w.view());
  std::vector<double> f(p.n, target_mean);
  for (std::size_t i = 0; i < p.n; ++i)
    for (std::size_t j = 0; j < D; ++j) f[i] += (z(i, j) - mean[j]) * w(j, 0);
  return f;
}

TEST(Mixture, TurnsOfBothPartsReachTheJointRidge) {
  Problem p(600);
  Threads threads(2);
  const MapPtr dense = fourier(2, {.features = 12, .seed = 3});
  const MixtureFit options = few_parts();
  const Fitted fitted = fit(p, options, dense, 2, threads);
  const Matrix<float> f = predict(p, fitted.head);

  GridRows<float> packed;
  RowBlock<float> block;
  block.rows = p.n;
  block.cols = block.stride = 2;
  block.values = p.x.data();
  packed.add(threads, block);
  GridBins occupied = bin_rows<float>(threads, packed, options.bins.binning, {});
  std::vector<std::vector<std::uint64_t>> hashes;
  for (const OccupiedBins& grid : occupied.grids) hashes.push_back(grid.hashes);
  const MapPtr bins = std::make_shared<BinningMap>(2, options.bins.binning, hashes);
  const std::vector<double> joint = solved_at_once(p, dense, bins, options.bins.fit.lambda, 2, 0.5);
  double difference = 0, spread = 0;
  for (std::size_t i = 0; i < p.n; ++i) {
    difference += std::pow(double(f(i, 0)) - joint[i], 2);
    spread += std::pow(joint[i] - p.y[i], 2);
  }
  // Sweeps stop where another one moves the loss by less than a percent.
  EXPECT_LT(std::sqrt(difference / spread), 0.2);
}

TEST(Mixture, HasTheSamePredictionsForAnyThreadCount) {
  Problem p(3000);
  const MapPtr dense = fourier(2, {.features = 30, .seed = 3});
  MixtureFit options = few_parts();
  options.dense_weight.reset();  // chosen too
  options.bins.search_lambda = true;
  options.bins.fit.passes = 4;
  std::optional<Matrix<float>> one;
  for (const int count : {1, 2, 3, 7}) {
    Threads threads(count);
    const Fitted fitted = fit(p, options, dense, count, threads);
    const Matrix<float> f = predict(p, fitted.head);
    if (!one) one = f;
    EXPECT_EQ(*one, f) << count << " threads";
    ASSERT_TRUE(fitted.report.score);
  }
}

TEST(Mixture, FitsWhatEachPartAloneCannot) {
  Problem p(3000);
  Threads threads(2);
  MixtureFit options = few_parts();
  options.dense_weight.reset();
  options.bins.search_lambda = true;
  options.bins.fit.passes = 10;
  const Fitted both = fit(p, options, fourier(2, {.features = 20, .seed = 3}), 2, threads);
  MixtureFit no_bins = options, no_dense = options;
  no_bins.dense_weight = 1e4;
  no_bins.bins_weight = 1e-6;
  no_dense.dense_weight = 1e-6;
  no_dense.bins_weight = 1;
  const double r2 = *both.report.score->r2;
  EXPECT_GT(r2, *fit(p, no_bins, fourier(2, {.features = 20, .seed = 3}), 2, threads).report.score->r2);
  EXPECT_GT(r2, *fit(p, no_dense, fourier(2, {.features = 20, .seed = 3}), 2, threads).report.score->r2);
}

}  // namespace
}  // namespace bochner
