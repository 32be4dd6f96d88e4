// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/sparse_lines.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backend/problems.h"
#include "random/draw.h"

namespace bochner {
namespace {

using testing::for_each_target;

// Lines of 0, 1 and more entries.
struct Lines {
  std::size_t places, lines;
  std::vector<std::size_t> offsets = {0};
  std::vector<std::uint32_t> at;
  std::vector<float> values;

  Lines(std::size_t size, std::size_t count) : places(size), lines(count) {
    for (std::size_t l = 0; l < lines; ++l) {
      for (std::uint32_t i = 0; i < places; ++i)
        if (l % 5 && uniform(1, Draw::frequency, l, i) < (l % 5 == 1 ? 1.5 / double(places) : 0.3)) {
          at.push_back(i);
          values.push_back(float(normal(2, Draw::frequency, l, i)));
        }
      offsets.push_back(at.size());
    }
  }
  SparseLines view(std::size_t first, std::size_t count) const {
    return {offsets.data(), at.data(), values.data(), first, count};
  }
};

template <class T>
class SparseLinesTest : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SparseLinesTest, Numbers);

TYPED_TEST(SparseLinesTest, ProductsAreThoseOfPlainLoops) {
  using T = TypeParam;
  const double close = sizeof(T) == 4 ? 1e-5 : 1e-13;
  for (const std::size_t places : {1, 7, 64, 65})
    for (const bool shifted : {false, true}) {
      const std::size_t lines = 43, first = 2, count = 38;
      const Lines a(places, lines);
      std::vector<T> x(places * kPanelColumns), factor(lines), product(kPanelColumns);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = T(normal(3, Draw::frequency, i, 0));
      for (std::size_t l = 0; l < lines; ++l) factor[l] = T(normal(4, Draw::frequency, l, 0));
      for (std::size_t k = 0; k < kPanelColumns; ++k) product[k] = T(normal(5, Draw::frequency, k, 0));
      Matrix<double> w(lines, kPanelColumns), y(lines, kPanelColumns), u(places, kPanelColumns);
      std::vector<double> sum(kPanelColumns);
      for (std::size_t l = first; l < first + count; ++l) {
        for (std::size_t k = 0; k < kPanelColumns; ++k) {
          for (std::size_t p = a.offsets[l]; p < a.offsets[l + 1]; ++p)
            y(l, k) += double(a.values[p]) * double(x[a.at[p] * kPanelColumns + k]);
          w(l, k) = y(l, k) - (shifted ? double(factor[l]) * double(product[k]) : 0);
          if (shifted) sum[k] += double(factor[l]) * w(l, k);
          for (std::size_t p = a.offsets[l]; p < a.offsets[l + 1]; ++p) u(a.at[p], k) += double(a.values[p]) * w(l, k);
        }
      }
      for_each_target([&](const std::string& target) {
        std::vector<T> found(places * kPanelColumns), of_lines(lines * kPanelColumns, T(7));
        std::vector<double> lost(kPanelColumns);
        add_normal_product<T>(a.view(first, count), {shifted ? factor.data() : nullptr, product.data(), lost.data()},
                              x.data(), found.data());
        line_products<T>(a.view(first, count), x.data(), {of_lines.data(), lines, kPanelColumns, kPanelColumns});
        for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], u.data()[i], 100 * close) << target;
        for (std::size_t k = 0; k < kPanelColumns; ++k) EXPECT_NEAR(lost[k], sum[k], 100 * close) << target;
        for (std::size_t l = 0; l < lines; ++l)
          for (std::size_t k = 0; k < kPanelColumns; ++k)
            if (l < first || l >= first + count)
              EXPECT_EQ(of_lines[l * kPanelColumns + k], T(7));
            else
              EXPECT_NEAR(of_lines[l * kPanelColumns + k], y(l, k), 30 * close) << target;
      });
    }
}

}  // namespace
}  // namespace bochner
