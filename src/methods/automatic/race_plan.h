// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "bochner/map_options.h"
#include "bochner/train.h"
#include "methods/automatic/metric_machine.h"

namespace bochner {

// A training that races beside the kernels in a learnt metric.
struct Rival {
  const char* name;
  MapOptions map;
  bool gains_with_rows;         // more than the others do: a sample does not judge it
  const char* after = nullptr;  // the narrower rival that must have added to the blend before this one races
};

constexpr std::size_t kMostRaceRows = 1000000;
constexpr double kHopeless = 4;  // times the squared error of the best: what is so far behind adds nothing

// Steps and draws of rows of the flow, as in MachineEffort.
struct FlowEffort {
  std::array<std::size_t, 4> steps = {};
  FlowBatch few = {}, more = {};
};

// How many of so many rows a rival races on first.
std::size_t rival_sample_rows(double rows, double inputs);

// How far a race goes.
struct RacePlan {
  std::string name;  // "normal"
  MachineEffort machine = {};
  std::optional<FlowEffort> flow_of_few_rows = {};   // instead, where the table is not large
  std::optional<FlowEffort> flow_of_many_rows = {};  // likewise, where it is so large that machines take far longer
  std::size_t leaf_trees_of_large = 2;               // trees of leaves for a large table
  bool curve = true;                                 // the learning curve is told
  std::size_t tree_rounds = 1500;
  std::vector<Rival> rivals = {};
  std::size_t most_rows = kMostRaceRows;  // that race
  std::size_t judges = 1200;              // rows held out that make folds of few rows needless; 0: never folds
  bool gaussian = true;                   // a kernel that learns nothing races too for classes with many inputs
};
RacePlan race_plan(Effort effort);
// Bins of few inputs pursue which, target by target: of very many targets that takes minutes, and they are left out.
// True where there were any.
bool leave_out_pursuits(RacePlan& plan, double outputs);

// What a first race, on a sample of the rows or on one fold, says of a rival.
struct RivalStanding {
  double error = 0;    // that of the rows held out; infinite: it did not suit the rows
  double blended = 0;  // the error of a blend that has it beside the candidates that stand already
  bool gains_with_rows = false;
};
struct FirstRace {
  std::size_t rows = 0;   // rows of the whole race
  bool sampled = false;   // the rivals saw a sample of the rows
  double best_error = 0;  // the best of the candidates that stand already, which saw all rows
  double blended = 0;     // the error of a blend of these candidates
  double judges = 1e9;    // numbers that the blends are weighed on
};
// The share of a blend's error that a candidate must take off: more than a weight does by chance.
double least_gain(double judges);
bool adds_to_blend(const FirstRace& race, const RivalStanding& rival);
// Which rivals go on: those that add to the blend. A sample does not judge fairly: where it taught the rivals, the best
// of them goes on too if it is near to the candidates that saw all rows, and of many rows those that gain with rows,
// unless they are far behind.
std::vector<char> go_on(const FirstRace& race, const std::vector<RivalStanding>& rivals);

// What a race works on: rows, inputs as the file has them and as the kernels see them, codes of targets.
struct RaceSize {
  double rows = 0, columns = 0, inputs = 0, outputs = 1;
  bool classes = false;
};

// Seconds of one core that a race is expected to take, by the numbers of operations at the rates of a core of 2021
// (Neoverse V1). An estimate of work, not of this machine: the same race has the same forecast everywhere.
struct RaceForecast {
  double rows = 0;  // reading and encoding
  double metric = 0, kernels = 0, trees = 0, rivals = 0;

  double total() const { return rows + metric + kernels + trees + rivals; }
  std::string text() const;  // "30 processor seconds (metric 8, kernels 7, trees 5, rivals 10)"
};
RaceForecast forecast(const RacePlan& plan, const RaceSize& size);

// How many folds are held out in turn: one, or of few rows as many as make the plan's judges together and do not take
// long.
std::size_t race_folds(const RacePlan& plan, const RaceSize& size);
// The machines' effort: with the flow of few rows or of very many where these are so, fewer steps where metrics of
// several folds are averaged, and a machine that learns nothing where classes have many inputs.
MachineEffort machine_effort(const RacePlan& plan, const RaceSize& size, std::size_t folds);

// The furthest race whose forecast, shared out among the threads, stays within `seconds`; where none does, the
// shortest. It goes from `most` down: fewer landmarks, rows of a leaf, steps, trees and rivals, then fewer rows.
struct BudgetedRace {
  RacePlan plan;
  RaceForecast forecast;
  double seconds = 0;  // time with these threads
  int threads = 0;

  bool short_of_rows() const { return plan.most_rows < kMostRaceRows; }  // for the sake of the budget
  // "forecast: about 30 processor seconds (...)" and, of a budget, what it leads to.
  std::string text(double budget) const;
};
BudgetedRace race_within(double seconds, int threads, Effort most, const RaceSize& size);

}  // namespace bochner
