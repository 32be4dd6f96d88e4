// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/bounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace bochner {
namespace {

constexpr auto cossin = FourierOptions::Form::cossin;
constexpr auto shifted = FourierOptions::Form::shifted;

TEST(Bounds, PointwiseFeaturesMatchTheFormulas) {
  // 2 ln(2 / 0.01) / 0.1^2 = 1059.66 frequencies, two outputs each; 4 ln(200) / 0.01 = 2119.3.
  EXPECT_EQ(fourier_features_pointwise(cossin, 0.1, 0.01), 2120u);
  EXPECT_EQ(fourier_features_pointwise(shifted, 0.1, 0.01), 2120u);
  EXPECT_EQ(binning_grids_pointwise(0.1, 0.01), 265u);  // ln(200) / 0.02 = 264.9
}

// F = 4 (d + 2) / eps^2 ln(2^8 (sigma_p l / eps)^2 / delta) with sigma_p^2 = d / sigma^2.
TEST(Bounds, UniformFeaturesMatchTheFormulas) {
  const double size = std::sqrt(3.0) / 2 * 5;
  const double need = 4 * 5 / 0.01 * std::log(256 * size * size / 0.01 / 0.05);
  EXPECT_EQ(fourier_features_uniform(cossin, gaussian(2), 3, 5, 0.1, 0.05), 2 * std::size_t(std::ceil(need)));
  EXPECT_EQ(fourier_features_uniform(shifted, gaussian(2), 3, 5, 0.1, 0.05),
            std::size_t(std::ceil(need * 16 * 4 / (4 * 5))));
}

TEST(Bounds, EpsilonAndFeaturesAreInverse) {
  for (const auto form : {cossin, shifted})
    for (double epsilon : {0.02, 0.1, 0.5}) {
      const std::size_t D = fourier_features_pointwise(form, epsilon, 0.05);
      EXPECT_LE(fourier_epsilon_pointwise(form, D, 0.05), epsilon);
      EXPECT_GT(fourier_epsilon_pointwise(form, D - 2, 0.05), epsilon);
      const std::size_t U = fourier_features_uniform(form, matern(2.5), 4, 3, epsilon, 0.05);
      EXPECT_LE(fourier_epsilon_uniform(form, matern(2.5), 4, 3, U, 0.05), epsilon * (1 + 1e-12));
      EXPECT_GT(fourier_epsilon_uniform(form, matern(2.5), 4, 3, U - 2, 0.05), epsilon);
      const std::size_t P = binning_grids_pointwise(epsilon, 0.05);
      EXPECT_LE(binning_epsilon_pointwise(P, 0.05), epsilon);
      if (P > 1) {
        EXPECT_GT(binning_epsilon_pointwise(P - 1, 0.05), epsilon);
      }
      const std::size_t G = binning_grids_uniform(laplacian(2), 4, 3, epsilon, 0.05);
      EXPECT_LE(binning_epsilon_uniform(laplacian(2), 4, 3, G, 0.05), epsilon * (1 + 1e-12));
      EXPECT_GT(binning_epsilon_uniform(laplacian(2), 4, 3, G - 1, 0.05), epsilon);
    }
}

TEST(Bounds, UniformBoundsDependOnDiameterOverSigmaOnly) {
  EXPECT_EQ(fourier_features_uniform(cossin, gaussian(1), 3, 2, 0.1, 0.05),
            fourier_features_uniform(cossin, gaussian(8), 3, 16, 0.1, 0.05));
  EXPECT_GT(fourier_features_uniform(cossin, gaussian(1), 3, 4, 0.1, 0.05),
            fourier_features_uniform(cossin, gaussian(1), 3, 2, 0.1, 0.05));
}

TEST(Bounds, ProjectionUsesTheNaturalLogarithm) {
  EXPECT_EQ(projection_dimension(100000000, 0.1), 15789u);
  EXPECT_EQ(projection_dimension(1000000, 0.5), 663u);  // scikit-learn's documented values
  EXPECT_EQ(projection_dimension(1000000, 0.1), 11841u);
  EXPECT_NEAR(projection_epsilon(1000000, 11841), 0.1, 1e-5);
  EXPECT_EQ(projection_epsilon(1000000, 300), std::numeric_limits<double>::infinity());
}

TEST(Bounds, NonsenseIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (double epsilon : {0.0, -0.1, nan, 2.0}) {
    EXPECT_THROW(fourier_features_pointwise(cossin, epsilon, 0.1), std::invalid_argument);
    EXPECT_THROW(fourier_features_uniform(cossin, gaussian(), 2, 1, epsilon, 0.1), std::invalid_argument);
    EXPECT_THROW(binning_grids_uniform(laplacian(), 2, 1, epsilon, 0.1), std::invalid_argument);
    EXPECT_THROW(projection_dimension(100, epsilon), std::invalid_argument);
  }
  for (double delta : {0.0, 1.0, -1.0, nan}) {
    EXPECT_THROW(fourier_features_pointwise(cossin, 0.1, delta), std::invalid_argument);
    EXPECT_THROW(fourier_epsilon_pointwise(cossin, 100, delta), std::invalid_argument);
    EXPECT_THROW(binning_epsilon_pointwise(100, delta), std::invalid_argument);
  }
  EXPECT_THROW(projection_dimension(100, 1.0), std::invalid_argument);
  EXPECT_THROW(projection_dimension(1, 0.1), std::invalid_argument);
  EXPECT_THROW(projection_epsilon(100, 0), std::invalid_argument);
  EXPECT_THROW(fourier_epsilon_pointwise(cossin, 101, 0.1), std::invalid_argument);
  EXPECT_THROW(fourier_epsilon_pointwise(shifted, 0, 0.1), std::invalid_argument);
  EXPECT_THROW(fourier_features_uniform(cossin, laplacian(), 2, 1, 0.1, 0.1), std::invalid_argument);
  EXPECT_THROW(fourier_features_uniform(cossin, gaussian(), 2, -1, 0.1, 0.1), std::invalid_argument);
  EXPECT_THROW(fourier_features_uniform(cossin, gaussian(), 0, 1, 0.1, 0.1), std::invalid_argument);
  EXPECT_THROW(binning_grids_uniform(gaussian(), 2, 1, 0.1, 0.1), std::invalid_argument);
  EXPECT_THROW(fourier_features_pointwise(cossin, 1e-9, 0.1), std::invalid_argument);
  EXPECT_THROW(binning_grids_uniform(laplacian(), 2, 1, 1e-9, 0.1), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
