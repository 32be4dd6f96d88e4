// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// What every row of the table of kernels must keep: a kernel that is added is tested here without a word more.

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "bochner/kernel_family.h"
#include "kernels/law.h"

namespace bochner {
namespace {

using Law = KernelFamily::Law;

// A row from outside: in each input a mixture of a laplacian and a gaussian, neither radial nor of any shape.
constexpr KernelParameter kLift[] = {{"lift", 0.25, 0, 1}};
const KernelFamily kTent = {
    .name = "tent",
    .alias = "toy",
    .parameters = kLift,
    .value =
        [](const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
          double product = 1;
          for (std::size_t j = 0; j < x.size(); ++j) {
            const double r = std::fabs(x[j] - y[j]) / kernel.length_scale(j);
            product *= (1 - kernel.parameter(0)) * std::exp(-r) + kernel.parameter(0) * std::exp(-0.5 * r * r);
          }
          return product;
        },
    // omega_j is Cauchy or normal, by a coin.
    .draw =
        [](const Kernel& kernel, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
          draw_normals(seed, index, omega);
          for (std::size_t j = 0; j < omega.size(); ++j)
            if (draw_uniform(seed, index, j) > kernel.parameter(0))
              omega[j] = std::tan(3.14159265358979324 * (draw_uniform(seed, index, 1000 + j) - 0.5));
        },
    .law = Law::any,
    .norm = KernelFamily::Norm::l1,
};

template <class Row>
concept Registered = requires(Row&& row) {
  register_kernel(std::forward<Row>(row));
};
static_assert(Registered<const KernelFamily&> && Registered<KernelFamily&>);
static_assert(!Registered<KernelFamily> && !Registered<const KernelFamily>);  // a row must outlive its registration

class Table : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { register_kernel(kTent); }
};

TEST_F(Table, HoldsTheKernelsOfTheLibraryAndThoseRegistered) {
  EXPECT_EQ(kernel_names(),
            "gaussian, laplacian, cauchy, matern[:nu=1.5], rational-quadratic[:alpha=1], laplacian2, "
            "stable[:p=1.5,q=1], tent[:lift=0.25]");
  for (const KernelFamily* row : kernel_families()) {
    EXPECT_EQ(&*parse_kernel(row->name).family, row);
    EXPECT_EQ(parse_kernel(row->name), Kernel{.family = *row}) << row->name;
  }
  EXPECT_EQ(parse_kernel("toy:lift=0.5,sigma=3"), (Kernel{.family = kTent, .length_scales = {3}, .parameters = {0.5}}));
  EXPECT_EQ(kernel_name(Kernel{.family = kTent}), "tent:lift=0.25");
  EXPECT_THROW(parse_kernel("tent:lift=2"), std::invalid_argument);
  EXPECT_THROW(parse_kernel("tent:gamma=2"), std::invalid_argument);
}

// Bochner's theorem: k(D) = E cos(omega.D). 40,000 frequencies, 4.5 standard errors.
TEST_F(Table, LawsAreTheFourierTransformsOfTheirKernels) {
  const std::vector<double> x = {0.4, -0.7, 0.2}, zero = {0, 0, 0};
  constexpr int kDraws = 40000;
  for (const KernelFamily* row : kernel_families()) {
    if (row->law == Law::none) continue;
    const Kernel kernel{.family = *row};
    double sum = 0, squares = 0;
    std::vector<double> omega(3);
    for (int i = 0; i < kDraws; ++i) {
      draw_frequency(kernel, 5, std::uint64_t(i), omega);
      const double c = std::cos(omega[0] * x[0] + omega[1] * x[1] + omega[2] * x[2]);
      sum += c, squares += c * c;
    }
    const double mean = sum / kDraws, error = std::sqrt((squares / kDraws - mean * mean) / kDraws);
    EXPECT_NEAR(mean, kernel_value(kernel, x, zero), 4.5 * error) << row->name;
  }
}

// A kernel of a radial law is a function of |D|_2, and one of another law is not.
TEST_F(Table, RadialRowsAndOnlyTheyDependOnTheDistance) {
  const std::vector<double> along = {1.3, 0, 0}, turned = {1.3 * 0.6, 0, 1.3 * -0.8}, zero = {0, 0, 0};
  for (const KernelFamily* row : kernel_families()) {
    const Kernel kernel{.family = *row};
    const double difference = std::fabs(kernel_value(kernel, along, zero) - kernel_value(kernel, turned, zero));
    if (row->law == Law::radial)
      EXPECT_LT(difference, 1e-12) << row->name;
    else
      EXPECT_GT(difference, 1e-3) << row->name;
    EXPECT_EQ(has_radial_law(kernel), row->law == Law::radial);
  }
}

TEST_F(Table, SecondMomentsAreTheCurvatureAtZero) {
  const double h = 1e-4;
  for (const KernelFamily* row : kernel_families()) {
    const Kernel kernel{.family = *row};
    const std::vector<double> x = {h}, zero = {0};
    const double curvature = 2 * (1 - kernel_value(kernel, x, zero)) / (h * h);
    const double moment = frequency_second_moment(kernel, 1);
    if (std::isfinite(moment))
      EXPECT_NEAR(curvature / moment, 1, 1e-3) << row->name;  // matern 1.5: next term of order h
    else
      EXPECT_GT(curvature, 1e3) << row->name;
  }
}

TEST_F(Table, RefusesRowsThatMakeNoSense) {
  const auto message = [](const KernelFamily& row) -> std::string {
    try {
      register_kernel(row);
    } catch (const std::invalid_argument& wrong) {
      return wrong.what();
    }
    return "accepted";
  };
  KernelFamily row = kTent;
  EXPECT_EQ(message(row), "kernel 'tent': there is a kernel of that name or alias already, expected another");
  row.name = "other";
  EXPECT_NE(message(row).find("alias"), std::string::npos);
  row.alias = nullptr;
  const auto refused = [&](auto change, const std::string& words) {
    KernelFamily wrong = row;
    change(wrong);
    const std::string said = message(wrong);
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  refused([](KernelFamily& r) { r.name = "a:b"; }, "a name of letters");
  refused([](KernelFamily& r) { r.name = ""; }, "a name of letters");
  refused([](KernelFamily& r) { r.name = "rbf"; }, "already");
  refused([](KernelFamily& r) { r.value = nullptr; }, "expected value");
  refused([](KernelFamily& r) { r.draw = nullptr; }, "draw and law, or neither");
  refused([](KernelFamily& r) { r.law = Law::none; }, "draw and law, or neither");
  static constexpr KernelParameter kTaken[] = {{"sigma", 1, 0, 2}}, kOutside[] = {{"a", 3, 0, 2}};
  refused([](KernelFamily& r) { r.parameters = kTaken; }, "names of their own");
  refused([](KernelFamily& r) { r.parameters = kOutside; }, "a within 0 to 2");
  refused([](KernelFamily& r) { r.value = [](auto&, auto, auto) { return 2.0; }; }, "k(0) = 1, found 2");
  EXPECT_EQ(kernel_names().find("other"), std::string::npos);
}

TEST_F(Table, WithoutALawThereAreNoFourierFeatures) {
  KernelFamily row = kTent;
  row.draw = nullptr;
  row.law = Law::none;
  const Kernel kernel{.family = row};
  std::vector<double> omega(2);
  EXPECT_THROW(draw_frequency(kernel, 1, 0, omega), std::invalid_argument);
  EXPECT_THROW(draw_orthogonal_frequencies(kernel, 1, 1, 2, omega), std::invalid_argument);
  EXPECT_LT(kernel_value(kernel, std::vector<double>{1}, std::vector<double>{0}), 1);
}

}  // namespace
}  // namespace bochner
