// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "folds/count_sketch.h"

#include <gtest/gtest.h>

#include "folds/kept_problem.h"

namespace bochner {
namespace {

using testing::KeptProblem;

Matrix<float> sketch(const KeptProblem& p, std::size_t buckets, std::size_t first, std::size_t count, int threads,
                     std::size_t block, bool weighted, std::uint64_t seed, const std::vector<double>& mean) {
  Threads team(threads);
  const CountSketch::Places places({cpu_backend(), team}, p.kept.rows, buckets, seed, threads % 2 == 0);
  CountSketch fold(p.kept, places, weighted ? std::span(p.weights) : std::span<const double>(), first, count);
  std::vector<std::size_t> number(p.kept.rows);
  std::vector<const std::int16_t*> z(p.kept.rows);
  for (std::size_t i = 0; i < p.kept.rows; ++i) {
    number[i] = i;
    z[i] = p.q.data() + i * p.kept.width;
  }
  for (std::size_t begin = 0; begin < p.kept.rows; begin += block) {
    const std::size_t rows = std::min(block, p.kept.rows - begin);
    const StoredRows<std::int16_t> some{std::span(number).subspan(begin, rows), std::span(z).subspan(begin, rows)};
    fold.add({cpu_backend(), team}, std::span(&some, 1));
  }
  const MatrixView<const float> b = fold.about({cpu_backend(), team}, mean);
  Matrix<float> copy(b.rows, b.cols);
  std::copy_n(b.data, b.rows * b.cols, copy.data());
  return copy;
}

// A bucket for each row gives the rows themselves, times the roots of their weights, and the ones behind them.
TEST(CountSketch, OfAsManyBucketsIsTheRows) {
  const KeptProblem p(40, 64);
  Threads team(2);
  const std::vector<std::size_t> chosen = {3, 7, 20};
  const CountSketch::Places places(p.kept.rows, chosen);
  CountSketch fold(p.kept, places, p.weights, 0, 3, true);
  std::vector<const std::int16_t*> z;
  for (const std::size_t i : chosen) z.push_back(p.q.data() + i * p.kept.width);
  const StoredRows<std::int16_t> some{chosen, z};
  fold.add({cpu_backend(), team}, std::span(&some, 1));
  const MatrixView<const float> b = fold.about({cpu_backend(), team}, {});
  ASSERT_EQ(b.rows, 3u);
  for (std::size_t r = 0; r < 3; ++r) {
    const double root = std::sqrt(p.weights[chosen[r]]);
    for (std::size_t j = 0; j < 64; ++j) EXPECT_NEAR(b(r, j), root * p.z(chosen[r], j), 1e-5);
    EXPECT_NEAR(b(r, 64), root, 1e-6);
  }
}

TEST(CountSketch, IsTheSameToTheBitForAnyThreadsBlocksAndRanges) {
  const KeptProblem p(6000, 70);
  const std::vector<double> mean(70, 0.2);
  for (const bool weighted : {false, true}) {
    const Matrix<float> all = sketch(p, 100, 0, 100, 1, 6000, weighted, 1, mean);
    for (const int threads : {2, 3, 7}) EXPECT_EQ(all, sketch(p, 100, 0, 100, threads, 1024, weighted, 1, mean));
    const Matrix<float> part = sketch(p, 100, 30, 40, 2, 2048, weighted, 1, mean);
    for (std::size_t b = 0; b < 40; ++b)
      for (std::size_t j = 0; j < part.cols(); ++j) EXPECT_EQ(part(b, j), all(b + 30, j));
  }
}

// E[B^T B] = Z^T W Z about the mean, and |B v|^2 has the variance 2 / s (|Zv|^4 - sum (Zv)_i^4).
TEST(CountSketch, NormsAreUnbiasedWithTheKnownVariance) {
  const std::size_t n = 1200, D = 40, buckets = 50, seeds = 400;
  const KeptProblem p(n, D);
  const std::vector<double> mean(D, 0.1);
  double square = 0, fourth = 0;
  std::vector<double> v(D);
  for (std::size_t j = 0; j < D; ++j) v[j] = normal(9, Draw::frequency, j);
  for (std::size_t i = 0; i < n; ++i) {
    double u = 0;
    for (std::size_t j = 0; j < D; ++j) u += (p.z(i, j) - mean[j]) * v[j];
    u *= u * p.weights[i];
    square += u;
    fourth += u * u;
  }
  const double variance = 2.0 / double(buckets) * (square * square - fourth);
  double sum = 0, squares = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Matrix<float> b = sketch(p, buckets, 0, buckets, 2, n, true, seed, mean);
    double norm = 0;
    for (std::size_t r = 0; r < buckets; ++r) {
      double u = 0;
      for (std::size_t j = 0; j < D; ++j) u += double(b(r, j)) * v[j];
      norm += u * u;
    }
    sum += norm - square;
    squares += (norm - square) * (norm - square);
  }
  // The mean of `seeds` draws, and their variance (that of a chi-square of 50 degrees: kurtosis 3.24), at 4 sigma.
  EXPECT_NEAR(sum / double(seeds), 0, 4 * std::sqrt(variance / double(seeds)));
  EXPECT_NEAR(squares / double(seeds) / variance, 1, 4 * std::sqrt(2.3 / double(seeds)));
}

}  // namespace
}  // namespace bochner
