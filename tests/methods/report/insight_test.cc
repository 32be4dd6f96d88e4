// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/insight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "random/draw.h"

namespace bochner {
namespace {

using ::testing::HasSubstr;

double draw(std::size_t i, std::size_t j) { return normal(14, Draw::sample, i, j); }

// y = a + 3 (level of the text column is "two"), nothing of b.
struct Problem {
  Matrix<double> x, y;
  Schema schema;
  std::unique_ptr<Model> model;
  std::unique_ptr<Rows> rows;

  explicit Problem(std::size_t n) : x(n, 4), y(n, 1) {
    using Kind = Column::Kind;
    schema.columns = {{.name = "a"},
                      {.name = "b"},
                      {.name = "kind", .kind = Kind::category, .levels = {"one", "two"}},
                      {.name = "y", .kind = Kind::target}};
    schema.inputs = 4;
    schema.targets = 1;
    for (std::size_t i = 0; i < n; ++i) {
      for (const std::size_t j : {0u, 1u}) x(i, j) = draw(i, j);
      x(i, 2 + i % 2) = 1;
      y(i, 0) = x(i, 0) + 3 * x(i, 3);
    }
    Matrix<double> weights(4, 1);
    weights(0, 0) = 1;
    weights(3, 0) = 3;
    model = std::make_unique<Model>(schema, std::vector<MapPtr>{}, linear(std::move(weights), {0.0}), Report{});
    rows = memory_rows<double>(x.view(), y.view(), schema);
  }
};

TEST(Insight, ShufflingAColumnCostsTwiceItsShareOfTheVariance) {
  const Problem p(3000);
  const Insight found = look_into(*p.model, *p.rows, {.sample = 3000});
  EXPECT_NEAR(found.measured, 0, 1e-10);
  ASSERT_EQ(found.importance.size(), 3u);
  // The variance of y is 1 + 9/4; a shuffled column errs by twice the variance of its part.
  EXPECT_EQ(found.importance[0].column, "kind");
  EXPECT_NEAR(found.importance[0].rise, 2 * 2.25 / 3.25, 0.06);
  EXPECT_EQ(found.importance[1].column, "a");
  EXPECT_NEAR(found.importance[1].rise, 2 / 3.25, 0.05);
  EXPECT_NEAR(found.importance[2].rise, 0, 1e-10);
}

TEST(Insight, DependenceIsTheMeanOverTheOtherColumns) {
  const Problem p(2000);
  const Insight found = look_into(*p.model, *p.rows);
  ASSERT_EQ(found.dependence.size(), 2u);  // b matters to nothing
  const Insight::Dependence& kind = found.dependence[0];
  ASSERT_EQ(kind.levels.size(), 2u);
  EXPECT_NEAR(std::abs(kind.means[0][1] - kind.means[0][0]), 3, 1e-5);
  const Insight::Dependence& a = found.dependence[1];
  EXPECT_NEAR(a.means[0].back() - a.means[0].front(), a.at.back() - a.at.front(), 1e-5);
}

TEST(Insight, IsTheSameForAnySeedItIsGivenTwice) {
  const Problem p(500);
  const InsightOptions options{.sample = 100, .seed = 5};
  const Insight a = look_into(*p.model, *p.rows, options), b = look_into(*p.model, *p.rows, options);
  EXPECT_EQ(json_text(a), json_text(b));
  EXPECT_EQ(html_page(*p.model, a, "t"), html_page(*p.model, b, "t"));
  EXPECT_EQ(a.sample_rows, 100u);
  EXPECT_EQ(a.evaluation.score.rows, 500u);
}

TEST(Insight, StopsWhereItIsAsked) {
  const Problem p(300);
  Execution execution;
  std::atomic<int> calls = 0;  // every thread asks
  execution.cancel = [&] { return ++calls > 4; };
  EXPECT_THROW(look_into(*p.model, *p.rows, {}, execution), Stopped);
}

TEST(Insight, OfAModelWithoutTargetsIsRefused) {
  Schema schema;
  schema.inputs = 2;
  const Model model(schema, {}, linear(Matrix<double>(2, 1), {}), {}, false, Outputs{Outputs::Kind::density});
  Matrix<double> x(3, 2);
  const auto rows = memory_rows<double>(x.view(), {}, schema);
  EXPECT_THROW(look_into(model, *rows), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
