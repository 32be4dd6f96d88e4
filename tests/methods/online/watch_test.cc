// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "methods/online/drift_bets.h"
#include "table.h"

namespace bochner {
namespace {

TEST(OrderedScores, CountThoseAbove) {
  std::mt19937 draw(1);
  for (const unsigned kinds : {3u, 50u, 1000000u}) {
    OrderedScores ranks;
    std::vector<double> seen;
    for (int i = 0; i < 6000; ++i) {
      const double number = double(draw() % kinds) - 1;
      const OrderedScores::Place place = ranks.add(number);
      ASSERT_EQ(place.above, std::count_if(seen.begin(), seen.end(), [&](double other) { return other > number; }));
      ASSERT_EQ(place.equal, std::count(seen.begin(), seen.end(), number));
      seen.push_back(number);
    }
  }
}

// The first row at which the evidence suffices for the level 0.05, or the number of rows.
template <class Score>
int first_alarm(unsigned run, int rows, const Score& score) {
  std::mt19937 draw(run);
  DriftBets bets(run);
  for (int i = 0; i < rows; ++i)
    if (bets.add(score(i, draw)) >= std::log(20.0)) return i;
  return rows;
}

TEST(DriftBets, SeldomRaiseAnAlarmWhileNothingChanges) {
  constexpr int kRuns = 500, kRows = 2000;
  int alarms = 0;
  for (unsigned run = 0; run < kRuns; ++run) {
    std::normal_distribution<double> normal;
    const bool ties = run % 2;  // wrong or right: scores of two kinds
    alarms += first_alarm(run, kRows, [&](int, std::mt19937& draw) {
                return ties ? double(draw() % 4 == 0) : normal(draw);
              }) < kRows;
  }
  EXPECT_LE(alarms, kRuns / 20);
  RecordProperty("alarms", alarms);
}

TEST(DriftBets, SeeErrorsThatGrowWhenTheyDo) {
  for (const int change : {100, 1000, 10000})
    for (unsigned run = 0; run < 5; ++run) {
      std::normal_distribution<double> normal;
      const int at = first_alarm(run, change + 1000,
                                 [&](int i, std::mt19937& draw) { return normal(draw) + (i < change ? 0 : 1.5); });
      EXPECT_GE(at, change);
      EXPECT_LT(at, change + 100);
    }
}

TrainOptions options() {
  TrainOptions options;
  options.features = 32;
  options.bandwidth = 2.0;
  options.ridge.lambdas = {1e-3};
  return options;
}

TEST(Watch, AWindowIsATrainingOnTheNewestRows) {
  for (const std::size_t classes : {0, 3}) {
    const Table table(900, 3, classes, false, 4);
    for (const bool wide : {false, true}) {
      TrainOptions how = options();
      how.double_precision = wide;
      const auto fresh = [&] { return train_online(*table.some(numbers(0, 200)).rows, how); };
      const OnlineModel first = fresh();
      for (const std::size_t end : {230, 417, 900}) {
        OnlineModel model = fresh();
        std::vector<Watched> seen;
        const Table::Some stream = table.some(numbers(200, end));
        watch(model, *stream.rows, {.every = 50, .window = 120}, [&](const Watched& now) { seen.push_back(now); });
        EXPECT_EQ(seen.size(), (end - 200 + 49) / 50);
        EXPECT_EQ(seen.back().rows, end - 200);
        // A window that is not yet full stands beside the rows before the stream.
        const Numbers kept = end - 200 < 120 ? numbers(0, end) : numbers(end - 120, end);
        EXPECT_EQ(model.bytes(), train_as(first, *table.some(kept).rows).bytes()) << end;
        EXPECT_EQ(seen.back().kept, kept.size());
      }
    }
  }
}

TEST(Watch, PredictsEachRowBeforeItLearnsIt) {
  const Table table(400, 3, 0, false, 6);
  OnlineModel model = train_online(*table.some(numbers(0, 100)).rows, options());
  OnlineModel slow = train_as(model, *table.some(numbers(0, 100)).rows);
  std::vector<Watched> seen;
  const Table::Some stream = table.some(numbers(100, 400));
  watch(model, *stream.rows, {.every = 75}, [&](const Watched& now) { seen.push_back(now); });
  double total = 0;
  for (std::size_t begin = 100; begin < 400; begin += 75) {
    const Table::Some part = table.some(numbers(begin, begin + 75));
    const double rmse = *slow.model().evaluate(*part.rows).rmse;
    total += 75 * rmse * rmse;
    const Watched& now = seen.at((begin - 100) / 75);
    EXPECT_NEAR(now.loss, rmse * rmse, 1e-9);
    EXPECT_NEAR(now.mean_loss, total / double(begin - 25), 1e-9);
    EXPECT_FALSE(now.alarm);
    update(slow, *part.rows);
  }
  EXPECT_EQ(model.bytes(), slow.bytes());
}

TEST(Watch, AnAlarmNamesTheRowAndANewModelBeginsAnew) {
  for (const std::size_t classes : {0, 2}) {
    Table table(2200, 2, classes, false, 7);
    for (std::size_t i = 0; i < table.n && classes; ++i) table.y(i, 0) = table.x(i, 0) > table.x(i, 1);
    for (std::size_t i = 1200; i < table.n; ++i) table.y(i, 0) = classes ? 1 - table.y(i, 0) : -table.y(i, 0);
    OnlineModel model = train_online(*table.some(numbers(0, 200)).rows, options());
    std::vector<std::uint64_t> alarms;
    double last = 0, worst = 0;
    const Table::Some stream = table.some(numbers(200, table.n));
    watch(model, *stream.rows, {.every = 100, .window = 300}, [&](const Watched& now) {
      if (now.alarm) alarms.push_back(*now.alarm);
      last = now.loss;
      worst = std::max(worst, now.loss);
    });
    ASSERT_FALSE(alarms.empty());
    EXPECT_GE(alarms[0], 1000u);
    EXPECT_LT(alarms[0], 1100u);
    EXPECT_LT(last, 0.5 * worst) << "the window has learnt the new rows";
  }
}

TEST(Watch, RefusesWhatItCannotSee) {
  const Table table(100, 2, 0, false, 7);
  OnlineModel model = train_online(*table.some(numbers(0, 50)).rows, options());
  const Table::Some stream = table.some(numbers(50, 100));
  const auto nothing = [](const Watched&) {};
  EXPECT_THROW(watch(model, *stream.rows, {.every = 0}, nothing), std::invalid_argument);
  EXPECT_THROW(watch(model, *stream.rows, {.level = 1}, nothing), std::invalid_argument);
}

}  // namespace
}  // namespace bochner
