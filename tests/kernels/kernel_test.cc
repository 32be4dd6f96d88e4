// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "kernels/law.h"

namespace bochner {
namespace {

const std::vector<Kernel> kAll = {gaussian(),  laplacian(), cauchy(),  matern(0.5),           matern(1.5),
                                  matern(2.5), matern(1.2), matern(7), rational_quadratic(2), rational_quadratic(0.5),
                                  laplacian2()};

std::string message_of(const std::string& text) {
  try {
    parse_kernel(text);
  } catch (const std::invalid_argument& wrong) {
    return wrong.what();
  }
  return "accepted";
}

TEST(Kernel, ValuesMatchTheirFormulas) {
  const std::vector<double> x = {1, -2, 0.5}, y = {0, -1, 2.5};  // differences 1, -1, -2
  const double s = 1.5, squared = 6 / (s * s), absolute = 4 / s;
  EXPECT_DOUBLE_EQ(kernel_value(gaussian(s), x, y), std::exp(-squared / 2));
  EXPECT_DOUBLE_EQ(kernel_value(laplacian(s), x, y), std::exp(-absolute));
  EXPECT_DOUBLE_EQ(kernel_value(cauchy(s), x, y), 1 / ((1 + 1 / (s * s)) * (1 + 1 / (s * s)) * (1 + 4 / (s * s))));
  EXPECT_DOUBLE_EQ(kernel_value(rational_quadratic(2, s), x, y), std::pow(1 + squared / 4, -2));
  EXPECT_DOUBLE_EQ(kernel_value(laplacian2(s), x, y), std::exp(-std::sqrt(squared)));
  const double r = std::sqrt(squared);
  EXPECT_DOUBLE_EQ(kernel_value(matern(0.5, s), x, y), std::exp(-r));
  EXPECT_DOUBLE_EQ(kernel_value(matern(1.5, s), x, y), (1 + std::sqrt(3) * r) * std::exp(-std::sqrt(3) * r));
  // scikit-learn: Matern(length_scale=1.5, nu=1.2) and nu=7 at the same points.
  EXPECT_NEAR(kernel_value(matern(1.2, s), x, y), 0.22126692591582692, 1e-13);
  EXPECT_NEAR(kernel_value(matern(7, s), x, y), 0.25027327703595936, 1e-13);
}

TEST(Kernel, MaternForAnyNuMeetsTheClosedForms) {
  for (double r : {1e-9, 1e-3, 0.1, 1.0, 5.0, 30.0}) {
    const std::vector<double> x = {r}, y = {0};
    for (double nu : {0.5, 1.5, 2.5}) {
      const double closed = kernel_value(matern(nu), x, y);
      EXPECT_NEAR(kernel_value(matern(nu * (1 + 1e-12)), x, y), closed, 1e-9 * closed) << nu << " at " << r;
    }
  }
}

TEST(Kernel, IsOneAtZeroFallsWithDistanceAndNeverBreaks) {
  const std::vector<double> zero = {0, 0};
  for (const Kernel& kernel : kAll) {
    EXPECT_EQ(kernel_value(kernel, zero, zero), 1) << kernel_name(kernel);
    double before = 1;
    for (double r = 1e-12; r < 1e12; r *= 3) {
      const std::vector<double> x = {r, -r};
      const double value = kernel_value(kernel, x, zero);
      EXPECT_GE(value, 0) << kernel_name(kernel) << " at " << r;
      EXPECT_LE(value, before + 1e-12) << kernel_name(kernel) << " at " << r;
      before = value;
    }
    EXPECT_LT(before, 1e-9) << kernel_name(kernel);
  }
  // Where the Bessel function overflows: large nu, small distance.
  const std::vector<double> near = {1e-6, 0};
  EXPECT_NEAR(kernel_value(matern(50), near, zero), 1, 1e-11);
}

TEST(Kernel, LengthScalesDivideTheirInputs) {
  Kernel kernel = gaussian();
  kernel.length_scales = {0.5, 4};
  const std::vector<double> x = {1, 2}, y = {0, 0}, scaled = {2, 0.5};
  EXPECT_DOUBLE_EQ(kernel_value(kernel, x, y), kernel_value(gaussian(), scaled, y));

  std::vector<double> unit(2), stretched(2);
  for (const Kernel& base : kAll) {
    Kernel with = base;
    with.length_scales = {0.5, 4};
    draw_frequency(base, 7, 11, unit);
    draw_frequency(with, 7, 11, stretched);
    EXPECT_EQ(stretched[0], unit[0] / 0.5);
    EXPECT_EQ(stretched[1], unit[1] / 4);
  }
}

TEST(Kernel, SecondMomentsAreMinusTheTraceOfTheHessian) {
  EXPECT_DOUBLE_EQ(frequency_second_moment(gaussian(2), 3), 3.0 / 4);
  EXPECT_EQ(frequency_second_moment(laplacian(), 3), std::numeric_limits<double>::infinity());
  EXPECT_EQ(frequency_second_moment(matern(1), 3), std::numeric_limits<double>::infinity());
  for (const Kernel& kernel :
       {gaussian(0.7), cauchy(0.7), matern(2.5, 0.7), matern(7, 0.7), rational_quadratic(2, 0.7)}) {
    const double h = 1e-3;
    const std::vector<double> x = {h, 0}, zero = {0, 0};
    const double curvature = 2 * (1 - kernel_value(kernel, x, zero)) / (h * h);
    EXPECT_NEAR(frequency_second_moment(kernel, 2) / (2 * curvature), 1, 1e-4) << kernel_name(kernel);
  }
}

TEST(Kernel, NamesReadBackToTheSameKernel) {
  for (const Kernel& kernel : kAll) EXPECT_EQ(parse_kernel(kernel_name(kernel)), kernel) << kernel_name(kernel);
  EXPECT_EQ(parse_kernel("rbf"), gaussian());
  EXPECT_EQ(parse_kernel("matern:nu=2.5,sigma=3"), matern(2.5, 3));
  EXPECT_EQ(parse_kernel("gaussian:gamma=0.125"), gaussian(2));
  EXPECT_EQ(parse_kernel("laplacian:gamma=0.25"), laplacian(4));
}

TEST(Kernel, WrongTextSaysWhatIsExpected) {
  EXPECT_EQ(message_of("gausian"),
            "kernel 'gausian': expected one of gaussian, laplacian, cauchy, matern, rational-quadratic, laplacian2, "
            "stable, rbf; "
            "did you mean 'gaussian'?");
  EXPECT_EQ(message_of("polynomial").find("did you mean"), std::string::npos);
  EXPECT_EQ(message_of("matern:mu=2"), "kernel 'matern:mu=2': no parameter 'mu', expected nu or sigma");
  EXPECT_EQ(message_of("matern:nu"), "kernel 'matern:nu': found 'nu', expected key=value");
  EXPECT_EQ(message_of("matern:nu=abc"), "kernel 'matern:nu=abc': nu is 'abc', expected a number");
  for (const char* text :
       {"", ":", "gaussian:", "matern:nu=", "matern:nu=-1", "matern:nu=nan", "matern:nu=1e9", "gaussian:sigma=0",
        "gaussian:sigma=inf", "gaussian:nu=1", "cauchy:gamma=1", "rational-quadratic:alpha=0", "gaussian:gamma=-1"})
    EXPECT_NE(message_of(text), "accepted") << text;
  EXPECT_THROW(gaussian(-1), std::invalid_argument);
}

TEST(Kernel, WrongNumberOfLengthScalesIsRefused) {
  Kernel kernel = gaussian();
  kernel.length_scales = {1, 2};
  const std::vector<double> x = {1, 2, 3};
  EXPECT_THROW(kernel_value(kernel, x, x), std::invalid_argument);
  kernel.length_scales = {};
  EXPECT_THROW(kernel_value(kernel, x, x), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
