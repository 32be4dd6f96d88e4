// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "backend/problems.h"

namespace bochner {
namespace {

using testing::numbers;

struct Best {
  Best(std::size_t rows, std::size_t keep)
      : keep(keep), values(rows * keep, std::numeric_limits<float>::infinity()), numbers(rows * keep, kNoPoint) {}
  NearestView view() { return {keep, values.data(), numbers.data()}; }
  bool operator==(const Best&) const = default;

  std::size_t keep;
  std::vector<float> values;
  std::vector<std::uint32_t> numbers;
};

struct Problem {
  Problem(std::size_t rows, std::size_t inputs, std::size_t count) : x(rows, inputs), y(count, inputs), half(count) {
    const std::vector<float> a = testing::numbers<float>(rows * inputs, 1, 1),
                             b = testing::numbers<float>(count * inputs, 2, 1);
    std::copy(a.begin(), a.end(), x.data());
    std::copy(b.begin(), b.end(), y.data());
    for (std::size_t c = 0; c < count; ++c)
      for (std::size_t j = 0; j < inputs; ++j) half[c] += y(c, j) * y(c, j) / 2;
    ids.resize(count);
    std::iota(ids.begin(), ids.end(), 100u);
  }
  // The points from `begin` on.
  void meet(const Backend& on, std::size_t begin, std::size_t count, Best& best) const {
    const PointPanels<float> points = pack_points<float>(y.view().slice(begin, count));
    on.nearest(x.view(), points, {half.data() + begin, ids.data() + begin, self.empty() ? nullptr : self.data()},
               best.view());
  }

  Matrix<float> x, y;
  std::vector<float> half;
  std::vector<std::uint32_t> ids, self;
};

TEST(Nearest, AgreesWithTheReferenceForOddSizesOnEveryTarget) {
  for (const auto& [rows, inputs, count, keep] : {std::array<std::size_t, 4>{1, 1, 1, 1},
                                                  {5, 3, 15, 4},
                                                  {6, 7, 16, 16},
                                                  {7, 8, 17, 20},
                                                  {63, 21, 65, 10},
                                                  {13, 785, 333, 3}}) {
    const Problem p(rows, inputs, count);
    Best expected(rows, keep), first(rows, keep);
    p.meet(reference_backend(), 0, count, expected);
    bool any = false;
    testing::for_each_target([&](const std::string& target) {
      Best found(p.x.rows(), expected.keep);
      p.meet(cpu_backend(), 0, p.y.rows(), found);
      for (std::size_t i = 0; i < found.numbers.size(); ++i) {
        if (expected.numbers[i] == kNoPoint) {
          ASSERT_EQ(found.numbers[i], kNoPoint);
        } else {
          ASSERT_NEAR(found.values[i], expected.values[i], 1e-4 * double(1 + p.x.cols() / 10)) << target;
        }
      }
      if (!testing::fuses(target)) return;
      if (any) {
        EXPECT_TRUE(found == first) << target;  // the same bits
      }
      first = found;
      any = true;
    });
  }
}

TEST(Nearest, KeepsTheSameInWhateverOrderPointsCome) {
  Problem p(23, 9, 200);
  p.self.assign(23, 0);
  for (std::size_t i = 0; i < 23; ++i) p.self[i] = std::uint32_t(100 + 3 * i);
  for (std::size_t c = 50; c < 60; ++c) {  // equal points: the lower numbers win
    std::copy_n(&p.y(49, 0), 9, &p.y(c, 0));
    p.half[c] = p.half[49];
  }
  Best whole(23, 12), parts(23, 12);
  p.meet(cpu_backend(), 0, 200, whole);
  for (const std::size_t begin : {150, 0, 45, 0, 100, 50}) p.meet(cpu_backend(), begin, begin == 45 ? 7 : 50, parts);
  EXPECT_TRUE(whole == parts);
  for (std::size_t i = 0; i < 23; ++i)
    for (std::size_t k = 0; k < 12; ++k) {
      EXPECT_NE(whole.numbers[i * 12 + k], p.self[i]);
      if (k > 0) {
        EXPECT_LE(whole.values[i * 12 + k - 1], whole.values[i * 12 + k]);
      }
    }
}

TEST(SquaredDistances, AreExactAndTheSameOnEveryTarget) {
  for (const std::size_t inputs : {1, 15, 16, 17, 33, 784}) {
    const Problem p(1, inputs, 9);
    const std::vector<std::uint32_t> at{8, 0, 3, 3};
    std::vector<double> expected(4), first;
    reference_backend().squared_distances(p.x.data(), p.y.view(), at, expected.data());
    testing::for_each_target([&](const std::string& target) {
      std::vector<double> found(4);
      cpu_backend().squared_distances(p.x.data(), p.y.view(), at, found.data());
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], expected[i], 1e-13 * expected[i]) << target;
      if (!testing::fuses(target)) return;
      if (!first.empty()) {
        EXPECT_EQ(found, first) << target;
      }
      first = found;
    });
  }
}

}  // namespace
}  // namespace bochner
