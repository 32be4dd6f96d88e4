// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/inside_leaves.h"

#include <gtest/gtest.h>

#include <cmath>

#include "maps/map_rows.h"
#include "random/draw.h"
#include "run/checkpoint.h"
#include "scratch.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 6000;
constexpr InsideEffort kInside = {25, {100, 50}};

// Waves along the second of four inputs, shorter than a draw of a hundred rows from far and wide can see.
struct Waves {
  Waves() : x(kRows, 4), y(kRows, 1) {
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < 4; ++j) x(i, j) = float(uniform(3, Draw::sample, i, j)) * (j < 2 ? 1.0f : 0.1f);
      y(i, 0) = 2 * x(i, 0) + std::sin(60.0 * x(i, 1)) + 0.05 * normal(4, Draw::sample, i);
      machine.held.push_back(i % 6 == 0);
    }
    machine.rows = {x.view(), y.view(), {}};
    metric.diagonal = {8, 8, 8, 8};
  }
  std::optional<Metric> learn(int count, const InsideEffort& effort) const {
    Threads threads(count);
    const Workers on{cpu_backend(), threads};
    return learn_inside_leaves(on, machine, x.view(), metric, effort, 1);
  }

  Matrix<float> x;
  Matrix<double> y;
  MachineRows machine;
  Metric metric;
};

TEST(InsideLeaves, TeachWhatFewRowsFromFarCannotWithTheSameBitsForAnyThreads) {
  const Waves waves;
  const std::optional<Metric> learnt = waves.learn(1, kInside);
  ASSERT_TRUE(learnt);
  EXPECT_GT(learnt->diagonal[1], 2 * learnt->diagonal[0]);
  EXPECT_GT(learnt->diagonal[1], 2 * learnt->diagonal[2]);
  EXPECT_GT(learnt->diagonal[1], 2 * learnt->diagonal[3]);
  for (const int threads : {2, 3}) EXPECT_EQ(waves.learn(threads, kInside)->diagonal, learnt->diagonal);
}

TEST(InsideLeaves, AreTooFewOrNotAskedFor) {
  const Waves waves;
  EXPECT_FALSE(waves.learn(1, {0, {100, 50}}));
  EXPECT_FALSE(waves.learn(1, {25, {400, 200}}));  // 5000 rows are nine leaves
  EXPECT_FALSE(learns_inside_leaves({25, {500, 250}}, 11999));
  EXPECT_TRUE(learns_inside_leaves({25, {500, 250}}, 12000));
  EXPECT_FALSE(learns_inside_leaves({25, {0, 0}}, 12000));  // as of next to no memory
}

TEST(InsideLeaves, OfEqualRowsOrWithoutWeightTeachNothing) {
  Waves waves;
  for (std::size_t i = 0; i < kRows * 4; ++i) waves.x.data()[i] = 1;
  EXPECT_FALSE(waves.learn(1, kInside));
  Waves weightless;
  const std::vector<double> none(kRows, 0.0);
  weightless.machine.rows.weights = none;
  EXPECT_FALSE(weightless.learn(1, kInside));
}

TEST(FlowLoss, IsThatOfTheGradient) {
  const Waves waves;
  Threads threads(2);
  const Workers on{cpu_backend(), threads};
  const std::vector<std::uint32_t> drawn = draw_rows(kRows, 90, 1, 0);
  EXPECT_EQ(flow_loss(on, waves.machine.rows, drawn, {60, 30}, waves.metric),
            flow_gradient<float>(on, waves.machine.rows, drawn, {60, 30}, waves.metric).loss);
}

// A machine takes the metric where leaves gain much, and again from what a checkpoint knows of it.
TEST(MetricMachine, LearnsInsideLeavesAndResumes) {
  const Waves waves;
  Threads threads(2);
  const Workers on{cpu_backend(), threads};
  MachineEffort effort;
  effort.most_landmarks = 40;
  effort.leaf.leaf_rows = 100;
  effort.inside = {0, kInside.batch};
  const MetricMachine given(on, waves.machine, waves.metric, effort, 1, nullptr);
  effort.inside = kInside;
  const testing_files::Scratch folder;
  CheckpointOptions options{.path = folder.path("state"), .first_seconds = 1e9};
  Matrix<double> predictions[2];
  for (const bool resume : {false, true}) {
    options.resume = resume;
    Checkpoint checkpoint(options, {});
    const MetricMachine machine(on, waves.machine, waves.metric, effort, 1, &checkpoint);
    if (!resume) {
      ASSERT_TRUE(checkpoint.save_log());
    }
    EXPECT_EQ(checkpoint.resumed(), resume);
    EXPECT_NE(machine.text().find("metric learnt inside such"), std::string::npos) << machine.text();
    EXPECT_LT(machine.error(), 0.8 * given.error());
    predictions[resume] = predict_rows(on, *machine.refit(), waves.x.view());
  }
  EXPECT_EQ(predictions[0], predictions[1]);
}

}  // namespace
}  // namespace bochner
