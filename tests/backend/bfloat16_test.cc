// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/bfloat16.h"

#include <gtest/gtest.h>

#include "backend/cpu/bfloat16_units.h"
#include "backend/problems.h"
#include "base/aligned.h"

namespace bochner {
namespace {

using testing::numbers;

// Every unit that this machine has; the one in code is the loop of AMX over plain arrays, on every machine.
template <class Check>
void for_each_unit(const Check& check) {
  int units = 0;
  for (const cpu::Bfloat16Unit* unit : cpu::bfloat16_units())
    if (unit->available()) ++units, check(*unit);
  EXPECT_GE(units, 1);
}

Matrix<double> product(const cpu::Bfloat16Unit& unit, MatrixView<const float> a, MatrixView<const float> b) {
  AlignedVector<std::byte> left(unit.bytes(a.rows, a.cols)), right(unit.bytes(b.rows, b.cols));
  unit.pack(a, left.data());
  unit.pack(b, right.data());
  Matrix<double> sum(a.cols, b.cols);
  for (std::size_t i = 0; i < a.cols * b.cols; ++i) sum.data()[i] = 3;
  unit.add_product(left.data(), right.data(), a.rows, sum.view());
  return sum;
}

Matrix<double> product(const Backend& on, MatrixView<const float> a, MatrixView<const float> b) {
  AlignedVector<std::byte> left(on.bfloat16_bytes(a.rows, a.cols)), right(on.bfloat16_bytes(b.rows, b.cols));
  on.pack_bfloat16(a, left.data());
  on.pack_bfloat16(b, right.data());
  Matrix<double> sum(a.cols, b.cols);
  for (std::size_t i = 0; i < a.cols * b.cols; ++i) sum.data()[i] = 3;
  on.add_bfloat16_product(left.data(), right.data(), a.rows, sum.view());
  return sum;
}

TEST(Bfloat16, RoundsToTheNearestEven) {
  EXPECT_EQ(to_float(to_bfloat16(1.0f)), 1.0f);
  EXPECT_EQ(to_float(to_bfloat16(-0.15625f)), -0.15625f);
  EXPECT_EQ(to_float(to_bfloat16(1.0f + 0x1p-8f)), 1.0f);                // half way: to even
  EXPECT_EQ(to_float(to_bfloat16(1.0f + 0x1.8p-7f)), 1.0f + 0x1p-6f);    // half way: to even
  EXPECT_EQ(to_float(to_bfloat16(1.0f + 0x1.001p-8f)), 1.0f + 0x1p-7f);  // a little above
  EXPECT_EQ(to_float(to_bfloat16(-(1.0f + 0x1.001p-8f))), -(1.0f + 0x1p-7f));
}

TEST(Bfloat16, EveryUnitAgreesWithReferenceAtOddSizes) {
  for (const std::size_t rows : {1, 2, 31, 33, 1024, 1030})
    for (const std::size_t m : {1, 7, 16, 17, 40})
      for (const std::size_t n : {1, 8, 15, 33, 49, 64}) {
        const std::size_t stride = m + n + 3;
        const auto values = numbers<float>(rows * stride, 1);
        const MatrixView<const float> a{values.data(), rows, m, stride}, b{values.data() + m, rows, n, stride};
        const Matrix<double> expected = product(reference_backend(), a, b);
        // Products of bfloat16 are exact in float; their sums round.
        const double tolerance = 0x1p-24 * 8 * double(rows);
        const auto check = [&](const Matrix<double>& found, const char* name) {
          for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j)
              ASSERT_NEAR(found(i, j), expected(i, j), tolerance) << name << " " << rows << " " << m << " " << n;
        };
        for_each_unit([&](const cpu::Bfloat16Unit& unit) { check(product(unit, a, b), unit.name); });
        check(product(cpu_backend(), a, b), "backend");
      }
}

// Small whole numbers need no rounding anywhere.
TEST(Bfloat16, EveryUnitIsExactForSmallWholeNumbers) {
  const std::size_t rows = 1500, m = 50, n = 70;
  std::vector<float> x, y;
  for (std::size_t i = 0; i < rows * m; ++i) x.push_back(float(int(i * 7919 % 31) - 15));
  for (std::size_t i = 0; i < rows * n; ++i) y.push_back(float(int(i * 6101 % 29) - 14));
  const MatrixView<const float> a{x.data(), rows, m, m}, b{y.data(), rows, n, n};
  const Matrix<double> expected = product(reference_backend(), a, b);
  for_each_unit([&](const cpu::Bfloat16Unit& unit) { EXPECT_EQ(product(unit, a, b), expected) << unit.name; });
}

}  // namespace
}  // namespace bochner
