// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bochner/error.h"
#include "bochner/train.h"
#include "folds/target_code.h"
#include "learn/evaluator.h"
#include "learn/left_out.h"
#include "learn/ranking.h"
#include "random/draw.h"

namespace bochner {
namespace {

double draw(std::size_t i, std::size_t j) { return normal(7, Draw::sample, i, j); }

// n targets about `center` and predictions that miss them by a third.
Scorer numbers(std::size_t n, double center, double unit, bool weighted) {
  Scorer scorer(Task::regression, 1);
  for (std::size_t i = 0; i < n; ++i) {
    const double target = center + unit * draw(i, 0), prediction = target + unit * draw(i, 1) / 3;
    scorer.add(&prediction, &target, weighted ? 0.5 + double(i % 3) : 1);
  }
  return scorer;
}

TEST(Score, R2IsTheSameFarFromZeroAndInAnyUnit) {
  const Score near = numbers(500, 0, 1, false).score();
  for (const double center : {1e6, -1e9})
    for (const double unit : {1e-1, 1e6}) {
      const Score far = numbers(500, center, unit, false).score();
      const double digits = 1e-15 * std::abs(center) / unit + 1e-12;
      EXPECT_NEAR(*far.r2, *near.r2, 10 * digits) << center << " " << unit;
      EXPECT_NEAR(*far.standard_error, *near.standard_error, 10 * digits);
      EXPECT_NEAR(*far.mae / unit, *near.mae, 10 * digits);
    }
}

TEST(Score, HasNoStandardErrorOfPowersThatVanish) {
  const Score plain = numbers(500, 0, 1, false).score(), tiny = numbers(500, 0, 1e-100, false).score();
  EXPECT_NEAR(*tiny.r2, *plain.r2, 1e-12);
  EXPECT_FALSE(tiny.standard_error);
  EXPECT_TRUE(numbers(500, 0, 1e-60, false).score().standard_error);
}

TEST(Score, TargetsWhoseSquaresVanishAreRefused) {
  for (const double unit : {1e-200, 1.0, 1e200}) {
    Evaluator evaluator(Task::regression, 2, {"zero", "y"});
    for (const double value : {1.0, 2.0, 4.0}) {
      const double target[] = {0, value * unit}, prediction[] = {0, value};
      evaluator.add(prediction, target, 1, nullptr);
    }
    if (unit == 1)
      EXPECT_EQ(evaluator.evaluation().per_target[1].r2, 1);
    else
      EXPECT_THROW(evaluator.evaluation(), Error);
  }
}

// As the formula has it, row by row.
TEST(Score, StandardErrorOfR2IsThatOfARatioOfMeans) {
  for (const bool weighted : {false, true}) {
    const std::size_t n = 200;
    const Score score = numbers(n, 3, 2, weighted).score();
    double W = 0, mean = 0, A = 0, B = 0, squares = 0;
    const auto weight = [&](std::size_t i) { return weighted ? 0.5 + double(i % 3) : 1.0; };
    const auto target = [](std::size_t i) { return 3 + 2 * draw(i, 0); };
    const auto miss = [](std::size_t i) { return 2 * draw(i, 1) / 3; };
    for (std::size_t i = 0; i < n; ++i) W += weight(i), mean += weight(i) * target(i);
    mean /= W;
    for (std::size_t i = 0; i < n; ++i) {
      A += weight(i) * miss(i) * miss(i);
      B += weight(i) * (target(i) - mean) * (target(i) - mean);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double v = target(i) - mean;
      squares += std::pow(weight(i) * (miss(i) * miss(i) - A / B * v * v), 2);
    }
    EXPECT_NEAR(*score.r2, 1 - A / B, 1e-12);
    EXPECT_NEAR(*score.standard_error, std::sqrt(squares) / B, 1e-10);
    EXPECT_EQ(score.weighted, weighted);
  }
}

// The spread of R2 over draws of the rows is what a standard error claims.
TEST(Score, StandardErrorIsTheSpreadOverDraws) {
  double sum = 0, squares = 0, claimed = 0;
  const std::size_t draws = 400, n = 300;
  for (std::size_t d = 0; d < draws; ++d) {
    Scorer scorer(Task::regression, 1);
    for (std::size_t i = 0; i < n; ++i) {
      const double target = draw(d * n + i, 2), prediction = target + draw(d * n + i, 3) / 2;
      scorer.add(&prediction, &target);
    }
    const Score score = scorer.score();
    sum += *score.r2;
    squares += *score.r2 * *score.r2;
    claimed += *score.standard_error / double(draws);
  }
  const double spread = std::sqrt(squares / double(draws) - sum * sum / double(draws * draws));
  EXPECT_NEAR(claimed, spread, 0.15 * spread);
}

TEST(Score, SumsOverCodesDecodeToSumsOverTargets) {
  const TargetCode code{Task::regression, 0, {250.0}, {40.0}};
  Scorer coded(Task::regression, 1), plain(Task::regression, 1);
  for (std::size_t i = 0; i < 100; ++i) {
    const double target = 250 + 40 * draw(i, 0) / 4, prediction = target + draw(i, 1);
    const double c = (target - 250) / 40, p = (prediction - 250) / 40;
    plain.add(&prediction, &target, 1 + double(i % 2));
    coded.add(&p, &c, 1 + double(i % 2));
  }
  const Score a = coded.decoded(code).score(), b = plain.score();
  EXPECT_NEAR(*a.r2, *b.r2, 1e-12);
  EXPECT_NEAR(*a.rmse, *b.rmse, 1e-9);
  EXPECT_NEAR(*a.mae, *b.mae, 1e-9);
  EXPECT_NEAR(*a.relative_error, *b.relative_error, 1e-12);
  EXPECT_NEAR(*a.standard_error, *b.standard_error, 1e-10);
}

TEST(Score, GoesThroughALogUnchanged) {
  Scorer classes(Task::classification, 3);
  for (std::size_t i = 0; i < 40; ++i) {
    const double scores[3] = {draw(i, 0), draw(i, 1), draw(i, 2)}, label = double(i % 3);
    classes.add(scores, &label, 1 + double(i % 4));
  }
  for (const auto& [task, outputs, scorer] : {std::tuple{Task::regression, std::size_t(1), numbers(50, 1, 2, true)},
                                              std::tuple{Task::classification, std::size_t(3), classes}}) {
    std::vector<double> log;
    scorer.append_to(log);
    ASSERT_EQ(log.size(), Scorer::number_count(outputs));
    const Scorer back = Scorer::from(task, outputs, log.data());
    EXPECT_EQ(back.score().text(), scorer.score().text());
    EXPECT_EQ(back.loss(), scorer.loss());
    std::vector<double> score_log;
    append_score(scorer.score(), score_log);
    ASSERT_EQ(score_log.size(), score_number_count());
    EXPECT_EQ(score_from(score_log.data()).text(), scorer.score().text());
  }
}

TEST(Score, ErrorHasItsStandardErrorAndItsBaseline) {
  Scorer scorer(Task::classification, 1);
  for (std::size_t i = 0; i < 100; ++i) {
    const double label = i < 30 ? 1 : 0, score = i < 20 || i == 99 ? 1 : -1;  // ten of one, one of the other wrong
    scorer.add(&score, &label);
  }
  const Score score = scorer.score();
  EXPECT_DOUBLE_EQ(*score.error, 0.11);
  EXPECT_DOUBLE_EQ(*score.baseline_error, 0.3);
  EXPECT_NEAR(*score.standard_error, std::sqrt(0.11 * 0.89 / 100), 1e-15);
  EXPECT_FALSE(score.unweighted_error);
  EXPECT_EQ(score.warning(), "");
  EXPECT_EQ(score.text(), "error 11.00 % ± 3.13, always the most frequent class 30.00 %, AUC 0.8262 on 100 rows");
}

TEST(Score, WeightsAreNamed) {
  Scorer scorer(Task::classification, 1);
  for (std::size_t i = 0; i < 10; ++i) {
    const double label = double(i == 0), score = -1;
    scorer.add(&score, &label, i == 0 ? 9 : 1);
  }
  EXPECT_EQ(
      scorer.score().text(),
      "weighted error 50.00 % ± 26.35, unweighted 10.00 %, always the most frequent class 50.00 %, AUC 0.5000 on 10 "
      "rows");
  EXPECT_NE(scorer.score().warning(), "");
}

TEST(Score, NoiseAboutALargeMeanIsSaidToBeNoBetterThanTheMean) {
  Scorer scorer(Task::regression, 1);
  for (std::size_t i = 0; i < 400; ++i) {
    const double target = 1000 + draw(i, 0), prediction = 1000 + 0.1 * draw(i, 1);
    scorer.add(&prediction, &target);
  }
  EXPECT_LT(*scorer.score().relative_error, 0.002);  // looks splendid
  EXPECT_NE(scorer.score().warning().find("mean"), std::string::npos);
  EXPECT_EQ(scorer.score().text().substr(0, 2), "R2");
}

double naive_area(const std::vector<double>& scores, const std::vector<bool>& own, const std::vector<double>& weight) {
  double wins = 0, pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    for (std::size_t j = 0; j < scores.size(); ++j)
      if (own[i] && !own[j]) {
        pairs += weight[i] * weight[j];
        wins += weight[i] * weight[j] * (scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0);
      }
  return wins / pairs;
}

TEST(ClassRanking, AreaIsTheShareOfPairsInOrder) {
  std::vector<double> scores, weight;
  std::vector<bool> own;
  ClassRanking exact(1000), binned(10, ClassRanking::Beyond::histogram), forgetful(10);
  for (std::size_t i = 0; i < 300; ++i) {
    own.push_back(i % 3 == 0);
    scores.push_back(std::round(8 * (draw(i, 0) + (own[i] ? 0.7 : 0))) / 8);  // rounded: there are ties
    weight.push_back(1 + double(i % 2));
    exact.add(scores[i], own[i], weight[i]);
    binned.add(scores[i], own[i], weight[i]);
    forgetful.add(scores[i], own[i], weight[i]);
  }
  EXPECT_TRUE(exact.exact());
  EXPECT_FALSE(binned.exact());
  EXPECT_NEAR(exact.area().value, naive_area(scores, own, weight), 1e-12);
  EXPECT_NEAR(binned.area().value, naive_area(scores, own, weight), 1e-12);  // eighths have their own bins
  EXPECT_TRUE(std::isnan(forgetful.area().value));
  ClassRanking one_class(5);
  one_class.add(1, true, 1);
  EXPECT_TRUE(std::isnan(one_class.area().value));
}

TEST(ClassRanking, CurveHasTheAreaAndEndsWhereAllRowsAreTaken) {
  ClassRanking exact(5000), binned(10, ClassRanking::Beyond::histogram);
  for (std::size_t i = 0; i < 4000; ++i) {
    const double score = draw(i, 0) + (i % 5 == 0 ? 1.0 : 0);
    exact.add(score, i % 5 == 0, 1);
    binned.add(score, i % 5 == 0, 1);
  }
  for (const ClassRanking* ranking : {&exact, &binned}) {
    const auto points = ranking->curve();
    EXPECT_LT(points.size(), 250u);
    double area = 0;
    Evaluation::RankingPoint before{0, 0, 1};
    for (const Evaluation::RankingPoint& p : points) {
      area += (p.false_alarms - before.false_alarms) * (p.recall + before.recall) / 2;
      EXPECT_NEAR(p.precision, 800 * p.recall / (800 * p.recall + 3200 * p.false_alarms), 1e-12);
      before = p;
    }
    EXPECT_NEAR(area, ranking->area().value, 0.002);
    EXPECT_EQ(before.recall, 1);
    EXPECT_EQ(before.false_alarms, 1);
    EXPECT_NEAR(before.precision, 0.2, 1e-12);
  }
  ClassRanking one_class(5);
  one_class.add(1, true, 1);
  EXPECT_TRUE(one_class.curve().empty());
}

// Mann and Whitney's statistic of scores that know nothing.
TEST(ClassRanking, ByChanceIsTheDeviationOfAreasOfNoise) {
  double squares = 0, by_chance = 0;
  constexpr std::size_t kTrials = 2000;
  for (std::size_t t = 0; t < kTrials; ++t) {
    ClassRanking ranking(1000);
    for (std::size_t i = 0; i < 40; ++i) ranking.add(draw(i, 2 + t), i < 8, 3);
    squares += std::pow(ranking.area().value - 0.5, 2) / kTrials;
    by_chance = ranking.area().by_chance;
  }
  EXPECT_NEAR(by_chance, std::sqrt(41.0 / (12 * 8 * 32)), 1e-12);
  EXPECT_NEAR(std::sqrt(squares), by_chance, 0.05 * by_chance);
}

// 50 of 1000 rows are rare, none passes one half, and their probabilities are those of a half of the rows that has
// all of them.
Score rare_classes(bool known, bool probabilities) {
  Scorer scorer(Task::classification, 1);
  for (std::size_t i = 0; i < 1000; ++i) {
    const double label = i < 50 ? 1 : 0, p = !known ? 0.05 : i < 500 ? 0.1 : 0.001, score = 2 * p - 1;
    const double loss = probabilities ? -std::log(label == 1 ? p : 1 - p) : std::nan("");
    scorer.add(&score, &label, 1, loss);
  }
  return scorer.score();
}

TEST(Score, LogLossStandsBesideThatOfAConstantWithAPairedError) {
  const Score score = rare_classes(true, true);
  const double constant = -(0.05 * std::log(0.05) + 0.95 * std::log(0.95));
  EXPECT_NEAR(*score.baseline_log_loss, constant, 1e-12);
  double mean = 0, squares = 0;
  const auto difference = [](std::size_t i) {
    const double p = i < 500 ? 0.1 : 0.001;
    return i < 50 ? std::log(0.05 / p) : std::log(0.95 / (1 - p));
  };
  for (std::size_t i = 0; i < 1000; ++i) mean += difference(i) / 1000;
  for (std::size_t i = 0; i < 1000; ++i) squares += std::pow(difference(i) - mean, 2);
  EXPECT_NEAR(*score.log_loss, constant + mean, 1e-12);
  EXPECT_NEAR(*score.log_loss_standard_error, std::sqrt(squares) / 1000, 1e-12);
  EXPECT_EQ(score.text(),
            "error 5.00 % ± 0.69, always the most frequent class 5.00 %, log-loss 0.1630, of a constant 0.1985, AUC "
            "0.7632 on 1000 rows");
}

TEST(Score, ClassesThatAreRankedWellAreNoReasonToWarn) {
  for (const bool probabilities : {true, false}) {
    EXPECT_EQ(rare_classes(true, probabilities).warning(), "");
    EXPECT_NE(rare_classes(true, probabilities).hint().find("few rows pass one half"), std::string::npos);
    EXPECT_NE(rare_classes(false, probabilities).warning(), "");
    EXPECT_EQ(rare_classes(false, probabilities).hint(), "");
  }
}

TEST(Evaluator, ConfusionRecallPrecisionAndF1) {
  Evaluator evaluator(Task::classification, 3, {"a", "b", "c"});
  const int pairs[][2] = {{0, 0}, {0, 0}, {0, 1}, {1, 1}, {1, 0}, {1, 1}, {1, 1}};  // true, answered; no row is c
  for (const auto& [label, answer] : pairs) {
    double scores[3] = {-1, -1, -1};
    scores[answer] = 1;
    const double target = label;
    evaluator.add(scores, &target, 1, nullptr);
  }
  const Evaluation e = evaluator.evaluation();
  EXPECT_EQ(e.confusion, (std::vector<std::vector<double>>{{2, 1, 0}, {1, 3, 0}, {0, 0, 0}}));
  EXPECT_DOUBLE_EQ(e.recall[0], 2.0 / 3);
  EXPECT_DOUBLE_EQ(e.precision[1], 3.0 / 4);
  EXPECT_TRUE(std::isnan(e.recall[2]) && std::isnan(e.precision[2]));
  EXPECT_DOUBLE_EQ(*e.f1, (2 * 2 / 6.0 + 2 * 3 / 8.0) / 2);
  EXPECT_FALSE(e.score.log_loss);
  EXPECT_NE(e.text(true).find("recall"), std::string::npos);
}

TEST(Evaluator, ProbabilitiesGiveLogLossAndBrier) {
  Evaluator evaluator(Task::classification, 1, {"no", "yes"});
  for (const auto& [p, label] : {std::pair{0.8, 1.0}, std::pair{0.3, 0.0}, std::pair{0.4, 1.0}}) {
    const double score = std::log(p / (1 - p)), both[2] = {1 - p, p};
    evaluator.add(&score, &label, 1, both);
  }
  const Evaluation e = evaluator.evaluation();
  EXPECT_NEAR(*e.score.log_loss, -(std::log(0.8) + std::log(0.7) + std::log(0.4)) / 3, 1e-12);
  EXPECT_NEAR(*e.brier, (0.04 + 0.09 + 0.36) / 3, 1e-12);
  EXPECT_DOUBLE_EQ(*e.score.auc, 1);
}

TEST(Evaluator, EveryTargetHasItsScore) {
  Evaluator evaluator(Task::regression, 2, {"good", "bad"});
  for (std::size_t i = 0; i < 50; ++i) {
    const double target[2] = {draw(i, 0), draw(i, 1)}, prediction[2] = {target[0], 0};
    evaluator.add(prediction, target, 1, nullptr);
  }
  const Evaluation e = evaluator.evaluation();
  ASSERT_EQ(e.per_target.size(), 2u);
  EXPECT_DOUBLE_EQ(*e.per_target[0].r2, 1);
  EXPECT_LE(*e.per_target[1].r2, 0);
  EXPECT_NEAR(*e.score.r2, (1 + *e.per_target[1].r2) / 2, 1e-12);
}

TEST(LeaveOneOut, ResidualsThatAreOneNumberAreFound) {
  const std::size_t n = 40, at = 7;
  std::vector<double> own(n, 1.0), none(n, 0.0), left(n), with_row(n), half(n);
  none[at] = 1;
  EXPECT_EQ(shared_residuals(own, none, at), 0);  // M = I
  std::vector<double> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = draw(i, 9);
  for (std::size_t i = 0; i < n; ++i) {
    left[i] = v[i] * v[i];
    with_row[i] = v[i] * v[at];
    half[i] = v[i] * v[i] * 2;
  }
  EXPECT_NEAR(shared_residuals(left, with_row, at), 1, 1e-12);  // M = v v'
  EXPECT_NEAR(shared_residuals(half, with_row, at), 0.25, 1e-12);
  EXPECT_EQ(shared_residuals({1, 1}, {1, 1}, 0), 0);  // too few rows to tell
  EXPECT_EQ(median_place({5, 1, 4, 2, 3}), 4u);
  EXPECT_EQ(LeftOutScore({Scorer(Task::regression, 1), 0.9}).loss(), std::numeric_limits<double>::infinity());
}

// Leave-one-out on rows without a signal must say "a coin" (or the share of the rarer class), not 100 %: the mean of
// the other rows always leans away from the one left out.
TEST(LeaveOneOut, ClassesWithoutSignalAreACoin) {
  for (const std::size_t classes : {2, 4})
    for (const bool balanced : {false, true}) {
      const std::size_t n = 400;
      Matrix<float> x(n, 2);
      Matrix<double> y(n, 1);
      for (std::size_t i = 0; i < n; ++i) {
        x(i, 0) = float(draw(i, 5));
        x(i, 1) = float(draw(i, 6));
        y(i, 0) = double(i % classes);
        if (balanced && i % 8 < 5) y(i, 0) = 0;  // unequal classes that weights make equal
      }
      Schema schema{.inputs = 2, .task = Task::classification, .targets = 1};
      for (std::size_t c = 0; c < classes; ++c) schema.labels.push_back(std::string(1, char('a' + c)));
      const auto rows = memory_rows<float>(x.view(), y.view(), schema);
      for (const double lambda : {1e4, 1e-2}) {  // an intercept alone; a fit of noise
        TrainOptions options;
        options.features = 64;
        options.bandwidth = 1;
        options.balanced = balanced;
        options.ridge.lambdas = {lambda};
        options.ridge.select = RidgeOptions::Select::leave_one_out;
        options.execution.threads = 1;
        const Score score = *train(*rows, options).report().score;
        const double chance = 1 - 1 / double(classes);
        EXPECT_NEAR(*score.error, chance, 0.1) << classes << " classes, lambda " << lambda;
        EXPECT_NEAR(*score.baseline_error, chance, 1e-9);
      }
    }
}

}  // namespace
}  // namespace bochner
