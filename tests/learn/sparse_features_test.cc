// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/sparse_features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bochner/transform.h"

namespace bochner {
namespace {

Matrix<double> sample(std::size_t rows, std::size_t cols) {
  Matrix<double> x(rows, cols);
  std::mt19937 draws(1);
  std::normal_distribution<double> normal;
  for (std::size_t k = 0; k < rows * cols; ++k) x.data()[k] = normal(draws);
  return x;
}

std::unique_ptr<Rows> rows_over(const Matrix<double>& x) {
  Schema schema;
  schema.inputs = x.cols();
  return memory_rows<double>(x.view(), {}, schema);
}

TEST(SparseFeatures, InnerProductsOfBinsAreAboutTheirKernel) {
  const Matrix<double> x = sample(40, 3);
  BinningOptions options;
  options.length_scales = {2.0};
  options.grids = 2000;
  const auto rows = rows_over(x);
  const MapPtr map = binning<double>(*rows, options);
  rows->rewind();
  const Matrix<double> z = transform<double>(map, *rows);
  for (std::size_t i = 0; i < 40; i += 7)
    for (std::size_t k = 0; k < 40; k += 3) {
      double product = 0;
      for (std::size_t j = 0; j < z.cols(); ++j) product += z(i, j) * z(k, j);
      const double p = binning_kernel(options, {&x(i, 0), 3}, {&x(k, 0), 3});
      EXPECT_NEAR(product, p, 4.5 * std::sqrt(p * (1 - p) / 2000) + 1e-9);
    }
}

TEST(SparseFeatures, CsrAndDenseAreTheSameNumbersForAnyThreads) {
  const Matrix<double> x = sample(3000, 4);
  const auto rows = rows_over(x);
  BinningOptions options;
  options.grids = 9;
  const MapPtr map = binning(*rows, options, {.threads = 1});
  rows->rewind();
  EXPECT_EQ(binning(*rows, options, {.threads = 3})->outputs(), map->outputs());
  rows->rewind();
  const Matrix<float> dense = transform<float>(map, *rows);
  for (const int threads : {1, 2, 3}) {
    rows->rewind();
    const SparseRows<float> z = transform_sparse<float>(map, *rows, {.threads = threads, .block_rows = 1024});
    ASSERT_EQ(z.rows(), 3000u);
    Matrix<float> written(z.rows(), map->outputs());
    z.write(written.view());
    EXPECT_EQ(written, dense);
  }
}

TEST(SparseFeatures, AMapOfDenseFeaturesIsRefused) {
  const Matrix<double> x = sample(10, 2);
  EXPECT_THROW(transform_sparse<float>(fourier(2, {.features = 8}), *rows_over(x)), std::invalid_argument);
  EXPECT_THROW(transform_sparse<float>(nullptr, *rows_over(x)), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
