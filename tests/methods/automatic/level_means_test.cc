// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/level_means.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "maps/apply.h"
#include "maps/load.h"
#include "random/draw.h"

namespace bochner {
namespace {

// Rows of levels 1 .. 40, some with one row only, whose targets are effect * (drawn for the level) + noise.
struct Levels {
  explicit Levels(double effect) : y(300, 1), x(300, 2) {
    for (std::size_t i = 0; i < 300; ++i) {
      codes.push_back(std::uint32_t(i < 30 ? 1 : i < 280 ? 2 + i % 19 : i - 259));
      y(i, 0) = effect * normal(1, Draw::sample, codes[i]) + normal(2, Draw::sample, i);
      parts.push_back(std::uint32_t(i * 7 % 5));
    }
  }

  LevelSums sums() const {
    LevelSums out(40, 1);
    for (std::size_t i = 0; i < 300; ++i) out.add(codes[i], &y(i, 0), 1);
    out.settle();
    return out;
  }
  LevelColumn column() const {
    LevelColumn out = level_column(sums(), {0});
    out.codes = codes;
    return out;
  }
  Matrix<float> entered(std::span<const char> left_out = {}) {
    enter_levels(column(), {std::as_const(y).view(), {}, parts, left_out}, x.view());
    return x;
  }

  std::vector<std::uint32_t> codes, parts;
  Matrix<double> y;
  Matrix<float> x;
};

TEST(LevelSums, ShrinkTowardsTheMeanByTheVarianceInsideAndBetweenLevels) {
  const Levels rows(2);
  const LevelSums sums = rows.sums();
  double mean = 0, within = 0, between = 0, squares = 0, of[41] = {}, count[41] = {};
  for (std::size_t i = 0; i < 300; ++i) {
    mean += rows.y(i, 0) / 300;
    of[rows.codes[i]] += rows.y(i, 0);
    ++count[rows.codes[i]];
  }
  for (std::size_t i = 0; i < 300; ++i) within += std::pow(rows.y(i, 0) - of[rows.codes[i]] / count[rows.codes[i]], 2);
  for (int l = 1; l <= 40; ++l) {
    between += count[l] * std::pow(of[l] / count[l] - mean, 2);
    squares += count[l] * count[l];
  }
  const double sigma2 = within / (300 - 40), tau2 = (between - 39 * sigma2) / (300 - squares / 300);
  EXPECT_NEAR(sigma2, 1, 0.2);
  EXPECT_NEAR(tau2, 4, 2);
  double out[2];
  for (const std::size_t l : {1u, 5u, 40u}) {
    sums.values(l, nullptr, 0, out);
    EXPECT_NEAR(out[0], (of[l] + sigma2 / tau2 * mean) / (count[l] + sigma2 / tau2), 1e-12);
    EXPECT_NEAR(out[1], std::log(1 + count[l]), 1e-12);
  }
  sums.values(0, nullptr, 0, out);  // a level that no row had
  EXPECT_NEAR(out[0], mean, 1e-12);
  EXPECT_EQ(out[1], 0);
}

TEST(EnterLevels, ARowsOwnTargetAndThoseLeftOutTellItNothing) {
  Levels rows(1);
  std::vector<char> held(300, 0);
  for (std::size_t i = 0; i < 300; i += 4) held[i] = 1;
  const LevelColumn scale = rows.column();
  const auto entered = [&] {
    enter_levels(scale, {std::as_const(rows.y).view(), {}, rows.parts, held}, rows.x.view());
    return rows.x;
  };
  const Matrix<float> before = entered();
  rows.y(8, 0) += 100;  // held out: nobody hears of it
  const Matrix<float> after_held = entered();
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(after_held(i, 0), before(i, 0)) << i;
  // Two rows of one level and part: their mean stays, so all that the prior is made of stays but the variance inside.
  const Matrix<float> with = entered();
  std::size_t others = 0;
  rows.y(9, 0) += 5;
  const Matrix<float> after = entered();
  for (std::size_t i = 0; i < 300; ++i)
    if (rows.codes[i] == rows.codes[9] && rows.parts[i] != rows.parts[9]) others += after(i, 0) != with(i, 0);
  EXPECT_GT(others, 0u);
  // The row itself moves with the prior alone, as a row of a level nobody else has.
  EXPECT_LT(std::abs(after(9, 0) - with(9, 0)), 0.35 * std::abs(after(28, 0) - with(28, 0)) + 0.35);
}

TEST(EnterLevels, LevelsOfNoiseAllHaveTheMean) {
  Levels rows(0);
  for (std::size_t i = 0; i < 300; ++i) rows.y(i, 0) = double(i / 19 % 2);  // the same in every level of 2 .. 20
  const Matrix<float> x = rows.entered();
  for (std::size_t i = 1; i < 300; ++i) EXPECT_EQ(x(i, 0), x(0, 0));
}

TEST(TwofoldColumn, OfLevelsComesBackFromItsFile) {
  const LevelColumn column = Levels(2).column();
  EXPECT_EQ(column.column.levels(), 40u);
  EXPECT_EQ(column.column.indicators, 20u);  // levels of 1 % of the rows or more
  const MapPtr map = twofold({column.column, twofold_column({1, 2, 3})});
  EXPECT_EQ(map->outputs(), 2 + 20 + 2u);
  Archive archive;
  map->save(archive);
  const MapPtr loaded = load_twofold(archive);
  Matrix<float> in(5, 2);
  for (std::size_t i = 0; i < 5; ++i) in(i, 0) = std::array<float, 5>{0, 1, 40, 41, -3}[i];
  const Matrix<float> a = apply(*map, in, cpu_backend());
  EXPECT_EQ(apply(*loaded, in, cpu_backend()), a);
  for (const std::size_t i : {3, 4})  // no such level
    for (std::size_t j = 0; j < map->outputs(); ++j) EXPECT_EQ(a(i, j), a(0, j));
  EXPECT_EQ(a(1, 2), 1);
  TwofoldColumn bad = column.column;
  bad.values.pop_back();
  EXPECT_THROW(twofold({bad}), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
