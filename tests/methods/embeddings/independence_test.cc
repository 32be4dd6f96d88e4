// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/independence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bochner/error.h"
#include "random/draw.h"

namespace bochner {
namespace {

enum class Law { nothing, square, circle, classes };

// Input 0 may tell of the target, inputs 1 and 2 never do.
struct Pairs {
  Pairs(std::size_t rows, Law law, std::uint64_t seed) : x(rows, 3), y(rows, 1) {
    schema.inputs = 3;
    schema.targets = 1;
    if (law == Law::classes) {
      schema.task = Task::classification;
      schema.labels = {"near", "far"};
    }
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < 3; ++j) x(i, j) = float(normal(seed, Draw::entry, i, j));
      const double u = x(i, 0), noise = normal(seed, Draw::entry, i, 3);
      const double angle = 2 * M_PI * uniform(seed, Draw::pick, i);
      if (law == Law::nothing) y(i, 0) = noise;
      if (law == Law::square) y(i, 0) = u * u + 0.5 * noise;
      if (law == Law::classes) y(i, 0) = std::fabs(u) > 1 ? 1 : 0;
      if (law != Law::circle) continue;
      x(i, 0) = float(std::cos(angle));
      y(i, 0) = std::sin(angle);  // uncorrelated in every power of one alone
    }
  }
  Independence test(const IndependenceOptions& options) const {
    const auto rows = memory_rows<float>(x.view(), y.view(), schema);
    return independence(*rows, options);
  }
  Matrix<float> x;
  Matrix<double> y;
  Schema schema;
};

IndependenceOptions quick(std::uint64_t seed = 0) {
  IndependenceOptions options;
  options.features = 16;
  options.permutations = 100;
  options.seed = seed;
  return options;
}

TEST(Independence, KeepsItsLevel) {
  int overall = 0, columns = 0;
  for (std::uint64_t run = 0; run < 300; ++run) {
    const Independence found = Pairs(40, Law::nothing, run).test(quick(run));
    overall += found.p_value <= 0.05;
    double least = 1;
    for (const Independence::Column& column : found.columns) least = std::min(least, column.p_value);
    columns += least <= 0.05;
  }
  EXPECT_LE(overall, 30);  // 15 are expected, deviation 3.8
  EXPECT_GE(overall, 2);
  EXPECT_LE(columns, 30);
}

TEST(Independence, TheLimitLawKeepsItsLevel) {
  int overall = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    IndependenceOptions options = quick(run);
    options.permuted_rows = 256;
    const Independence found = Pairs(600, Law::nothing, run).test(options);
    EXPECT_FALSE(found.exact);
    overall += found.p_value <= 0.05;
  }
  EXPECT_LE(overall, 23);  // 10 are expected, deviation 3.1
  EXPECT_GE(overall, 1);
}

TEST(Independence, FindsWhatCorrelationsMiss) {
  for (const Law law : {Law::square, Law::circle, Law::classes}) {
    const Independence found = Pairs(300, law, 1).test(quick());
    EXPECT_TRUE(found.exact);
    EXPECT_EQ(found.p_value, 0.01) << int(law);
    ASSERT_EQ(found.columns.size(), 3u);
    EXPECT_EQ(found.columns[0].p_value, 0.01) << int(law);
    EXPECT_GT(std::min(found.columns[1].p_value, found.columns[2].p_value), 0.01) << int(law);
  }
}

TEST(Independence, FindsItInMoreRowsThanArePermuted) {
  IndependenceOptions options = quick();
  options.permuted_rows = 256;
  const Independence found = Pairs(2000, Law::square, 1).test(options);
  EXPECT_FALSE(found.exact);
  EXPECT_EQ(found.rows, 2000u);
  EXPECT_EQ(found.rows_permuted, 256u);
  EXPECT_EQ(found.p_value, 0.01);
}

TEST(Independence, DoesNotDependOnThreadsOrUnits) {
  const Pairs pairs(400, Law::square, 2);
  IndependenceOptions one = quick(), three = quick();
  one.execution.threads = 1;
  three.execution.threads = 3;
  const Independence a = pairs.test(one), b = pairs.test(three);
  EXPECT_EQ(a.p_value, b.p_value);
  EXPECT_EQ(a.statistic, b.statistic);
  Pairs other = pairs;
  for (std::size_t i = 0; i < 400; ++i) {
    other.y(i, 0) *= 1048576;
    other.x(i, 1) *= 1.0f / 65536;
  }
  EXPECT_NEAR(other.test(one).statistic, a.statistic, 1e-5 * a.statistic);
}

TEST(Independence, OfAConstantThereIsNone) {
  Pairs pairs(50, Law::nothing, 3);
  for (std::size_t i = 0; i < 50; ++i) pairs.y(i, 0) = 7, pairs.x(i, 1) = 3;
  const Independence found = pairs.test(quick());
  EXPECT_GT(found.p_value, 0.05);
  EXPECT_TRUE(std::isfinite(found.statistic));
}

TEST(Independence, RefusesWhatItCannotTest) {
  const Pairs few(3, Law::nothing, 1);
  EXPECT_THROW(few.test(quick()), Error);
  Pairs pairs(50, Law::nothing, 1);
  IndependenceOptions odd = quick();
  odd.features = 3;
  EXPECT_THROW(pairs.test(odd), std::invalid_argument);
  pairs.x(7, 1) = NAN;
  EXPECT_THROW(pairs.test(quick()), Error);
  pairs.schema.targets = 0;
  const auto rows = memory_rows<float>(pairs.x.view(), {}, pairs.schema);
  EXPECT_THROW(independence(*rows, quick()), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
