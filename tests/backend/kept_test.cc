// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "backend/problems.h"

namespace bochner {
namespace {

using testing::for_each_target;
using testing::numbers;

template <class T>
std::vector<T> kept(std::size_t count, std::uint32_t seed) {
  if constexpr (std::is_same_v<T, std::int16_t>) {
    std::vector<T> values;
    for (double v : numbers<double>(count, seed, 10000)) values.push_back(T(std::clamp(v, -32768.0, 32767.0)));
    return values;
  } else {
    return numbers<T>(count, seed, 10000);
  }
}

template <class T>
class Kept : public ::testing::Test {};
using Numbers = ::testing::Types<std::int16_t, float, double>;
TYPED_TEST_SUITE(Kept, Numbers);

TYPED_TEST(Kept, ProjectAgreesWithReference) {
  using T = TypeParam;
  using C = Computed<T>;
  for_each_target([&](const std::string& target) {
    for (const std::size_t rows : {1, 3, 4, 9})
      for (const std::size_t cols : {32, 96, 160})
        for (const std::size_t heads : {1, 2, 3, 4, 5, 7, 8, 11}) {
          const std::vector<T> z = kept<T>(rows * cols, 1);
          const auto v = numbers<C>(heads * cols, 2);
          Matrix<C> expected(rows, heads), found(rows, heads);
          const MatrixView<const T> view{z.data(), rows, cols, cols};
          const MatrixView<const C> v_view{v.data(), heads, cols, cols};
          reference_backend().project(view, v_view, expected.view());
          cpu_backend().project(view, v_view, found.view());
          for (std::size_t i = 0; i < rows; ++i)
            for (std::size_t k = 0; k < heads; ++k)
              ASSERT_NEAR(found(i, k), expected(i, k), 10000 * double(cols) * std::numeric_limits<C>::epsilon())
                  << target;
        }
  });
}

TEST(KeptFixedPoint, WideningChangesNoProjectionAndIsExact) {
  for_each_target([&](const std::string& target) {
    for (const std::size_t rows : {1, 8, 13})
      for (const std::size_t heads : {1, 2, 3, 4, 6, 7}) {
        const std::size_t cols = 96;
        const std::vector<std::int16_t> z = kept<std::int16_t>(rows * cols, 1);
        const auto v = numbers<float>(heads * cols, 2);
        const MatrixView<const std::int16_t> view{z.data(), rows, cols, cols};
        const MatrixView<const float> v_view{v.data(), heads, cols, cols};
        Matrix<float> plain(rows, heads), found(rows, heads), wide(rows, cols);
        cpu_backend().project(view, v_view, plain.view());
        cpu_backend().project(view, v_view, found.view(), wide.view());
        ASSERT_EQ(found, plain) << target;
        for (std::size_t k = 0; k < rows * cols; ++k) ASSERT_EQ(wide.data()[k], float(z[k])) << target;
      }
  });
}

// Sums are of parts of 64 bytes, which meet in halves: the same bits on every target that fuses.
TYPED_TEST(Kept, ProjectionIsSummedInOneOrderOnEveryTarget) {
  using T = TypeParam;
  using C = Computed<T>;
  constexpr std::size_t kParts = 64 / sizeof(C);
  const std::size_t rows = 9, cols = 160, heads = 7;
  const std::vector<T> z = kept<T>(rows * cols, 1);
  const auto v = numbers<C>(heads * cols, 2);
  for_each_target([&](const std::string& target) {
    if (!testing::fuses(target)) return;
    Matrix<C> found(rows, heads);
    cpu_backend().project(MatrixView<const T>{z.data(), rows, cols, cols}, {v.data(), heads, cols, cols}, found.view());
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < heads; ++k) {
        C part[kParts] = {};
        for (std::size_t j = 0; j < cols; ++j)
          part[j % kParts] = std::fma(C(z[i * cols + j]), v[k * cols + j], part[j % kParts]);
        for (std::size_t half = kParts / 2; half > 0; half /= 2)
          for (std::size_t p = 0; p < half; ++p) part[p] += part[p + half];
        ASSERT_EQ(found(i, k), part[0]) << target;
      }
  });
}

// What a row gives depends neither on the rows beside it nor on how many heads are asked for.
TYPED_TEST(Kept, ProjectionOfARowIsItsOwn) {
  using T = TypeParam;
  using C = Computed<T>;
  const std::size_t rows = 9, cols = 96, heads = 7;
  const std::vector<T> z = kept<T>(rows * cols, 1);
  const auto v = numbers<C>(heads * cols, 2);
  for_each_target([&](const std::string& target) {
    Matrix<C> all(rows, heads);
    cpu_backend().project(MatrixView<const T>{z.data(), rows, cols, cols}, {v.data(), heads, cols, cols}, all.view());
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < heads; ++k) {
        C alone = 0;
        cpu_backend().project(MatrixView<const T>{z.data() + i * cols, 1, cols, cols},
                              {v.data() + k * cols, 1, cols, cols}, {&alone, 1, 1, 1});
        ASSERT_EQ(alone, all(i, k)) << target;
      }
  });
}

TYPED_TEST(Kept, AddCombinedAgreesWithReference) {
  using T = TypeParam;
  using C = Computed<T>;
  for_each_target([&](const std::string& target) {
    for (const std::size_t rows : {1, 5, 64})
      for (const std::size_t cols : {32, 96, 160})
        for (const std::size_t heads : {1, 2, 3, 4, 5, 7, 8}) {
          const std::vector<T> z = kept<T>(rows * cols, 1);
          const auto u = numbers<C>(rows * heads, 2);
          Matrix<C> expected(heads, cols + 1), found(heads, cols + 1);
          for (std::size_t k = 0; k < heads; ++k) expected(k, 3) = found(k, 3) = C(1e6);
          const MatrixView<const T> view{z.data(), rows, cols, cols};
          const MatrixView<const C> u_view{u.data(), rows, heads, heads};
          reference_backend().add_combined(view, u_view, {expected.data(), heads, cols, cols + 1});
          cpu_backend().add_combined(view, u_view, {found.data(), heads, cols, cols + 1});
          for (std::size_t k = 0; k < heads; ++k)
            for (std::size_t j = 0; j <= cols; ++j)
              ASSERT_NEAR(found(k, j), expected(k, j),
                          40000 * double(rows) * std::numeric_limits<C>::epsilon() +
                              (j == 3 ? 1e6 * double(rows) * std::numeric_limits<C>::epsilon() : 0))
                  << target;
        }
  });
}

// Rows that lie anywhere, here in reverse order.
template <class T>
std::vector<const T*> apart(const std::vector<T>& z, std::size_t cols) {
  std::vector<const T*> rows;
  for (std::size_t i = z.size() / cols; i-- > 0;) rows.push_back(z.data() + i * cols);
  return rows;
}

TYPED_TEST(Kept, RowsApartAgreeWithReferenceAndCallsAddUp) {
  using T = TypeParam;
  for_each_target([&](const std::string& target) {
    for (const std::size_t rows : {1, 5, 8, 19})
      for (const std::size_t cols : {32, 96, 160})
        for (const std::size_t heads : {1, 2, 3, 4, 5, 7}) {
          const std::vector<T> z = kept<T>(rows * cols, 1);
          const std::vector<const T*> list = apart(z, cols);
          const std::span<const T* const> all(list);
          const auto v = numbers<double>(heads * cols, 2), u = numbers<double>(rows * heads, 3);
          const MatrixView<const double> v_view{v.data(), heads, cols, cols}, u_view{u.data(), rows, heads, heads};
          Matrix<double> scores(rows, heads), found(rows, heads), sum(heads, cols), expected(heads, cols),
              by_one(heads, cols);
          reference_backend().project(all, v_view, scores.view());
          cpu_backend().project(all, v_view, found.view());
          reference_backend().add_combined(all, u_view, expected.view());
          cpu_backend().add_combined(all, u_view, sum.view());
          for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t k = 0; k < heads; ++k) {
              ASSERT_NEAR(found(i, k), scores(i, k), 10000 * double(cols) * 1e-15) << target;
              double alone = 0;
              cpu_backend().project(all.subspan(i, 1), v_view.slice(k, 1), {&alone, 1, 1, 1});
              ASSERT_EQ(alone, found(i, k)) << target;
            }
            cpu_backend().add_combined(all.subspan(i), u_view.slice(i, 1), by_one.view());
          }
          ASSERT_EQ(by_one, sum) << target;
          for (std::size_t j = 0; j < heads * cols; ++j)
            ASSERT_NEAR(sum.data()[j], expected.data()[j], 40000 * double(rows) * 1e-15) << target;
        }
  });
}

TYPED_TEST(Kept, ScatterAgreesWithReference) {
  using T = TypeParam;
  const std::size_t rows = 20, cols = 96, buckets = 5;
  const std::vector<T> z = kept<T>(rows * cols, 1);
  std::vector<const T*> from;
  std::vector<std::uint32_t> to;
  std::vector<float> factor;
  for (std::uint32_t i = 0; i < rows; i += 1 + i % 3) {
    from.push_back(z.data() + i * cols);
    to.push_back(i * 7 % buckets);
    factor.push_back(i % 2 ? 1.0f : -0.5f);
  }
  for_each_target([&](const std::string& target) {
    Matrix<float> expected(buckets, cols), found(buckets, cols);
    const std::span<const T* const> all(from);
    reference_backend().scatter(all, to.data(), factor.data(), expected.view());
    cpu_backend().scatter(all, to.data(), factor.data(), found.view());
    for (std::size_t b = 0; b < buckets; ++b)
      for (std::size_t j = 0; j < cols; ++j) ASSERT_NEAR(found(b, j), expected(b, j), 0.1) << target;
  });
}

TEST(Fixed, RoundsToTheNearestAndSaturates) {
  const std::vector<float> z = {0, 1, -1, 0.5f, 1.5f, -2.5f, 0.49f, 40000, -40000, 32767,
                                7, 8, 9,  10,   11,   12,    13.6f, 1e6f,  -3};
  const std::vector<std::int16_t> expected = {0, 1, -1, 0,  2,  -2, 0,  32767, -32768, 32767,
                                              7, 8, 9,  10, 11, 12, 14, 32767, -3};
  for_each_target([&](const std::string& target) {
    for (const Backend* on : {&cpu_backend(), &reference_backend()}) {
      std::vector<std::int16_t> q(z.size());
      on->to_fixed({z.data(), 1, z.size(), z.size()}, 1.0f, {q.data(), 1, q.size(), q.size()});
      EXPECT_EQ(q, expected) << target;
    }
  });
}

}  // namespace
}  // namespace bochner
