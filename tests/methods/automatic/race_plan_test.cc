// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/race_plan.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "methods/automatic/machine_memory.h"

namespace bochner {
namespace {

constexpr RaceSize kTable{.rows = 20000, .columns = 20, .inputs = 40, .outputs = 1};

TEST(Forecast, GrowsWithEffortAndSize) {
  double last = 0;
  for (const Effort effort : {Effort::fast, Effort::normal, Effort::best}) {
    const RacePlan plan = race_plan(effort);
    const double seconds = forecast(plan, kTable).total();
    EXPECT_GT(seconds, 1.3 * last) << plan.name;
    last = seconds;
    for (const RaceSize& more : {RaceSize{80000, 20, 40, 1}, RaceSize{20000, 60, 120, 1}, RaceSize{20000, 20, 40, 10}})
      EXPECT_GT(forecast(plan, more).total(), seconds) << plan.name << ' ' << more.rows;
  }
}

// Leaves and machines that grow by them are counted where there are rows that are no landmarks.
TEST(Forecast, CountsNoLeavesWhereAllRowsAreLandmarks) {
  const RacePlan plan = race_plan(Effort::normal);
  const auto of_fold = [&](double rows) {
    const RaceSize size{rows, 10, 20, 1};
    return forecast(plan, size).kernels / double(race_folds(plan, size));
  };
  EXPECT_LT(of_fold(1700), 2 * of_fold(1500));
  EXPECT_GT(of_fold(2000), 2 * of_fold(1700));
}

// Trees stop later and tables of bins leave the caches: measured with 30, 100 and 300 classes of 10 inputs.
TEST(Forecast, OfManyClassesGrowsWithThemAsTimesDo) {
  const RacePlan plan = race_plan(Effort::normal);
  const auto of = [&](double rows, double classes) {
    return forecast(plan, {.rows = rows, .columns = 10, .inputs = 20, .outputs = classes, .classes = true});
  };
  EXPECT_NEAR(of(6000, 30).total(), 30, 10);
  EXPECT_NEAR(of(6000, 100).total(), 31, 10);
  EXPECT_GT(of(3000, 300).total(), 60);  // 122 where bins go on,
  EXPECT_LT(of(6000, 300).total(), 90);  // 45 where they do not
  EXPECT_GT(of(6000, 100).trees, 4);     // 9, every round that there is
}

// Only reading grows beyond the rows that race.
TEST(Forecast, IsLinearInManyRows) {
  const RacePlan plan = race_plan(Effort::normal);
  const RaceForecast a = forecast(plan, {2e6, 20, 40, 1}), b = forecast(plan, {8e6, 20, 40, 1});
  EXPECT_EQ(a.kernels, b.kernels);
  EXPECT_EQ(a.metric, b.metric);
  EXPECT_NEAR(b.rows, 4 * a.rows, 1e-9 * b.rows);
  const double half = forecast(plan, {4e5, 20, 40, 1}).total(), whole = forecast(plan, {8e5, 20, 40, 1}).total();
  EXPECT_LE(whole, 2 * half);
}

TEST(RacePlan, PursuesBinsOfFewInputsForFewTargetsOnly) {
  RacePlan plan = race_plan(Effort::normal);
  EXPECT_FALSE(leave_out_pursuits(plan, 26));
  EXPECT_EQ(plan.rivals.size(), 5u);
  EXPECT_TRUE(leave_out_pursuits(plan, 1000));
  ASSERT_EQ(plan.rivals.size(), 3u);
  EXPECT_STREQ(plan.rivals[1].name, "bins");
}

TEST(RacePlan, FewRowsHaveFolds) {
  const RacePlan plan = race_plan(Effort::normal);
  const auto folds = [&](double rows) { return race_folds(plan, {rows, 10, 20, 1}); };
  EXPECT_EQ(folds(300), 5u);
  EXPECT_EQ(folds(1200), 5u);
  EXPECT_EQ(folds(2000), 3u);
  EXPECT_EQ(folds(4000), 2u);
  EXPECT_EQ(folds(6000), 1u);
  EXPECT_EQ(folds(1e6), 1u);
  const RacePlan best = race_plan(Effort::best);  // whose folds of a wide table would take long
  EXPECT_LT(race_folds(best, {1200, 1500, 1500, 20}), race_folds(best, {1200, 10, 20, 1}));
  EXPECT_EQ(race_folds(race_plan(Effort::fast), {3000, 10, 20, 1}), 1u);
  RacePlan once = plan;
  once.judges = 0;
  EXPECT_GT(forecast(plan, {3000, 10, 20, 1}).total(), 1.4 * forecast(once, {3000, 10, 20, 1}).total());
}

// What a metric of many inputs learns from few rows is chance in part; classes gain by one that learns nothing.
TEST(RacePlan, OfClassesAndManyInputsAKernelThatLearnsNothingRacesToo) {
  const RacePlan plan = race_plan(Effort::normal);
  const RaceSize classes{.rows = 8000, .columns = 30, .inputs = 60, .outputs = 10, .classes = true};
  RaceSize numbers = classes, few = classes, large = classes;
  numbers.classes = false;
  few.inputs = 10;
  large.rows = 300000;
  EXPECT_TRUE(machine_effort(plan, classes, 1).gaussian);
  EXPECT_FALSE(machine_effort(plan, numbers, 1).gaussian);
  EXPECT_FALSE(machine_effort(plan, few, 1).gaussian);
  EXPECT_FALSE(machine_effort(plan, large, 1).gaussian);
  large.inputs = 512;
  EXPECT_TRUE(machine_effort(plan, large, 1).gaussian);
  EXPECT_FALSE(machine_effort(race_plan(Effort::fast), classes, 1).gaussian);
  EXPECT_NEAR(forecast(plan, classes).kernels, 1.5 * forecast(plan, numbers).kernels, 1e-9);
}

// 15,000 rows of MNIST took 19 s by rivals that a sample dropped; one that stays on all rows takes 30.
TEST(RacePlan, RivalsOfVeryManyInputsTakeNoLongerThanOfMany) {
  const RacePlan plan = race_plan(Effort::normal);
  const auto rivals = [&](double inputs) { return forecast(plan, {15000, inputs, inputs, 10}).rivals; };
  EXPECT_LT(rivals(784), 100);
  EXPECT_GT(rivals(784), 20);
  EXPECT_LE(rivals(784), rivals(200));
  EXPECT_GT(rivals(100), 1.5 * rivals(50));
  EXPECT_EQ(rival_sample_rows(15000, 784), 2551u);
  EXPECT_EQ(rival_sample_rows(15000, 10), 3750u);
  EXPECT_EQ(rival_sample_rows(1e6, 10), 10000u);
}

// Where machines take minutes, a metric learnt from more rows is worth its seconds.
TEST(RacePlan, ManyRowsHaveLargerDraws) {
  const auto fitted = [](Effort effort, double rows) {
    return machine_effort(race_plan(effort), {rows, 10, 20, 1}, 1).more.fitted;
  };
  EXPECT_GT(fitted(Effort::normal, 2e5), fitted(Effort::normal, 5e4));
  EXPECT_GT(fitted(Effort::normal, 5e4), fitted(Effort::normal, 5e3));
  EXPECT_EQ(fitted(Effort::fast, 2e5), fitted(Effort::fast, 5e4));
  EXPECT_EQ(fitted(Effort::best, 2e5), fitted(Effort::best, 5e4));
}

TEST(RacePlan, DrawsLandmarksAndLeavesFitInMemory) {
  for (const Effort effort : {Effort::fast, Effort::normal, Effort::best}) {
    const MachineEffort e = machine_effort(race_plan(effort), {3e5, 10, 20, 1}, 1);
    for (const double bytes : {5e6, 5e7, 5e8}) {
      const MachineEffort fits = within_memory(e, bytes);
      EXPECT_LE(working_bytes(fits), bytes);
      EXPECT_GT(fits.more.fitted, 200u);
      EXPECT_GT(fits.more.scored, 200u);
      EXPECT_GT(fits.most_landmarks, 150u);
      EXPECT_GE(fits.leaf.leaf_rows, 90u);
    }
    const MachineEffort same = within_memory(e, working_bytes(e));
    EXPECT_EQ(same.more.fitted, e.more.fitted);
    EXPECT_EQ(same.most_landmarks, e.most_landmarks);
    EXPECT_EQ(same.leaf.leaf_rows, e.leaf.leaf_rows);
  }
}

// Landmarks stand for fewer and fewer of many rows, which leaves see; a leaf's factor costs the square of its rows.
TEST(RacePlan, ManyRowsHaveFewerLandmarksAndSmallerLeaves) {
  const MachineEffort e = race_plan(Effort::normal).machine;
  EXPECT_EQ(affordable_landmarks(e, 5e4, 1), e.most_landmarks);
  EXPECT_EQ(affordable_landmarks(e, 5e4, 2), 2 * e.most_landmarks);
  for (const double rows : {2e5, 4e5, 1e6}) {
    const double landmarks = double(affordable_landmarks(e, rows, 2)), leaf = double(affordable_leaf_rows(e, rows, 2));
    EXPECT_TRUE(rows * landmarks <= e.most_entries || landmarks == 500) << rows;
    EXPECT_LE(rows * leaf * leaf, e.most_leaf_products) << rows;
  }
  EXPECT_EQ(affordable_leaf_rows(e, 1.2e5, 2), 2000u);
  EXPECT_EQ(affordable_leaf_rows(e, 1e9, 2), 500u);
}

TEST(RacePlan, LargeTablesHaveMoreTreesOfLeaves) {
  const auto trees = [](Effort effort, double rows) {
    return machine_effort(race_plan(effort), {rows, 10, 20, 1}, 1).leaf.trees;
  };
  EXPECT_EQ(trees(Effort::normal, 5e3), 2u);
  EXPECT_EQ(trees(Effort::normal, 5e4), 4u);
  EXPECT_EQ(trees(Effort::normal, 3e5), 4u);
  EXPECT_EQ(trees(Effort::fast, 5e4), 2u);
}

TEST(Budget, DecidesHowFarTheRaceGoes) {
  EXPECT_EQ(race_within(1e6, 1, Effort::best, kTable).plan.name, "best");
  EXPECT_EQ(race_within(1e6, 1, Effort::fast, kTable).plan.name, "fast");
  double last = 1e300;
  for (double seconds = 4096; seconds > 1; seconds /= 2) {
    const BudgetedRace race = race_within(seconds, 2, Effort::best, kTable);
    EXPECT_LE(race.seconds, last);
    if (race.seconds <= seconds) {
      EXPECT_NE(race.text(seconds).find("in the budget of"), std::string::npos) << race.text(seconds);
    }
    EXPECT_GE(race_within(seconds, 8, Effort::best, kTable).forecast.total(), race.forecast.total());
    last = race.seconds;
  }
}

TEST(FirstRace, LetsThoseGoOnThatAddOrThatAllRowsMayBringToTheFront) {
  const double never = std::numeric_limits<double>::infinity();
  const std::vector<RivalStanding> rivals = {
      {1.3, 0.99, false}, {1.06, 1, false}, {1.05, 1, false}, {1.9, 1, true}, {never, 0, true}};
  using Answer = std::vector<char>;
  EXPECT_EQ(go_on({10000, true, 1, 1}, rivals), (Answer{1, 0, 1, 0, 0}));
  EXPECT_EQ(go_on({10000, true, 0.9, 1}, rivals), (Answer{1, 0, 0, 0, 0})) << "the best of them is not near";
  EXPECT_EQ(go_on({10000, false, 1, 1}, rivals), (Answer{1, 0, 0, 0, 0})) << "all rows have judged";
  EXPECT_EQ(go_on({50000, true, 1, 1}, rivals), (Answer{1, 0, 1, 1, 0})) << "bins gain with many rows";
  EXPECT_EQ(go_on({50000, true, 0.4, 0.4}, rivals), (Answer{0, 0, 0, 0, 0})) << "but are far behind";
  EXPECT_TRUE(go_on({10000, true, 1, 1}, {}).empty());
}

TEST(FirstRace, AsksForMoreThanAWeightGainsByChanceOnFewRows) {
  EXPECT_EQ(least_gain(1e6), least_gain(1e5));
  EXPECT_DOUBLE_EQ(least_gain(50), 1.0 / 50);
  const RivalStanding rival{1, 0.99, false};
  EXPECT_TRUE(adds_to_blend({1000, false, 1, 1, 200}, rival));
  EXPECT_FALSE(adds_to_blend({1000, false, 1, 1, 50}, rival));
  EXPECT_EQ(go_on({1000, false, 1, 1, 50}, {rival}), std::vector<char>{0});
}

TEST(RacePlan, ARivalThatWaitsForAnotherComesAfterIt) {
  for (const Effort effort : {Effort::fast, Effort::normal, Effort::best}) {
    std::set<std::string> before;
    for (const Rival& rival : race_plan(effort).rivals) {
      if (rival.after) {
        EXPECT_TRUE(before.count(rival.after)) << rival.name;
      }
      before.insert(rival.name);
    }
  }
}

TEST(Budget, TakesFewerRowsWhereNothingElseIsLeft) {
  const RaceSize many{1e6, 20, 40, 1};
  const BudgetedRace race = race_within(30, 2, Effort::best, many);
  EXPECT_TRUE(race.short_of_rows());
  EXPECT_LE(race.seconds, 30);
  EXPECT_FALSE(race_within(1e6, 2, Effort::best, many).short_of_rows());
  const BudgetedRace none = race_within(1e-3, 2, Effort::best, kTable);
  EXPECT_GT(none.seconds, 1e-3);
  EXPECT_NE(none.text(1e-3).find("more than the budget of 0.001 s"), std::string::npos) << none.text(1e-3);
}

}  // namespace
}  // namespace bochner
