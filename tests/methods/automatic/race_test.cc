// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/race.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "methods/automatic/learn_metrics.h"
#include "methods/automatic/race_kernels.h"
#include "methods/automatic/race_trees.h"
#include "random/draw.h"
#include "run/compute.h"

namespace bochner {
namespace {

struct Table {
  explicit Table(std::size_t n, std::size_t targets = 1) : x(n, 2), y(n, targets) {
    for (std::size_t i = 0; i < n; ++i) {
      x(i, 0) = float(i);
      x(i, 1) = float(normal(1, Draw::sample, i));
      y(i, 0) = double(x(i, 1)) + 3;
      for (std::size_t k = 1; k < targets; ++k) y(i, k) = normal(3, Draw::sample, i, k);
    }
    schema.inputs = 2;
    schema.targets = targets;
    rows = memory_rows<float>(std::as_const(x).view(), std::as_const(y).view(), schema);
  }

  Matrix<float> x;
  Matrix<double> y;
  Schema schema;
  std::unique_ptr<Rows> rows;
};

TEST(RaceSource, TakesAllRowsWhereTheyFit) {
  const Table table(2000);
  const RaceSource source(*table.rows, 2000, 100, 200000, 1);
  EXPECT_FALSE(source.sampled());
  EXPECT_EQ(source.count(), 2000u);
  EXPECT_EQ(&source.rows(), table.rows.get());
}

TEST(RaceSource, KeepsASampleThatFits) {
  const Table table(2000);
  std::size_t counts[2];
  for (const int i : {0, 1}) {
    const RaceSource source(*table.rows, 2000, 1e6, i == 0 ? 4e8 : 7e8, 1);  // a million halved 12 and 11 times
    EXPECT_TRUE(source.sampled());
    counts[i] = source.count();
    EXPECT_NEAR(double(counts[i]), 1e6 / (i == 0 ? 4096 : 2048), 80);
    Threads threads(1);
    std::size_t seen = 0;
    float last = -1;
    Stream(source.rows(), nullptr, threads, {}).each("rows", [&](const auto& block) {
      for (std::size_t r = 0; r < block.rows; ++r, ++seen) {
        EXPECT_GT(block.values[r * block.stride], last);  // rows of the table, in order
        last = float(block.values[r * block.stride]);
      }
    });
    EXPECT_EQ(seen, source.count());
  }
  EXPECT_GT(counts[1], counts[0]);
}

TEST(RaceRows, FoldsHoldRowsOutInTurn) {
  Table table(403);
  for (std::size_t i = 0; i < 403; ++i) table.y(i, 0) = double(i < 23);  // 23 rows of one class
  table.schema.task = Task::classification;
  table.schema.labels = {"no", "yes"};
  table.rows = memory_rows<float>(std::as_const(table.x).view(), std::as_const(table.y).view(), table.schema);
  Threads threads(1);
  TargetCode code;
  code.task = Task::classification;
  code.classes = 2;
  const RaceRows all(Stream(*table.rows, nullptr, threads, {}), code, 403, 5, 5);
  ASSERT_EQ(all.folds(), 5u);
  ASSERT_EQ(all.held().size(), 403u);
  std::vector<std::uint32_t> sorted(all.held().begin(), all.held().end());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());  // each once
  std::vector<Matrix<double>> numbers;
  for (std::size_t f = 0; f < 5; ++f) {
    const RaceFold& fold = all.fold(f);
    EXPECT_NEAR(double(fold.held.size()), 80.6, 0.7);
    const auto rare = std::count_if(fold.held.begin(), fold.held.end(), [](std::uint32_t i) { return i < 23; });
    EXPECT_NEAR(double(rare), 4.6, 0.7);
    double sum = 0;
    for (const std::uint32_t i : fold.machine.numbers(false)) sum += fold.machine.rows.y(i, 0);
    EXPECT_NEAR(fold.mean[0], sum / double(403 - fold.held.size()), 1e-12);  // mean of the rows not held out
    numbers.emplace_back(fold.held.size(), 1);
    for (std::size_t p = 0; p < fold.held.size(); ++p) numbers[f](p, 0) = fold.held[p];
  }
  const Matrix<double> together = all.together(numbers);
  for (std::size_t p = 0; p < 403; ++p) EXPECT_EQ(together(p, 0), double(all.held()[p]));
  const RaceRows some(Stream(*table.rows, nullptr, threads, {}), code, 403, 5, 2);
  EXPECT_EQ(some.fold(1).held, all.fold(1).held);
  EXPECT_EQ(some.held().size(), all.fold(0).held.size() + all.fold(1).held.size());
}

TEST(RaceRows, InOrderOfTimeEachFoldLearnsFromEarlierRows) {
  const Table table(400);
  std::vector<double> times(400);
  for (std::size_t i = 0; i < 400; ++i) times[i] = double(i * 147 % 400);
  TargetCode code;
  code.center = {0};
  code.unit = {1};
  Threads threads(1);
  const RaceRows all(Stream(*table.rows, nullptr, threads, {}), code, 400, 5, 5, {.times = times});
  ASSERT_EQ(all.folds(), 5u);
  std::vector<std::uint32_t> held(all.held().begin(), all.held().end());
  std::sort(held.begin(), held.end());
  EXPECT_EQ(std::adjacent_find(held.begin(), held.end()), held.end());
  EXPECT_EQ(held.size(), 200u);
  for (std::size_t f = 0; f < 5; ++f) {
    const RaceFold& fold = all.fold(f);
    const std::vector<std::uint32_t> learnt = fold.machine.numbers(false);
    EXPECT_EQ(learnt.size(), 200u + 40 * f);
    for (const std::uint32_t later : fold.held)
      for (const std::uint32_t earlier : learnt) EXPECT_LT(times[earlier], times[later]);
    double weight = 0;
    for (const double w : fold.machine.rows.weights) weight += w;
    if (f < 4) {
      EXPECT_EQ(weight, double(learnt.size() + fold.held.size()));  // rows after the block have none
    }
    EXPECT_TRUE(fold.machine.refit_rows().weights.empty());
    float greatest = 0;  // x 0 rises with the number of the row
    for (const std::uint32_t earlier : learnt) greatest = std::max(greatest, fold.machine.rows.x.row(earlier)[0]);
    for (const std::uint32_t later : fold.held)
      EXPECT_EQ(fold.machine.rows.x.row(later)[0], std::min(greatest, table.x(later, 0)));
    EXPECT_EQ(fold.machine.refit_rows().x.row(fold.held[0])[0], table.x(fold.held[0], 0));
  }
  EXPECT_EQ(RaceRows(Stream(*table.rows, nullptr, threads, {}), code, 400, 5, 1, {.times = times}).held().size(), 60u);
}

TEST(RaceRows, RowsOfOneTimeAreHeldOutAsWithoutTimes) {
  const Table table(100);
  std::vector<double> times(100, 2.0);
  times[3] = 1;
  TargetCode code;
  code.center = {0};
  code.unit = {1};
  Threads threads(1);
  const RaceRows all(Stream(*table.rows, nullptr, threads, {}), code, 100, 5, 5, {.times = times});
  for (std::size_t f = 0; f < all.folds(); ++f) EXPECT_GE(all.fold(f).machine.numbers(false).size(), 25u);
}

TEST(RaceRows, AMeanOfMapsIsTheirMean) {
  std::vector<MapPtr> maps;
  for (const double w : {1.0, 2.0, 6.0}) {
    Matrix<double> weight(1, 1);
    weight(0, 0) = w;
    maps.push_back(linear(std::move(weight), {w}));
  }
  EXPECT_EQ(mean_of({maps[0]}), maps[0]);
  Threads threads(1);
  const Workers on = workers_on(threads);
  Matrix<float> x(2, 1);
  x(1, 0) = 2;
  const Matrix<double> found = predict_rows(on, *mean_of(maps), std::as_const(x).view());
  EXPECT_NEAR(found(0, 0), 3, 1e-6);
  EXPECT_NEAR(found(1, 0), 9, 1e-6);
}

TEST(RaceRows, BlendOfTheTruthAndNoiseIsTheTruth) {
  const Table table(400);
  Threads threads(2);
  const TargetCode code{Task::regression, 0, {3}, {2}};
  const RaceRows rows(Stream(*table.rows, nullptr, threads, {}), code, 400, 5);
  ASSERT_EQ(rows.held().size(), 60u);
  Candidate truth, noise;
  truth.held = noise.held = Matrix<double>(60, 1);
  for (std::size_t p = 0; p < 60; ++p) {
    truth.held(p, 0) = (table.y(rows.held()[p], 0) - 3) / 2;
    noise.held(p, 0) = normal(2, Draw::sample, p);
  }
  EXPECT_NEAR(rows.error(truth.held), 0, 1e-12);
  const std::vector<Candidate> both = {truth, noise};
  const Matrix<double> b = rows.weigh(both);
  EXPECT_NEAR(b(0, 0), 1, 1e-6);
  EXPECT_EQ(b(1, 0), 0);
  EXPECT_NEAR(*rows.score(rows.blend(both, b)).r2, 1, 1e-9);
}

TEST(RaceRows, EachNumberHasItsOwnBlend) {
  const Table table(400, 2);  // the second one is noise
  Threads threads(2);
  TargetCode code;
  code.task = Task::regression;
  code.center = {3, 0};
  code.unit = {1, 1};
  const RaceRows rows(Stream(*table.rows, nullptr, threads, {}), code, 400, 5);
  Candidate first, second;
  first.held = second.held = Matrix<double>(60, 2);
  for (std::size_t p = 0; p < 60; ++p) {
    const double y = table.y(rows.held()[p], 0) - 3, noise = table.y(rows.held()[p], 1);
    first.held(p, 0) = y;  // knows the first and mistakes the second
    first.held(p, 1) = 0.5 * normal(7, Draw::sample, p) - 0.3 * noise;
    second.held(p, 0) = normal(8, Draw::sample, p);
    second.held(p, 1) = noise;
  }
  const std::vector<Candidate> both = {first, second};
  const Matrix<double> b = rows.weigh(both);
  EXPECT_NEAR(b(0, 0), 1, 1e-6);
  EXPECT_EQ(b(1, 0), 0);
  EXPECT_LT(b(0, 1), 0.1);
  EXPECT_NEAR(b(1, 1), 1, 1e-3);
  const Matrix<double> held = rows.blend(both, b);
  EXPECT_NEAR(held(5, 0), first.held(5, 0), 1e-6);
  EXPECT_NEAR(held(5, 1), second.held(5, 1), 0.02);
}

// Noise that happens to fit the rows held out is not believed by those that did not choose its weight.
TEST(RaceRows, ABlendCrosswiseIsNotFlattered) {
  const Table table(400, 2);
  Threads threads(2);
  TargetCode code;
  code.task = Task::regression;
  code.center = {0, 0};
  code.unit = {1, 1};
  const RaceRows rows(Stream(*table.rows, nullptr, threads, {}), code, 400, 5);
  double flattered = 0, crosswise = 0, mean = 0;
  for (std::uint64_t draw = 0; draw < 50; ++draw) {
    std::vector<Candidate> noise(8);
    for (std::size_t j = 0; j < noise.size(); ++j) {
      noise[j].held = Matrix<double>(60, 2);
      for (std::size_t p = 0; p < 60; ++p) {
        noise[j].held(p, 0) = table.y(rows.held()[p], 0);
        noise[j].held(p, 1) = 0.3 * normal(draw, Draw::sample, p, j);
      }
    }
    flattered += rows.error(rows.blend(noise, rows.weigh(noise)));
    crosswise += rows.error(rows.blend_crosswise(noise));
  }
  for (const std::uint32_t row : rows.held()) mean += std::pow(table.y(row, 1) - rows.fold(0).mean[1], 2) / 60 * 50;
  EXPECT_LT(flattered, mean);
  EXPECT_GT(crosswise, mean);
}

TEST(RaceRows, NoiseAloneWeighsLittle) {
  const Table table(400);
  Threads threads(2);
  const TargetCode code{Task::regression, 0, {3}, {1}};
  const RaceRows rows(Stream(*table.rows, nullptr, threads, {}), code, 400, 5);
  int kept = 0;
  for (std::uint64_t draw = 0; draw < 100; ++draw) {
    std::vector<Candidate> noise(4);
    for (std::size_t j = 0; j < 4; ++j) {
      noise[j].held = Matrix<double>(60, 1);
      for (std::size_t p = 0; p < 60; ++p) noise[j].held(p, 0) = 0.2 * normal(draw, Draw::sample, p, j);
    }
    const Matrix<double> b = rows.weigh(noise);
    kept += *std::max_element(b.data(), b.data() + 4) > 0;
  }
  EXPECT_LT(kept, 60);  // nearly all of them if nothing were shrunk
}

// Eight machines know a part of the target each, weighed by 60 rows: new ones lie below the answers as often as asked.
TEST(RaceRows, AQuantileCoversRowsThatDidNotChooseIt) {
  const Table table(400, 2);
  Threads threads(2);
  TargetCode code;
  code.task = Task::regression;
  code.center = {0, 0};
  code.unit = {1, 1};
  const RaceRows rows(Stream(*table.rows, nullptr, threads, {}), code, 400, 5);
  constexpr std::size_t kMachines = 8, kNew = 500;
  constexpr int kDraws = 40;
  double below = 0, held = 0;
  for (std::uint64_t draw = 0; draw < kDraws; ++draw) {
    std::vector<Candidate> machines(kMachines);
    const auto answer = [&](std::size_t row, std::size_t j, double y) {
      return 0.3 * y + normal(draw, Draw::candidate, row, j);
    };
    for (std::size_t j = 0; j < kMachines; ++j) {
      machines[j].held = Matrix<double>(60, 2);
      for (std::size_t p = 0; p < 60; ++p) machines[j].held(p, 1) = answer(p, j, table.y(rows.held()[p], 1));
    }
    const FinalBlend blend = rows.conclude(machines, {Optimize::Score::quantile, 0.9});
    for (std::size_t p = 0; p < 60; ++p) held += table.y(rows.held()[p], 1) <= blend.held(p, 1);
    for (std::size_t i = 0; i < kNew; ++i) {
      const double y = normal(draw, Draw::shift, i);
      double answered = blend.shift[1];
      for (std::size_t j = 0; j < kMachines; ++j) answered += blend.weights(j, 1) * answer(60 + i, j, y);
      below += y <= answered;
    }
  }
  EXPECT_NEAR(below / (kDraws * kNew), 0.9, 0.015);
  EXPECT_NEAR(held / (kDraws * 60), 0.9, 0.015);
}

// Rows of d inputs that are sums of three hidden ones, as pictures are; the first of these makes the target.
struct Wide {
  Wide(std::size_t n, std::size_t d) : x(n, d), y(n, 1) {
    for (std::size_t i = 0; i < n; ++i) {
      double hidden[3];
      for (std::size_t h = 0; h < 3; ++h) hidden[h] = normal(11, Draw::sample, i, h);
      for (std::size_t j = 0; j < d; ++j) {
        x(i, j) = 0.3f * float(normal(12, Draw::sample, i, j));
        for (std::size_t h = 0; h < 3; ++h) x(i, j) += float(hidden[h] * normal(13, Draw::sample, j, h));
      }
      y(i, 0) = std::sin(2 * hidden[0]);
    }
    machine.rows = {x.view(), y.view(), {}};
    for (std::size_t i = 0; i < n; ++i) machine.held.push_back(i % 5 == 0);
  }
  Matrix<float> x;
  Matrix<double> y;
  MachineRows machine;
};

TEST(MetricMachine, OfVeryManyInputsTakesTheLeadingDirections) {
  const Wide wide(600, 520);
  Threads threads(2);
  const Workers on{cpu_backend(), threads};
  MachineEffort effort;
  effort.steps = {30, 0, 2, 0};
  const std::vector<Metric> metrics = learn_metrics(on, wide.machine, effort, 1, {});
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0].diagonal.size(), 520u);
  EXPECT_EQ(metrics[1].full.rows(), 520u);
  EXPECT_LT(metrics[1].full.cols(), 520u);
  for (const Metric& metric : metrics) {
    const MetricMachine machine(on, wide.machine, metric, effort, 1, nullptr);
    EXPECT_LT(machine.error(), 0.1);  // the variance is 0.5
    EXPECT_EQ(machine.refit()->inputs(), 520u);
  }
}

TEST(MetricMachine, GrowsWhereLeavesGain) {
  Wide rows(1500, 1);
  for (std::size_t i = 0; i < 1500; ++i) rows.y(i, 0) = std::sin(40 * rows.x(i, 0));  // more waves than landmarks hold
  Threads threads(2);
  const Workers on{cpu_backend(), threads};
  MachineEffort effort;
  effort.most_landmarks = 20;
  effort.leaf.leaf_rows = 100;
  Metric metric;
  metric.diagonal = {3};
  const MetricMachine machine(on, rows.machine, metric, effort, 1, nullptr);
  EXPECT_NE(machine.text().find("40 landmarks"), std::string::npos) << machine.text();
  EXPECT_NE(machine.text().find("leaves of 200 rows"), std::string::npos) << machine.text();
  const MapPtr map = machine.refit();
  const Matrix<double> all = predict_rows(on, *map, rows.x.view());
  EXPECT_LT(squared_error({rows.x.view(), rows.y.view(), {}}, all, {}), 0.1);
}

TEST(RaceKernels, OneThatLearnsNothingJoinsAndIsTheSameForAnyThreads) {
  const Table table(400);
  const TargetCode code{Task::regression, 0, {3}, {1}};
  MachineEffort effort;
  effort.steps = {3, 0, 2, 0};
  Matrix<double> same(2, 2);
  same(0, 0) = same(1, 1) = 1;
  for (const bool joins : {false, true}) {
    effort.gaussian = joins;
    Matrix<double> held[2], refitted[2];
    for (const int count : {1, 3}) {
      Threads threads(count);
      const RaceRows rows(Stream(*table.rows, nullptr, threads, {}), code, 400, 5, 2);
      const Workers on{cpu_backend(), threads};
      const RacedKernels found = race_kernels(on, rows, linear(same, {}), effort, 1, {});
      ASSERT_EQ(found.candidates.size(), joins ? 3u : 2u);
      const Candidate& last = found.candidates.back();
      EXPECT_EQ(last.name.starts_with("kernel of inputs all alike (exponent 2.00"), joins) << last.name;
      held[count > 1] = last.held;
      refitted[count > 1] = predict_rows(on, *last.refit(), rows.inputs().view());
    }
    EXPECT_EQ(held[0], held[1]);
    EXPECT_EQ(refitted[0], refitted[1]);
  }
}

// As random bins do that found nothing: an answer that goes along with the targets in its last digits.
TEST(RaceRows, WhatHardlyVariesHasNoWeightAndNoneHasALargeOne) {
  const Table table(400);
  Threads threads(1);
  const TargetCode code{Task::regression, 0, {3}, {2}};
  const RaceRows rows(Stream(*table.rows, nullptr, threads, {}), code, 400, 5);
  Candidate truth, faint;
  truth.held = faint.held = Matrix<double>(60, 1);
  for (std::size_t p = 0; p < 60; ++p) {
    const double y = (table.y(rows.held()[p], 0) - 3) / 2;
    truth.held(p, 0) = 0.8 * y + 0.1 * normal(2, Draw::sample, p);
    faint.held(p, 0) = rows.fold(0).mean[0] + 1e-7 * y;
  }
  const Matrix<double> both = rows.weigh(std::vector<Candidate>{truth, faint});
  EXPECT_EQ(both(1, 0), 0);
  EXPECT_GT(both(0, 0), 0.1);
  EXPECT_LE(rows.weigh(std::vector<Candidate>{faint})(0, 0), 2);
}

TEST(RaceTrees, LearnFromTheRowsNotHeldOutAndAgainFromAll) {
  const Table table(400);
  Threads threads(2);
  const TargetCode code{Task::regression, 0, {3}, {1}};
  const RaceRows rows(Stream(*table.rows, nullptr, threads, {}), code, 400, 5);
  const Workers on{cpu_backend(), threads};
  const std::vector<TwofoldColumn> once(2, {TwofoldColumn::Kind::two_values, 0, 1, {}, {}});
  const std::vector<Candidate> found = race_trees(on, rows, once, {}, {}, {});
  ASSERT_EQ(found.size(), 3u);
  EXPECT_TRUE(found[2].name.starts_with("boosted symmetric trees of 6 levels")) << found[2].name;
  for (const Candidate& c : found) {
    EXPECT_LT(rows.relative(c.error), 0.1);
    const MapPtr map = c.refit();
    EXPECT_EQ(map->inputs(), 2u);
    const Matrix<double> all = predict_rows(on, *map, rows.inputs().view());
    double error = 0;
    for (const std::uint32_t row : rows.held()) error += std::pow(all(row, 0) - (table.y(row, 0) - 3), 2);
    EXPECT_LT(error / double(rows.held().size()), c.error);  // it has seen them
  }
  const std::vector<TwofoldColumn> many(50000, {TwofoldColumn::Kind::number, 0, 1, {}, {}});
  EXPECT_TRUE(race_trees(on, rows, many, {}, {}, {}).empty());
}

TEST(RaceTrees, OfFoldsAreTheSameForAnyThreads) {
  const Table table(400);
  const TargetCode code{Task::regression, 0, {3}, {1}};
  const std::vector<TwofoldColumn> once(2, {TwofoldColumn::Kind::two_values, 0, 1, {}, {}});
  Matrix<double> held[2], refitted[2];
  for (const int count : {1, 3}) {
    Threads threads(count);
    const RaceRows rows(Stream(*table.rows, nullptr, threads, {}), code, 400, 5, 4);
    const Workers on{cpu_backend(), threads};
    const std::vector<Candidate> found = race_trees(on, rows, once, {}, {}, {});
    ASSERT_FALSE(found.empty());
    held[count > 1] = found[0].held;
    refitted[count > 1] = predict_rows(on, *found[0].refit(), rows.inputs().view());
  }
  EXPECT_EQ(held[0].rows(), 320u);
  EXPECT_EQ(held[0], held[1]);
  EXPECT_EQ(refitted[0], refitted[1]);
}

TEST(RaceTrees, KindsThatTheBlendDoesNotMissRaceNoFurther) {
  const Table table(400);
  Threads threads(2);
  const TargetCode code{Task::regression, 0, {3}, {1}};
  const RaceRows rows(Stream(*table.rows, nullptr, threads, {}), code, 400, 5, 4);
  const Workers on{cpu_backend(), threads};
  const std::vector<TwofoldColumn> once(2, {TwofoldColumn::Kind::two_values, 0, 1, {}, {}});
  Candidate truth{"truth", Matrix<double>(rows.held().size(), 1), 0, {}};
  for (std::size_t p = 0; p < rows.held().size(); ++p) truth.held(p, 0) = table.y(rows.held()[p], 0) - 3;
  std::vector<std::string> said;
  const MachineTalk talk{[&](const std::string& line) { said.push_back(line); }};
  EXPECT_TRUE(race_trees(on, rows, once, {}, std::vector<Candidate>{truth}, talk).empty());
  ASSERT_EQ(said.size(), 1u);
  for (const char* kind : {"trees of 8 leaves", "trees of 31 leaves", "symmetric trees of 6 levels"})
    EXPECT_NE(said[0].find(kind), std::string::npos) << said[0];
  EXPECT_FALSE(race_trees(on, rows, once, {}, {}, talk).empty())
      << "all three cannot go: nothing else explains the rows";
}

}  // namespace
}  // namespace bochner
