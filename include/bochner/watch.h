// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   OnlineModel model = OnlineModel::load("cars.model");
//   const auto stream = open_rows("-", model.model().schema());  // rows come through a pipe
//   watch(model, *stream, {.every = 100, .window = 10000}, [](const Watched& seen) {
//     if (seen.alarm) std::printf("the rows differ since row %llu\n", (unsigned long long)*seen.alarm);
//   });
//   model.save("cars2.model");

#include <cstdint>
#include <functional>
#include <optional>

#include "bochner/online.h"

namespace bochner {

struct WatchOptions {
  std::size_t every = 1000;  // rows between two solves; they are predicted by the model of the rows before them
  // The model is of so many newest rows of the stream: older ones leave the sums, and those that the model had before
  // leave together once the window is full. 0: all rows stay. It holds the rows of the window in memory.
  std::uint64_t window = 0;
  double level = 0.05;  // chance of an alarm while nothing changes, however long that is
  std::uint64_t seed = 0;
  Execution execution = {};
};

// What was seen in the rows between two solves.
struct Watched {
  std::uint64_t rows = 0;  // how many the stream had so far
  std::uint64_t kept = 0;  // how many the model is of now
  double loss = 0;         // mean squared error of these rows, or share of wrong classes
  double mean_loss = 0;    // the same of all rows so far, each predicted before it was learnt
  double evidence = 1;     // the e-value against rows like those since the last alarm; 1 / level is an alarm
  std::optional<std::uint64_t> alarm = {};  // the row at which the evidence sufficed, from 0
};

// Predicts rows as they come, scores them, tests whether the model's errors grow, and learns them. tell: hears of each
// batch.
//
// The test: scores of the errors by one model, that of the last alarm or of the beginning, rank among those before. If
// rows do not change the ranks are uniform (conformal p-values, Vovk, Nouretdinov & Gammerman, ICML 2003), and bets
// against that, from every row on, gain 1 / level with a chance of at most level (Ville's inequality), over any number
// of looks. A rank for each row since the last alarm stays in memory, 8 bytes.
void watch(OnlineModel& model, Rows& stream, const WatchOptions& options,
           const std::function<void(const Watched&)>& tell);

}  // namespace bochner
