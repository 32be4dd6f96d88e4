// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/drift.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bochner/error.h"
#include "bochner/rows.h"
#include "random/draw.h"

namespace bochner {
namespace {

Matrix<float> rows_of(std::size_t rows, std::size_t cols, std::uint64_t seed, float shift = 0) {
  Matrix<float> x(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) x(i, j) = float(normal(seed, Draw::entry, i, j)) + (j == 0 ? shift : 0);
  return x;
}

Drift drift_of(const Matrix<float>& x, const Matrix<float>& y, const DriftOptions& options = {}) {
  Schema schema;
  schema.inputs = x.cols();
  const auto a = memory_rows<float>(x.view(), {}, schema), b = memory_rows<float>(y.view(), {}, schema);
  return drift(*a, *b, options);
}

DriftOptions quick(std::uint64_t seed = 0) {
  DriftOptions options;
  options.features = 64;
  options.permutations = 99;
  options.seed = seed;
  return options;
}

// The p-value of nothing is uniform: 200 runs of 40 rows and 60, 5 % of which may be at most 0.05.
TEST(Drift, KeepsItsLevel) {
  const std::size_t runs = 200;
  double hits = 0, any = 0;
  for (std::size_t run = 0; run < runs; ++run) {
    const Drift found = drift_of(rows_of(40, 2, 2 * run), rows_of(60, 2, 2 * run + 1), quick(run));
    hits += found.p_value <= 0.05;
    any += std::min(found.columns[0].p_value, found.columns[1].p_value) <= 0.05;
  }
  const double error = std::sqrt(0.05 * 0.95 / double(runs));
  EXPECT_LE(hits / double(runs), 0.05 + 3 * error);
  EXPECT_GE(hits / double(runs), 0.05 - 3 * error);
  EXPECT_LE(any / double(runs), 0.05 + 3 * error);
}

TEST(Drift, FindsWhatMovedAndWhere) {
  const Drift found = drift_of(rows_of(1500, 3, 1), rows_of(900, 3, 2, 0.4f), quick());
  EXPECT_EQ(found.p_value, 0.01);
  EXPECT_GT(found.statistic, 0);
  EXPECT_EQ(found.columns[0].p_value, 0.01);
  EXPECT_GT(found.columns[1].p_value, 0.05);
  EXPECT_GT(found.columns[2].p_value, 0.05);
  EXPECT_NEAR(found.columns[0].mean_new - found.columns[0].mean_reference, 0.4, 0.15);
  EXPECT_EQ(found.rows_reference, 1500u);
  EXPECT_EQ(found.rows_new, 900u);
}

// |mean z - mean z'|^2 and without the rows' own products, against the exact kernel over all pairs.
TEST(Drift, MmdIsThatOfTheKernel) {
  const Matrix<float> x = rows_of(120, 2, 5), y = rows_of(90, 2, 6, 1.0f);
  DriftOptions options = quick();
  options.features = 16384;
  options.bandwidths = {1};
  const Drift found = drift_of(x, y, options);
  // Inputs are scaled by their own deviation; both columns' are near 1, so the scale is recovered from the edges of it.
  double low = 1e300, high = -1e300;
  for (const double scale : {0.9, 1.0, 1.1, 1.2}) {
    double sum[3] = {};
    const auto k = [&](const Matrix<float>& a, std::size_t i, const Matrix<float>& b, std::size_t j) {
      double s = 0;
      for (std::size_t c = 0; c < 2; ++c) s += std::pow(double(a(i, c)) - double(b(j, c)), 2);
      return std::exp(-s / (2 * std::pow(scale * found.scales[0].bandwidth, 2)));
    };
    for (std::size_t i = 0; i < 120; ++i)
      for (std::size_t j = 0; j < 120; ++j) sum[0] += i == j ? 0 : k(x, i, x, j) / (120 * 119);
    for (std::size_t i = 0; i < 90; ++i)
      for (std::size_t j = 0; j < 90; ++j) sum[1] += i == j ? 0 : k(y, i, y, j) / (90 * 89);
    for (std::size_t i = 0; i < 120; ++i)
      for (std::size_t j = 0; j < 90; ++j) sum[2] += k(x, i, y, j) / (120 * 90);
    low = std::min(low, sum[0] + sum[1] - 2 * sum[2]);
    high = std::max(high, sum[0] + sum[1] - 2 * sum[2]);
  }
  EXPECT_GT(found.scales[0].mmd2_unbiased, low - 0.01);
  EXPECT_LT(found.scales[0].mmd2_unbiased, high + 0.01);
  EXPECT_GT(found.scales[0].mmd2, found.scales[0].mmd2_unbiased);
}

TEST(Drift, IsTheSameForAnyThreadsAndBlocks) {
  const Matrix<float> x = rows_of(5000, 3, 1), y = rows_of(3000, 3, 2, 0.05f);
  DriftOptions options = quick();
  options.execution.threads = 1;
  const std::string one = json_text(drift_of(x, y, options));
  options.execution.threads = 3;
  options.execution.block_rows = 1024;
  EXPECT_EQ(json_text(drift_of(x, y, options)), one);
}

TEST(Drift, ConstantColumnsAndEqualRowsHaveNoChange) {
  Matrix<float> x(50, 2), y(30, 2);
  for (std::size_t i = 0; i < 50; ++i) x(i, 0) = 7;
  for (std::size_t i = 0; i < 30; ++i) y(i, 0) = 7;
  const Drift same = drift_of(x, y, quick());
  EXPECT_EQ(same.p_value, 1);
  EXPECT_EQ(same.columns[0].p_value, 1);
  for (std::size_t i = 0; i < 30; ++i) y(i, 0) = 8;  // constant in each, but not the same
  const Drift other = drift_of(x, y, quick());
  EXPECT_EQ(other.p_value, 0.01);
  EXPECT_EQ(other.columns[0].p_value, 0.01);
  EXPECT_EQ(other.columns[1].p_value, 1);
}

TEST(Drift, VeryUnequalSamplesWork) {
  EXPECT_GT(drift_of(rows_of(20000, 2, 1), rows_of(30, 2, 2), quick()).p_value, 0.01);
  EXPECT_EQ(drift_of(rows_of(20000, 2, 1), rows_of(30, 2, 2, 2.0f), quick()).p_value, 0.01);
}

TEST(Drift, RefusesWhatIsNoSample) {
  EXPECT_THROW(drift_of(rows_of(1, 2, 1), rows_of(5, 2, 2)), Error);
  Matrix<float> bad = rows_of(5, 2, 1);
  bad(3, 1) = std::nanf("");
  EXPECT_THROW(drift_of(rows_of(5, 2, 1), bad), Error);
  DriftOptions none = quick();
  none.bandwidths = {};
  EXPECT_THROW(drift_of(rows_of(5, 2, 1), rows_of(5, 2, 2), none), std::invalid_argument);
  EXPECT_THROW(drift_of(rows_of(5, 2, 1), rows_of(5, 3, 2)), std::invalid_argument);
}

TEST(Drift, PageEscapesNamesAndLoadsNothing) {
  Drift found = drift_of(rows_of(50, 2, 1), rows_of(50, 2, 2), quick());
  found.columns[0].name = "<script>alert(1)</script>";
  const std::string page = html_page(found, "a & b");
  EXPECT_EQ(page.find("<script"), page.npos);
  EXPECT_EQ(page.find("http://"), page.npos);
  EXPECT_NE(page.find("a &amp; b"), page.npos);
}

}  // namespace
}  // namespace bochner
