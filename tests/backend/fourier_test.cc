// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "backend/problems.h"

namespace bochner {
namespace {

using testing::Block;
using testing::for_each_target;
using testing::fourier;
using testing::weights;

template <class T>
class Fourier : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Fourier, Numbers);

// One input of weight one turn: the angle of a row is its value, exactly.
template <class T>
FourierWeights<T> one_turn(bool shifted) {
  FourierWeights<T> w;
  w.inputs = w.frequencies = 1;
  w.scale = w.largest = 1;
  w.panels.assign(w.kPanel, T(0));
  w.panels[0] = 1;
  if (shifted) w.phase.assign(w.kPanel, T(0));
  return w;
}

template <class T>
RowBlock<T> column(const std::vector<T>& values) {
  RowBlock<T> x;
  x.rows = values.size();
  x.cols = x.stride = 1;
  x.values = values.data();
  return x;
}

TYPED_TEST(Fourier, AgreesWithReferenceAtOddSizes) {
  using T = TypeParam;
  // The angle is a sum of about sqrt(d) turns at most; cos follows it with slope 2 pi.
  const double unit = 0.7 * 8 * std::numeric_limits<T>::epsilon();
  for_each_target([&](const std::string& target) {
    for (const std::size_t d : {1, 3, 21, 54, 123, 784})
      for (const std::size_t frequencies : {1, 15, 16, 17, 63, 64, 65})
        for (const std::size_t rows : {1, 5, 6, 7, 65})
          for (const bool shifted : {false, true}) {
            const Block<T> x(rows, d, 1);
            const auto w = weights<T>(d, frequencies, shifted, 2);
            const auto expected = fourier(reference_backend(), x.dense, w);
            const auto found = fourier(cpu_backend(), x.dense, w);
            double worst = 0;
            for (std::size_t i = 0; i < rows; ++i)
              for (std::size_t j = 0; j < w.outputs(); ++j)
                worst = std::max(worst, std::abs(double(found(i, j)) - double(expected(i, j))));
            ASSERT_LE(worst, unit * std::sqrt(double(d)))
                << target << " d " << d << " frequencies " << frequencies << " rows " << rows << " shifted " << shifted;
          }
  });
}

TYPED_TEST(Fourier, SparseRowsGiveTheBitsOfDenseOnes) {
  using T = TypeParam;
  for_each_target([&](const std::string& target) {
    for (const std::size_t frequencies : {1, 17, 64, 145})
      for (const bool shifted : {false, true}) {
        const Block<T> x(13, 54, 3);
        const auto w = weights<T>(54, frequencies, shifted, 4);
        EXPECT_EQ(fourier(cpu_backend(), x.dense, w), fourier(cpu_backend(), x.sparse, w)) << target;
      }
  });
}

TYPED_TEST(Fourier, RowIsTheSameToTheBitWhereverItStands) {
  using T = TypeParam;
  for_each_target([&](const std::string& target) {
    for (const std::size_t d : {1, 21, 784})
      for (const bool shifted : {false, true}) {
        const Block<T> x(50, d, 5);
        const auto w = weights<T>(d, 150, shifted, 6);
        const auto whole = fourier(cpu_backend(), x.dense, w);
        for (const std::size_t size : {1, 2, 3, 5, 6, 7, 11, 49}) {
          Matrix<T> parts(50, w.outputs());
          for (std::size_t first = 0; first < 50; first += size) {
            const std::size_t count = std::min<std::size_t>(size, 50 - first);
            cpu_backend().fourier(x.dense.slice(first, count), w, parts.view().slice(first, count));
          }
          EXPECT_EQ(whole, parts) << target << " blocks of " << size;
          Matrix<T> sparse(50, w.outputs());
          for (std::size_t first = 0; first < 50; first += size) {
            const std::size_t count = std::min<std::size_t>(size, 50 - first);
            cpu_backend().fourier(x.sparse.slice(first, count), w, sparse.view().slice(first, count));
          }
          EXPECT_EQ(whole, sparse) << target << " sparse blocks of " << size;
        }
      }
  });
}

TYPED_TEST(Fourier, WritesOnlyItsOutputs) {
  using T = TypeParam;
  const Block<T> x(7, 5, 7);
  for (const bool shifted : {false, true}) {
    const auto w = weights<T>(5, 19, shifted, 8);
    Matrix<T> z(7, w.outputs() + 3);
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < z.cols(); ++j) z(i, j) = 9;
    cpu_backend().fourier(x.dense, w, {z.data(), 7, w.outputs(), z.cols()});
    for (std::size_t i = 0; i < 7; ++i) {
      for (std::size_t j = 0; j < w.outputs(); ++j) EXPECT_LE(std::abs(z(i, j)), T(0.7000001));
      for (std::size_t j = w.outputs(); j < z.cols(); ++j) EXPECT_EQ(z(i, j), T(9));
    }
  }
}

// |angle| <= 1e4 radians: 1592 turns. The scale must not cost accuracy either.
TYPED_TEST(Fourier, CosineAndSineErrorIsWithinTheBound) {
  using T = TypeParam;
  const double bound = std::is_same_v<T, float> ? 2e-7 : 4e-16;
  std::vector<T> turns;
  for (int i = 0; i < 200'000; ++i) turns.push_back(T(std::pow(2.0, -40.0 + 50.64 * i / 200'000)));
  for (int i = 0; i < 400'000; ++i) turns.push_back(T(-1592 + 3184.0 * i / 400'000));
  for (int i = -8000; i <= 8000; ++i) turns.push_back(T(i) / 8);
  for_each_target([&](const std::string& target) {
    for (const double scale : {1.0, 0.05, 0.013}) {
      auto w = one_turn<T>(false), shifted = one_turn<T>(true);
      w.scale = shifted.scale = T(scale);
      const auto z = fourier(cpu_backend(), column(turns), w);
      const auto z_shifted = fourier(cpu_backend(), column(turns), shifted);
      double worst_cos = 0, worst_sin = 0;
      for (std::size_t i = 0; i < turns.size(); ++i) {
        const double f = double(turns[i]) - std::nearbyint(double(turns[i]));
        const long double angle = 2 * std::numbers::pi_v<long double> * f;
        worst_cos = std::max(worst_cos, std::abs(double(z(i, 0)) / double(w.scale) - double(std::cos(angle))));
        worst_sin = std::max(worst_sin, std::abs(double(z(i, 1)) / double(w.scale) - double(std::sin(angle))));
        ASSERT_EQ(z(i, 0), z_shifted(i, 0));
      }
      this->RecordProperty(fmt::format("worst_{}_{}", target, scale), fmt::format("{} {}", worst_cos, worst_sin));
      EXPECT_LE(worst_cos, bound) << target << " scale " << scale;
      EXPECT_LE(worst_sin, bound) << target << " scale " << scale;
    }
  });
}

TYPED_TEST(Fourier, EveryFiniteAngleHasACosineAndASine) {
  using T = TypeParam;
  const T huge = std::numeric_limits<T>::max(), half = std::ldexp(T(1), std::numeric_limits<T>::digits - 2);
  const std::vector<T> turns = {
      0,    -T(0),         huge,        -huge,         huge / 3,       std::numeric_limits<T>::min(),
      half, half + T(0.5), half + T(1), half + T(1.5), -half - T(0.5), 4 * half + 1};
  const std::vector<double> cosines = {1, 1, 1, 1, 1, 1, 1, -1, 1, -1, -1, 1};
  for_each_target([&](const std::string& target) {
    const auto z = fourier(cpu_backend(), column(turns), one_turn<T>(false));
    for (std::size_t i = 0; i < turns.size(); ++i) {
      EXPECT_NEAR(z(i, 0), cosines[i], 2e-7) << target << " " << turns[i];
      EXPECT_NEAR(z(i, 1), 0, 2e-7) << target << " " << turns[i];
    }
  });
}

TYPED_TEST(Fourier, OverflowOfFiniteInputsCountsAsAngleZero) {
  using T = TypeParam;
  const T huge = std::numeric_limits<T>::max();
  auto w = one_turn<T>(false);
  w.panels[0] = w.largest = 4;
  for_each_target([&](const std::string& target) {
    const auto z = fourier(cpu_backend(), column<T>({huge, -huge, T(0.0625)}), w);
    for (const std::size_t i : {0, 1}) {
      EXPECT_EQ(z(i, 0), T(1)) << target;
      EXPECT_EQ(z(i, 1), T(0)) << target;
    }
    EXPECT_NEAR(z(2, 1), 1, 2e-7) << target;
  });
}

TYPED_TEST(Fourier, NanOfTheInputStaysNan) {
  using T = TypeParam;
  const auto z = fourier(cpu_backend(), column<T>({std::numeric_limits<T>::quiet_NaN(), 0}), one_turn<T>(true));
  EXPECT_TRUE(std::isnan(z(0, 0)));
  EXPECT_EQ(z(1, 0), T(1));
}

TEST(FourierWeights, PackingKeepsEveryFrequencyAndPadsWithZeros) {
  const auto omega = testing::numbers<double>(19 * 3, 9);
  const std::vector<double> phase(19, 1.5);
  const auto w = pack_fourier<double>(omega, 3, phase, 0.5);
  ASSERT_EQ(w.panels.size(), 2u * 3 * 16);
  for (std::size_t f = 0; f < 32; ++f)
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_DOUBLE_EQ(w.panels[(f / 16 * 3 + j) * 16 + f % 16] * 2 * std::numbers::pi,
                       f < 19 ? omega[f * 3 + j] : 0.0);
  EXPECT_EQ(w.outputs(), 19u);
  EXPECT_THROW(pack_fourier<double>(omega, 4, phase, 1), std::invalid_argument);
  EXPECT_THROW(pack_fourier<double>(omega, 3, std::vector<double>(18), 1), std::invalid_argument);
}

TEST(FourierWeights, FrequencyBeyondFloatIsTheLargestFloat) {
  const std::vector<double> omega = {1e60, -1e60};
  const auto w = pack_fourier<float>(omega, 1, {}, 1);
  EXPECT_EQ(w.panels[0], std::numeric_limits<float>::max());
  EXPECT_EQ(w.panels[1], -std::numeric_limits<float>::max());
}

}  // namespace
}  // namespace bochner
