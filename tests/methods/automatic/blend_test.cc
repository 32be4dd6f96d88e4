// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/blend.h"

#include <gtest/gtest.h>

namespace bochner {
namespace {

Matrix<double> matrix(std::size_t n, std::initializer_list<double> values) {
  Matrix<double> m(n, n);
  std::copy(values.begin(), values.end(), m.data());
  return m;
}

TEST(Blend, IsTheNonNegativeLeastSquaresSolution) {
  const std::vector<double> inside = blend_weights(matrix(2, {2, 1, 1, 2}), std::vector<double>{1.5, 1.5});
  EXPECT_NEAR(inside[0], 0.5, 1e-9);
  EXPECT_NEAR(inside[1], 0.5, 1e-9);
  // Unbounded it would be (2, -1): the second stays out, the first stands alone.
  const std::vector<double> edge = blend_weights(matrix(2, {2, 1, 1, 2}), std::vector<double>{3, 0});
  EXPECT_NEAR(edge[0], 1.5, 1e-9);
  EXPECT_EQ(edge[1], 0);
}

TEST(Blend, DropsWhatDoesNotPay) {
  EXPECT_EQ(blend_weights(matrix(2, {1, 0, 0, 1}), std::vector<double>{-1, 0.01}), (std::vector<double>{0, 0}));
  EXPECT_EQ(blend_weights(matrix(2, {0, 0, 0, 1}), std::vector<double>{0, 1}), (std::vector<double>{0, 1}));
  // Predictions that vary next to nothing beside those of use.
  EXPECT_EQ(blend_weights(matrix(2, {1e-4, 0, 0, 1}), std::vector<double>{1e-4, 1}), (std::vector<double>{0, 1}));
  // A candidate that exploded does not make the others look as if they varied next to nothing.
  EXPECT_EQ(blend_weights(matrix(2, {1, 0, 0, 1e6}), std::vector<double>{0.5, 10}), (std::vector<double>{0.5, 0}));
}

}  // namespace
}  // namespace bochner
