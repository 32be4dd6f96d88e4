// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/scaling_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "choose/problem.h"

namespace bochner {
namespace {

using Method = ColumnScaling::Method;

// A skewed positive input, a symmetric one, an indicator and a constant.
struct MixedColumns : Problem {
  MixedColumns() : Problem(500) {
    for (std::size_t i = 0; i < 500; ++i) {
      x(i, 0) = std::exp(2 * x(i, 0));
      x(i, 1) = 10 + 3 * x(i, 1);
      x(i, 2) = double(i % 2);
      x(i, 3) = 7;
    }
  }
};

TEST(ScalingRule, TakesEachColumnAsItsValuesAre) {
  MixedColumns p;
  const Survey survey = p.survey();
  const ChosenScaling chosen = choose_scaling(p.schema, survey, {});
  EXPECT_EQ(chosen.columns[0].method, Method::log);
  EXPECT_EQ(chosen.columns[1].method, Method::standardize);
  EXPECT_NEAR(chosen.columns[1].center, 10, 0.5);
  EXPECT_NEAR(chosen.columns[1].factor, 1 / 3.0, 0.05);
  EXPECT_EQ(chosen.columns[2].method, Method::none);
  EXPECT_EQ(chosen.columns[3].factor, 0);  // left out
  EXPECT_EQ(chosen.constants, std::vector<std::size_t>{3});
  EXPECT_EQ(chosen.summary, "1 standardized, 1 by log, 1 left alone");
}

TEST(ScalingRule, IsOverruledForAllInputsOrForOne) {
  MixedColumns p;
  const Survey survey = p.survey();
  const ChosenScaling chosen = choose_scaling(p.schema, survey, {Method::minmax, {{1, Method::none}}});
  EXPECT_EQ(chosen.columns[0].method, Method::minmax);
  EXPECT_EQ(chosen.columns[1], ColumnScaling());
  EXPECT_EQ(chosen.columns[2], (ColumnScaling{.method = Method::minmax, .center = 0, .factor = 1}));
  EXPECT_THROW(choose_scaling(p.schema, survey, {{}, {{4, Method::none}}}), std::invalid_argument);
}

TEST(ScalingRule, KeepsConstantsWhereTheyStandInForAnIntercept) {
  MixedColumns p;
  const ChosenScaling chosen = choose_scaling(p.schema, p.survey(), {{}, {}, true});
  EXPECT_TRUE(chosen.constants.empty());
  EXPECT_EQ(chosen.columns[3], ColumnScaling());
}

TEST(ScalingRule, DividesPixelsByTheRangeTheyShare) {
  Problem p(300, 16);
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t j = 0; j < 16; ++j) p.x(i, j) = double((i * 7 + j * 13) % 17);
  const ChosenScaling chosen = choose_scaling(p.schema, p.survey(), {});
  for (const ColumnScaling& column : chosen.columns)
    EXPECT_EQ(column, (ColumnScaling{.method = Method::minmax, .center = 0, .factor = 1 / 16.0}));
  EXPECT_EQ(chosen.summary, "all inputs share the range 0 to 16 and are divided by it");
}

TEST(ScalingRule, SplitsRanksEvenlyByQuantiles) {
  MixedColumns p;
  const ChosenScaling chosen = choose_scaling(p.schema, p.survey(), {Method::quantile, {}});
  const ColumnScaling& column = chosen.columns[0];
  ASSERT_GT(column.quantiles.size(), 2u);
  EXPECT_TRUE(std::is_sorted(column.quantiles.begin(), column.quantiles.end()));
  EXPECT_EQ(column.center, 0.5);
}

TEST(ScalingRule, HasNoMapWhereNothingChanges) {
  MixedColumns p;
  EXPECT_EQ(choose_scaling(p.schema, p.survey(), {Method::none, {}, true}).map(), nullptr);
  EXPECT_NE(choose_scaling(p.schema, p.survey(), {Method::none, {}}).map(), nullptr);  // a constant is left out
}

}  // namespace
}  // namespace bochner
