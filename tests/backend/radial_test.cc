// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <array>

#include "backend/problems.h"

namespace bochner {
namespace {

using testing::numbers;

template <class T>
struct Problem {
  Problem(std::size_t rows, std::size_t inputs, std::size_t count, std::size_t rank)
      : x(rows, inputs), z(count, inputs), left(rows, rank), right(count, rank) {
    fill(x, 1, 1 / std::sqrt(double(inputs)));
    fill(z, 2, 1 / std::sqrt(double(inputs)));
    fill(left, 3, 1);
    fill(right, 4, 1);
    for (std::size_t j = 0; j < inputs; ++j) x(0, j) = z(count - 1, j);  // distance 0
    points = pack_points<T>(z.view());
    packed_right = pack_points<T>(right.view());
  }
  static void fill(Matrix<T>& m, std::uint32_t seed, double scale) {
    const std::vector<T> values = numbers<T>(m.rows() * m.cols(), seed, scale);
    std::copy(values.begin(), values.end(), m.data());
  }

  Matrix<T> x, z, left, right;
  PointPanels<T> points, packed_right;
};

template <class T>
struct Slope {
  Slope(const Backend& on, const Problem<T>& p, double q, std::size_t begin, std::size_t rows)
      : h(rows, p.z.rows()), sums(rows), by_exponent(rows) {
    Matrix<T> k(rows, h.cols()), t(rows, h.cols()), log(rows, h.cols()), power(rows, h.cols());
    const RadialEntries<T> entries{k.view(), t.view(), log.view(), power.view()};
    on.radial_entries(p.x.view().slice(begin, rows), p.points, q, entries);
    on.radial_slope(entries, q,
                    {p.left.view().slice(begin, rows), p.packed_right, h.view(), sums.data(), by_exponent.data()});
  }
  Matrix<T> h;
  std::vector<double> sums, by_exponent;
};

template <class T>
class RadialBlock : public ::testing::Test {
 public:
  static constexpr double kTolerance = std::is_same_v<T, float> ? 1e-5 : 1e-12;
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RadialBlock, Precisions);

TYPED_TEST(RadialBlock, AgreesWithTheReferenceForOddSizesOnEveryTarget) {
  testing::for_each_target([&](const std::string& target) {
    for (const double q : {0.5, 1.0, 1.7, 2.0})
      for (const auto& [rows, inputs, count] :
           {std::array<std::size_t, 3>{1, 1, 1}, {5, 3, 15}, {6, 7, 16}, {7, 8, 17}, {63, 21, 65}, {65, 130, 33}}) {
        const Problem<TypeParam> p(rows, inputs, count, 3);
        Matrix<TypeParam> expected(rows, count), found(rows, count);
        reference_backend().radial_block(p.x.view(), p.points, q, expected.view());
        cpu_backend().radial_block(p.x.view(), p.points, q, found.view());
        const Slope<TypeParam> slope(reference_backend(), p, q, 0, rows), fast(cpu_backend(), p, q, 0, rows);
        for (std::size_t i = 0; i < rows; ++i) {
          double size = 1;
          for (std::size_t j = 0; j < count; ++j) {
            ASSERT_NEAR(found(i, j), expected(i, j), TestFixture::kTolerance) << target << " q " << q;
            // t cancels: its own error is eps (|x|^2 + |y|^2), and H is as steep as 1 / t.
            const double steep = 1 + 10 * std::abs(slope.h(i, j));
            ASSERT_NEAR(fast.h(i, j), slope.h(i, j), TestFixture::kTolerance * steep * steep) << target << " q " << q;
            size += steep * steep;
          }
          ASSERT_NEAR(fast.sums[i], slope.sums[i], TestFixture::kTolerance * size);
          ASSERT_NEAR(fast.by_exponent[i], slope.by_exponent[i], TestFixture::kTolerance * size);
        }
      }
  });
}

TYPED_TEST(RadialBlock, KeptEntriesHaveTheBitsOfTheBlock) {
  testing::for_each_target([&](const std::string& target) {
    for (const auto& [rows, inputs, count] : {std::array<std::size_t, 3>{1, 1, 1}, {50, 7, 16}, {101, 21, 65}}) {
      const Problem<TypeParam> p(rows, inputs, count, 3);
      Matrix<TypeParam> expected(rows, count), k(rows, count), t(rows, count), log(rows, count), power(rows, count);
      cpu_backend().radial_block(p.x.view(), p.points, 1.3, expected.view());
      cpu_backend().radial_entries(p.x.view(), p.points, 1.3, {k.view(), t.view(), log.view(), power.view()});
      ASSERT_EQ(k, expected) << target;
    }
  });
}

TYPED_TEST(RadialBlock, EqualRowsAreAtDistanceZero) {
  const Problem<TypeParam> p(9, 37, 21, 2);
  Matrix<TypeParam> k(9, 21);
  cpu_backend().radial_block(p.x.view(), p.points, 1.0, k.view());
  EXPECT_NEAR(k(0, 20), std::exp(-std::sqrt(kRadialLeast)), 1e-7);
  const Slope<TypeParam> slope(cpu_backend(), p, 0.5, 0, 9);
  EXPECT_EQ(slope.h(0, 20), 0);
}

TYPED_TEST(RadialBlock, ARowsValuesDoNotDependOnItsPlace) {
  const Problem<TypeParam> p(41, 19, 37, 4);
  Matrix<TypeParam> all(41, 37);
  cpu_backend().radial_block(p.x.view(), p.points, 1.3, all.view());
  const Slope<TypeParam> slope(cpu_backend(), p, 1.3, 0, 41);
  for (const std::size_t begin : {1, 4, 6, 17})
    for (const std::size_t count : {1, 5, 6, 13}) {
      Matrix<TypeParam> part(count, 37);
      cpu_backend().radial_block(p.x.view().slice(begin, count), p.points, 1.3, part.view());
      const Slope<TypeParam> of_part(cpu_backend(), p, 1.3, begin, count);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(of_part.sums[i], slope.sums[begin + i]);
        ASSERT_EQ(of_part.by_exponent[i], slope.by_exponent[begin + i]);
        for (std::size_t j = 0; j < 37; ++j) {
          ASSERT_EQ(part(i, j), all(begin + i, j));
          ASSERT_EQ(of_part.h(i, j), slope.h(begin + i, j));
        }
      }
    }
}

// The entries as a function of distance and exponent, by differences.
TEST(RadialSlope, IsTheDerivativeOfTheBlock) {
  const std::size_t rows = 7, count = 18;
  const double q = 1.4, step = 1e-6;
  const Problem<double> p(rows, 1, count, 1);
  Matrix<double> more(rows, count), less(rows, count), moved(rows, 1);
  const Slope<double> slope(cpu_backend(), p, q, 0, rows);
  const auto change = [&](std::size_t i) {  // change of sum_j Omega_ij k_ij
    double sum = 0;
    for (std::size_t j = 0; j < count; ++j)
      sum += p.left(i, 0) * p.right(j, 0) * (more(i, j) - less(i, j)) / (2 * step);
    return sum;
  };
  cpu_backend().radial_block(p.x.view(), p.points, q + step, more.view());
  cpu_backend().radial_block(p.x.view(), p.points, q - step, less.view());
  for (std::size_t i = 0; i < rows; ++i) EXPECT_NEAR(slope.by_exponent[i], change(i), 1e-7);
  for (Matrix<double>* k : {&more, &less}) {
    for (std::size_t i = 0; i < rows; ++i) moved(i, 0) = p.x(i, 0) + (k == &more ? step : -step);
    cpu_backend().radial_block(moved.view(), p.points, q, k->view());
  }
  for (std::size_t i = 1; i < rows; ++i) {
    double expected = 0;
    for (std::size_t j = 0; j < count; ++j) expected += slope.h(i, j) * 2 * (p.x(i, 0) - p.z(j, 0));
    EXPECT_NEAR(change(i), expected, 1e-5);
  }
}

}  // namespace
}  // namespace bochner
