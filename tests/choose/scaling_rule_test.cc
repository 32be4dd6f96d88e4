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

TEST(ScalingRule, PixelsThatAreToBeLeftAloneAre) {
  Problem p(300, 16);
  for (std::size_t i = 0; i < 300; ++i)
    for (std::size_t j = 0; j < 16; ++j) p.x(i, j) = double((i * 7 + j * 13) % 17);
  const ChosenScaling chosen = choose_scaling(p.schema, p.survey(), {{}, {{3, Method::none}}, false, {4}});
  for (std::size_t j = 0; j < 16; ++j)
    EXPECT_EQ(chosen.columns[j].method, j == 3 || j == 4 ? Method::none : Method::minmax) << j;
}

TEST(ScalingRule, InputsAsGivenStayIfTheyAreConstantAndGiveWayToWhatIsSaid) {
  MixedColumns p;
  const ChosenScaling chosen = choose_scaling(p.schema, p.survey(), {{}, {{1, Method::minmax}}, false, {1, 3}});
  EXPECT_EQ(chosen.columns[3], ColumnScaling());
  EXPECT_TRUE(chosen.constants.empty());
  EXPECT_EQ(chosen.columns[1].method, Method::minmax);
}

TEST(ScalingRule, SplitsRanksEvenlyByQuantiles) {
  MixedColumns p;
  const ChosenScaling chosen = choose_scaling(p.schema, p.survey(), {Method::quantile, {}});
  const ColumnScaling& column = chosen.columns[0];
  ASSERT_GT(column.quantiles.size(), 2u);
  EXPECT_TRUE(std::is_sorted(column.quantiles.begin(), column.quantiles.end()));
  EXPECT_EQ(column.center, 0.5);
}

TEST(ScalingRule, TakesWeightsAsRepetitions) {
  constexpr std::size_t kRows = 300;
  Problem weighted(kRows, 3), repeated(2 * kRows, 3);
  weighted.schema.targets = repeated.schema.targets = 0;
  std::vector<double> weights(kRows);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < kRows; ++i) {
    weighted.x(i, 1) = std::exp(2 * weighted.x(i, 1));
    weights[i] = double(weighted.x(i, 0) > 0.5 ? 3 : i % 2);
    for (int k = 0; k < int(weights[i]); ++k) rows.push_back(i);
  }
  ASSERT_LE(rows.size(), repeated.x.rows());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < 3; ++j) repeated.x(i, j) = weighted.x(rows[i], j);
  Threads threads(1);
  const auto survey_of = [&](const Problem& p, std::size_t count, const double* w) {
    Survey survey(p.schema, 7);
    RowBlock<double> block = RowBlock<double>::dense(std::as_const(p.x).view().slice(0, count));
    block.weights = w;
    survey.add(workers_on(threads), block);
    return survey;
  };
  const Survey one = survey_of(weighted, kRows, weights.data()), other = survey_of(repeated, rows.size(), nullptr);
  for (const auto& [method, tolerance] : {std::pair{Method::standardize, 1e-9}, {Method::log, 0.02}}) {
    const ChosenScaling a = choose_scaling(weighted.schema, one, {method, {}});
    const ChosenScaling b = choose_scaling(weighted.schema, other, {method, {}});
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(a.columns[j].center, b.columns[j].center, tolerance);
      EXPECT_NEAR(a.columns[j].factor / b.columns[j].factor, 1, tolerance);
    }
  }
  const ChosenScaling a = choose_scaling(weighted.schema, one, {Method::quantile, {}});
  const ChosenScaling b = choose_scaling(weighted.schema, other, {Method::quantile, {}});
  for (std::size_t q = 1; q < 255; ++q) EXPECT_NEAR(a.columns[0].quantiles[q], b.columns[0].quantiles[q], 0.2);
}

TEST(ScalingRule, HasNoMapWhereNothingChanges) {
  MixedColumns p;
  EXPECT_EQ(choose_scaling(p.schema, p.survey(), {Method::none, {}, true}).map(), nullptr);
  EXPECT_NE(choose_scaling(p.schema, p.survey(), {Method::none, {}}).map(), nullptr);  // a constant is left out
}

}  // namespace
}  // namespace bochner
