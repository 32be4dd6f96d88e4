// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <limits>

#include "backend/cpu/exact_units.h"
#include "backend/cpu/target_choice.h"
#include "backend/problems.h"
#include "backend/whole.h"
#include "base/aligned.h"
#include "base/threads.h"

namespace bochner {
namespace {

using testing::numbers;

// Every unit that this machine has and BOCHNER_TARGET lets it use, and those in code, which are the loops of others.
template <class Check>
void for_each_unit(const Check& check) {
  int units = 0;
  for (const ExactProduct* unit : cpu::exact_units()) {
    const bool everywhere = unit->in_code || unit == &cpu::kExactVectors;
    if (unit->available() && (everywhere || cpu::may_use(unit->name))) ++units, check(*unit);
  }
  EXPECT_GE(units, 3);  // vectors, and two in code
}

// A factor on b's side gives the products another sign.
Matrix<std::int64_t> product(const ExactProduct& unit, MatrixView<const float> a, MatrixView<const float> b,
                             float per_unit, float sign = 1) {
  AlignedVector<std::byte> left(unit.bytes(a.rows, a.cols)), right(unit.bytes(b.rows, b.cols));
  std::fill(left.begin(), left.end(), std::byte(0xa5));  // every byte is written
  std::fill(right.begin(), right.end(), std::byte(0x5a));
  unit.pack(a, per_unit, left.data());
  unit.pack(b, sign * per_unit, right.data());
  Matrix<std::int64_t> sum(a.cols, b.cols);
  std::fill_n(sum.data(), a.cols * b.cols, 3);
  unit.add(left.data(), right.data(), a.rows, sum.view());
  return sum;
}

Matrix<std::int64_t> plain(MatrixView<const float> a, MatrixView<const float> b, float per_unit) {
  Matrix<std::int64_t> sum(a.cols, b.cols);
  std::fill_n(sum.data(), a.cols * b.cols, 3);
  for (std::size_t k = 0; k < a.rows; ++k)
    for (std::size_t i = 0; i < a.cols; ++i)
      for (std::size_t j = 0; j < b.cols; ++j)
        sum(i, j) += std::int64_t{to_whole(a(k, i), per_unit)} * to_whole(b(k, j), per_unit);
  return sum;
}

TEST(Whole, RoundsToEvenAndStopsAtTheBound) {
  EXPECT_EQ(to_whole(0.5f, 1), 0);
  EXPECT_EQ(to_whole(1.5f, 1), 2);
  EXPECT_EQ(to_whole(-2.5f, 1), -2);
  EXPECT_EQ(to_whole(1, 16256), 16256);
  EXPECT_EQ(to_whole(1.01f, 16256), 16256);
  EXPECT_EQ(to_whole(-1e30f, 16256), -16256);
  EXPECT_EQ(to_whole(1, -16256), -16256);
  for (std::int32_t q = -kMostWhole; q <= kMostWhole; ++q) {
    ASSERT_EQ(128 * high_digit(q) + low_digit(q), q);
    ASSERT_TRUE(std::abs(high_digit(q)) <= 127 && low_digit(q) >= -64 && low_digit(q) <= 63) << q;
  }
}

TEST(ExactProduct, EveryUnitFindsTheSameIntegersAtOddSizes) {
  for (const std::size_t rows : {1, 3, 8, 63, 65, 1024, 1030})
    for (const std::size_t m : {1, 4, 9, 16, 33, 70})
      for (const std::size_t n : {1, 8, 15, 32, 49}) {
        const std::size_t stride = m + n + 3;
        const auto values = numbers<float>(rows * stride, 1);
        const MatrixView<const float> a{values.data(), rows, m, stride}, b{values.data() + m, rows, n, stride};
        const float per_unit = 16256 / 2.5f;  // one in a hundred lies beyond
        const Matrix<std::int64_t> expected = plain(a, b, per_unit);
        for_each_unit([&](const ExactProduct& unit) {
          ASSERT_EQ(product(unit, a, b, per_unit), expected) << unit.name << " " << rows << " " << m << " " << n;
        });
      }
}

// For tools/avx512.sh: an emulator that takes digits for unsigned gets these right, and shows all the rest of a unit.
TEST(ExactProduct, EveryUnitAgreesOnDigitsThatAreNotNegative) {
  const std::size_t rows = 150, m = 37, n = 50, cols = m + n;
  Matrix<float> x(rows, cols);
  for (std::size_t i = 0; i < rows * cols; ++i) x.data()[i] = float(128 * (i * 7919 % 127) + i * 6101 % 64);
  const MatrixView<const float> a{x.data(), rows, m, cols}, b{x.data() + m, rows, n, cols};
  const Matrix<std::int64_t> expected = plain(a, b, 1);
  for_each_unit([&](const ExactProduct& unit) { EXPECT_EQ(product(unit, a, b, 1), expected) << unit.name; });
}

// The largest digits of all signs at every place, over more rows than are summed in int32.
TEST(ExactProduct, EveryUnitHoldsTheLargestSums) {
  const std::size_t rows = 2 * kExactDepth + 40, cols = 40;
  const float most[] = {16256, -16256, 16192, -16192, 16191, -16193, -64, 63, 16255, -16255};
  Matrix<float> x(rows, cols);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) x(i, j) = j < 10 ? most[j] : most[(i * (j - 9) + j) % 10];
  const MatrixView<const float> a = x.view();
  const Matrix<std::int64_t> expected = plain(a, a, 1);
  EXPECT_EQ(expected(0, 0), 3 + std::int64_t(rows) * 16256 * 16256);
  for_each_unit([&](const ExactProduct& unit) { EXPECT_EQ(product(unit, a, a, 1), expected) << unit.name; });
}

// Whatever is added can be taken away again.
TEST(ExactProduct, TheOtherSignTakesAway) {
  const std::size_t rows = 70, cols = 21;
  const auto values = numbers<float>(rows * cols, 2);
  const MatrixView<const float> a{values.data(), rows, cols, cols};
  for_each_unit([&](const ExactProduct& unit) {
    const Matrix<std::int64_t> plus = product(unit, a, a, 5000), minus = product(unit, a, a, 5000, -1);
    for (std::size_t i = 0; i < cols; ++i)
      for (std::size_t j = 0; j < cols; ++j) ASSERT_EQ(plus(i, j) + minus(i, j), 6) << unit.name;
  });
}

// Half the work where both sides are the same, and the same sums.
TEST(ExactProduct, OfColumnsWithThemselvesIsSymmetric) {
  for (const std::size_t cols : {1, 7, 40, 100}) {
    const std::size_t rows = 90;
    const auto values = numbers<float>(rows * cols, 3);
    const MatrixView<const float> a{values.data(), rows, cols, cols};
    const Matrix<std::int64_t> expected = plain(a, a, 4000);
    for_each_unit([&](const ExactProduct& unit) {
      AlignedVector<std::byte> packed(unit.bytes(rows, cols));
      unit.pack(a, 4000, packed.data());
      Matrix<std::int64_t> sum(cols, cols);
      std::fill_n(sum.data(), cols * cols, 3);
      unit.add(packed.data(), packed.data(), rows, sum.view());
      EXPECT_EQ(sum, expected) << unit.name << " " << cols;
    });
  }
}

// What a processor that saturates where it should wrap, or takes a sign for a bit, would give.
TEST(ExactProduct, AUnitThatMultipliesWronglyIsFoundOut) {
  for_each_unit([&](const ExactProduct& unit) { EXPECT_TRUE(cpu::multiplies_exactly(unit)) << unit.name; });
  ExactProduct wrong = cpu::kExactVectors;
  wrong.pack_part = [](MatrixView<const float> x, float per_unit, std::size_t first, std::size_t rows,
                       std::byte* packed) { cpu::kExactVectors.pack_part(x, 0.999f * per_unit, first, rows, packed); };
  EXPECT_FALSE(cpu::multiplies_exactly(wrong));
  wrong = cpu::kExactVectors;
  wrong.add = [](const std::byte* a, const std::byte* b, std::size_t rows, MatrixView<std::int64_t> sum) {
    cpu::kExactVectors.add(a, b, rows, sum);
    sum(3, 5) -= 1;
  };
  EXPECT_FALSE(cpu::multiplies_exactly(wrong));
}

// Rows that come a few at a time, and not in their order, leave the same bytes.
TEST(ExactProduct, RowsArePackedInParts) {
  for (const std::size_t rows : {1, 63, 130, 1024})
    for (const std::size_t cols : {1, 9, 33, 70}) {
      const auto values = numbers<float>(rows * cols, 5);
      const MatrixView<const float> x{values.data(), rows, cols, cols};
      for_each_unit([&](const ExactProduct& unit) {
        AlignedVector<std::byte> expected(unit.bytes(rows, cols)), found = expected;
        std::fill(found.begin(), found.end(), std::byte(0xa5));
        unit.pack(x, 6000, expected.data());
        const std::size_t part = 2 * unit.group, parts = (rows + part - 1) / part;
        for (std::size_t p = parts; p-- > 0;)
          unit.pack_part(x.slice(p * part, std::min(part, rows - p * part)), 6000, p * part, rows, found.data());
        EXPECT_EQ(found, expected) << unit.name << " " << rows << " " << cols;
      });
    }
}

TEST(ExactProduct, BackendsAgreeOnEveryTargetAndOnSeveralThreads) {
  const std::size_t rows = 1030, cols = 70, pieces = 6;
  const auto values = numbers<float>(rows * cols, 4);
  const MatrixView<const float> a{values.data(), rows, cols, cols};
  const auto sum_by = [&](const Backend& backend) {
    const ExactProduct& on = exact_product(backend);
    std::vector<Matrix<std::int64_t>> sums(pieces, Matrix<std::int64_t>(cols, cols));
    Threads threads(3);
    threads.run(pieces, [&](std::size_t piece, int) {
      AlignedVector<std::byte> packed(on.bytes(rows - piece, cols));
      on.pack(a.slice(piece, rows - piece), 6000, packed.data());
      on.add(packed.data(), packed.data(), rows - piece, sums[piece].view());
    });
    return sums;
  };
  const auto expected = sum_by(reference_backend());
  EXPECT_EQ(sum_by(cpu_backend()), expected);
  const Matrix<std::int64_t> all = plain(a, a, 6000);
  testing::for_each_target([&](const std::string& target) {
    EXPECT_EQ(product(cpu::kExactVectors, a, a, 6000), all) << target;
    EXPECT_EQ(sum_by(cpu_backend()), expected) << target;
  });
}

}  // namespace
}  // namespace bochner
