// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/histograms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "backend/problems.h"

namespace bochner {
namespace {

template <class T>
class SampledSignatures : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SampledSignatures, Numbers);

TYPED_TEST(SampledSignatures, AreThoseOfPlainLoopsAndTheSameOnEveryTarget) {
  using T = TypeParam;
  constexpr std::size_t kRows = 3;
  const double turns = 0.4 / (2 * std::numbers::pi);
  for (const std::size_t inputs : {1, 15, 16, 37})
    for (const std::size_t steps : {1, 2, 5}) {
      std::vector<T> x = testing::numbers<T>(kRows * inputs, 1, 100), roots = testing::numbers<T>(steps, 2);
      x[0] = std::numeric_limits<T>::denorm_min();  // counts as 0
      const std::size_t features = (2 * steps - 1) * inputs;
      std::vector<T> before;
      testing::for_each_target([&](const std::string& target) {
        std::vector<T> z(kRows * features, T(7));
        sample_signatures<T>({x.data(), kRows, inputs, inputs}, roots, T(turns), {z.data(), kRows, features, features});
        for (std::size_t i = 0; i < kRows; ++i)
          for (std::size_t j = 0; j < inputs; ++j) {
            const double value = double(x[i * inputs + j]);
            const double root = value < double(std::numeric_limits<T>::min()) ? 0 : std::sqrt(value);
            for (std::size_t m = 0; m < 2 * steps - 1; ++m) {
              const double angle = root > 0 ? double((m + 1) / 2) * 0.4 * std::log(value) : 0;
              const double wave = m % 2 || m == 0 ? std::cos(angle) : std::sin(angle);
              ASSERT_NEAR(z[i * features + m * inputs + j], root * double(roots[(m + 1) / 2]) * wave,
                          50 * std::numeric_limits<T>::epsilon() * (1 + root))
                  << target << " input " << j << " sample " << m;
            }
          }
        if (!testing::fuses(target)) return;
        if (!before.empty()) {
          EXPECT_EQ(z, before) << target;
        }
        before = z;
      });
    }
}

}  // namespace
}  // namespace bochner
