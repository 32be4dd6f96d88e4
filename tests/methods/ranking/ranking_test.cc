// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Sums over pairs against loops over them, scores against their definitions, and what is learnt.

#include "bochner/ranking.h"

#include <gtest/gtest.h>

#include <cmath>

#include "bochner/error.h"
#include "bochner/figures.h"
#include "methods/ranking/pair_loss.h"
#include "model/saved_model.h"
#include "random/draw.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 120;

struct Graded {
  std::vector<double> grades, u, q;
  std::vector<std::uint64_t> groups;

  Graded() {
    for (std::size_t i = 0; i < kRows; ++i) {
      groups.push_back(i % 7 == 0 ? 100 : i / 30);
      grades.push_back(std::floor(4 * uniform(1, Draw::split, i)));
      u.push_back(0.8 * normal(2, Draw::split, i));
      q.push_back(normal(3, Draw::split, i));
    }
  }
};

// The loss by all pairs, with weights of pairs that weigh alike.
double loss_by_pairs(const Graded& p, const std::vector<double>& u) {
  double sum = 0;
  std::vector<std::uint64_t> seen;
  for (const std::uint64_t g : p.groups)
    if (std::find(seen.begin(), seen.end(), g) == seen.end()) seen.push_back(g);
  for (const std::uint64_t g : seen) {
    double own = 0, pairs = 0;
    for (std::size_t i = 0; i < kRows; ++i)
      for (std::size_t j = 0; j < kRows; ++j)
        if (p.groups[i] == g && p.groups[j] == g && p.grades[i] > p.grades[j]) {
          ++pairs;
          own += std::pow(std::max(0.0, 1 - (u[i] - u[j])), 2);
        }
    sum += own / pairs;
  }
  return sum / double(seen.size());
}

TEST(PairLoss, SortingFindsWhatLoopsOverPairsFind) {
  const Graded p;
  Threads threads(2);
  const PairLoss loss(p.grades, p.groups, threads);
  std::vector<double> downhill(kRows);
  EXPECT_NEAR(loss.evaluate(p.u, downhill), loss_by_pairs(p, p.u), 1e-12);
  for (const std::size_t i : {0u, 5u, 63u, 119u}) {
    std::vector<double> up = p.u, down = p.u;
    up[i] += 1e-5;
    down[i] -= 1e-5;
    EXPECT_NEAR(-downhill[i], (loss_by_pairs(p, up) - loss_by_pairs(p, down)) / 2e-5, 1e-7);
  }
}

TEST(PairLoss, ItsSecondDerivativeIsThatOfTheFirst) {
  const Graded p;
  Threads threads(1);
  PairLoss loss(p.grades, p.groups, threads);
  for (const bool by_ndcg : {false, true}) {
    if (by_ndcg) loss.weigh_by_ndcg(p.q);
    std::vector<double> there = p.u, back = p.u, a(kRows), b(kRows), r(kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
      there[i] += 1e-7 * p.q[i];
      back[i] -= 1e-7 * p.q[i];
    }
    loss.product(p.u, p.q, r);
    loss.evaluate(there, a);
    loss.evaluate(back, b);
    for (std::size_t i = 0; i < kRows; ++i) EXPECT_NEAR(r[i], (b[i] - a[i]) / 2e-7, 1e-6) << by_ndcg;
  }
}

TEST(RankingScore, IsThatOfItsDefinition) {
  // Grades in order of scores: 3, 0, 2, whose gains are 7, 0, 3.
  const std::vector<double> scores = {0.1, 0.9, 0.5}, grades = {2, 3, 0};
  const RankingScore found = score_ranking(scores, grades, {});
  EXPECT_NEAR(found.ndcg, (7 + 3 / 2.0) / (7 + 3 / std::log2(3)), 1e-12);
  EXPECT_NEAR(found.pairs, 2.0 / 3, 1e-12);
}

TEST(RankingScore, TiesShareTheirPlacesAndOneGradeDoesNotCount) {
  const std::vector<double> scores = {1, 1, 5, 5}, grades = {0, 1, 2, 2};
  const std::vector<std::uint64_t> groups = {7, 7, 9, 9};
  const RankingScore found = score_ranking(scores, grades, groups);
  EXPECT_NEAR(found.ndcg, (1 + 1 / std::log2(3)) / 2, 1e-12);
  EXPECT_EQ(found.pairs, 0.5);
  EXPECT_EQ(found.groups, 1u);
  EXPECT_EQ(found.without, 1u);
  EXPECT_EQ(score_ranking(scores, grades, groups, 1).ndcg, 0.5);
}

// Grades by the first input, which every query moves by another number.
struct Queries {
  Matrix<float> x;
  Matrix<double> y;
  Schema schema;
  RankingOptions options;

  Queries() : x(400, 3), y(400, 1) {
    for (std::size_t i = 0; i < 400; ++i) {
      for (std::size_t j = 0; j < 3; ++j) x(i, j) = float(normal(1, Draw::frequency, i, j));
      y(i, 0) = std::floor(2 + x(i, 0) + 0.1 * normal(2, Draw::frequency, i, 0)) + 1000 * double(i / 20 % 3);
      options.groups.push_back(i / 20);
    }
    schema.inputs = 3;
    schema.targets = 1;
    options.features.features = 64;
  }
  std::unique_ptr<Rows> rows() const { return memory_rows<float>(x.view(), y.view(), schema); }
};

using Ranking = SavedModel;

TEST_F(Ranking, GradesOfQueriesAreNotComparedWithEachOther) {
  const Queries p;
  const Model model = ranking(*p.rows(), p.options);
  EXPECT_GT(evaluate_ranking(model, *p.rows(), p.options.groups).pairs, 0.93);
  const Model loaded = (saved(model), Model::load(path_.string()));
  EXPECT_EQ(evaluate_ranking(loaded, *p.rows(), p.options.groups).pairs,
            evaluate_ranking(model, *p.rows(), p.options.groups).pairs);
}

TEST_F(Ranking, OnePenaltyIsTakenWhereGroupsAreTooFewToChoose) {
  Queries p;
  p.options.groups.assign(400, 0);
  p.options.lambdas = {0.5};
  EXPECT_EQ(ranking(*p.rows(), p.options).report().lambda, 0.5);
  p.options.lambdas = {0.5, 0.1};
  EXPECT_THROW(ranking(*p.rows(), p.options), std::invalid_argument);
}

TEST_F(Ranking, WeightsByNdcgAreNotTriedUnaskedWhereGroupsAreLong) {
  Queries p;
  const std::size_t rows = 20 * 1600;
  p.x = Matrix<float>(rows, 3);
  p.y = Matrix<double>(rows, 1);
  p.options.groups.clear();
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < 3; ++j) p.x(i, j) = float(normal(1, Draw::frequency, i, j));
    p.y(i, 0) = std::floor(p.x(i, 0));
    p.options.groups.push_back(i / 1600);
  }
  p.options.features.map = NoMap{};
  p.options.lambdas = {1e-3};
  const Model model = ranking(*p.rows(), p.options);
  EXPECT_EQ(figure_of(*model.head(), "ranking")[1], 0);
  std::string notes;
  for (const std::string& note : model.report().notes) notes += note;
  EXPECT_NE(notes.find("NDCG were not tried"), notes.npos);
}

TEST(RankingScore, NumbersMustBeFinite) {
  const std::vector<double> some = {1, 2, 3}, none = {1, NAN, 3};
  EXPECT_THROW(score_ranking(some, none, {}), std::invalid_argument);
  EXPECT_THROW(score_ranking(none, some, {}), std::invalid_argument);
}

TEST_F(Ranking, RefusesWhatMakesNoSense) {
  Queries p;
  p.options.lambdas = {0.0};
  EXPECT_THROW(ranking(*p.rows(), p.options), std::invalid_argument);
  p.options.lambdas = {1.0};
  p.options.groups.pop_back();
  EXPECT_THROW(ranking(*p.rows(), p.options), std::invalid_argument);
  p.options.groups.clear();
  for (std::size_t i = 0; i < 400; ++i) p.y(i, 0) = 1;
  EXPECT_THROW(ranking(*p.rows(), p.options), Error);
}

}  // namespace
}  // namespace bochner
