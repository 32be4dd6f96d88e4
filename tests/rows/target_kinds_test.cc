// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <gtest/gtest.h>

#include <cmath>

#include "random/draw.h"
#include "rows/labels.h"

namespace bochner {
namespace {

TargetKinds of(const std::vector<int>& rows, int first = 0) {
  TargetKinds kinds;
  for (std::size_t v = 0; v < rows.size(); ++v)
    for (int i = 0; i < rows[v]; ++i) kinds.add(first + double(v));
  return kinds;
}

// Counts of n draws of Poisson's law.
std::vector<int> poisson(double rate, std::size_t n, std::uint64_t seed) {
  std::vector<int> rows(60);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t k = 0;
    for (double product = uniform(seed, Draw::shift, i, 0); product > std::exp(-rate); ++k)
      product *= uniform(seed, Draw::shift, i, k + 1);
    ++rows[k];
  }
  return rows;
}

TEST(TargetKinds, OfALawOfCountsAreNoClasses) {
  for (const double rate : {2.0, 3.5, 6.0})
    for (std::uint64_t seed = 1; seed <= 10; ++seed)
      EXPECT_TRUE(of(poisson(rate, 2000, seed)).look_like_counts()) << rate << " " << seed;
  EXPECT_FALSE(of(poisson(3.5, 2000, 1)).look_like_classes());
  EXPECT_EQ(of(poisson(3.5, 2000, 1)).notes("y").size(), 1u);
  EXPECT_TRUE(of({20, 200, 60, 5}).notes("y").empty());
}

TEST(TargetKinds, OfCodesStayClasses) {
  const std::vector<std::vector<int>> codes = {
      {178, 182, 177, 183, 181, 182, 181, 179, 174, 180},  // digits
      {463, 429, 244, 163, 51, 44, 35, 30, 20, 5},         // kinds by their frequency
      {0, 45586, 50, 171, 8903, 3267, 10, 13},             // shuttle, from 1
      {0, 2160, 2833, 357, 27, 94, 173, 205},              // kinds of forest, from 1
      {70, 76, 17, 13, 9, 29},                             // glass
      {20, 200, 60, 5},                                    // few
      {5, 50, 90, 50, 90, 20, 3, 1},                       // two peaks
      {100, 110, 120, 130, 120, 110, 100},                 // no tail
  };
  for (const std::vector<int>& rows : codes) {
    EXPECT_FALSE(of(rows).look_like_counts());
    EXPECT_TRUE(of(rows).look_like_classes());
  }
  EXPECT_FALSE(of({10, 53, 681, 638, 199, 18, 4, 1}, 3).look_like_counts());  // marks from 3 up
}

TEST(TargetKinds, OfPartsAreThoseOfTheWhole) {
  const std::vector<int> rows = poisson(3, 900, 4);
  std::vector<int> half = rows, rest = rows;
  for (std::size_t v = 0; v < rows.size(); ++v) rest[v] -= half[v] = rows[v] / 3;
  TargetKinds one = of(half), other = of(rest);
  one.merge(of(rest));
  other.merge(of(half));
  EXPECT_EQ(one.look_like_counts(), of(rows).look_like_counts());
  EXPECT_EQ(other.look_like_counts(), of(rows).look_like_counts());
  EXPECT_EQ(one.labels(), other.labels());
}

}  // namespace
}  // namespace bochner
