// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bochner {

// How well predictions meet targets.
struct Score {
  std::uint64_t rows = 0;
  std::optional<double> error;           // classification: fraction wrong
  std::optional<double> relative_error;  // regression: |yhat - y| / |y|
  std::optional<double> rmse;
  std::optional<double> r2;

  std::string text() const;  // "error 4.12 %", "relative error 2.9 %, rmse 1.8, R2 0.98"
};

// What a training did and found.
struct Report {
  struct PathPoint {
    double lambda = 0;
    Score score;
  };

  std::uint64_t rows = 0;
  std::size_t inputs = 0;
  std::size_t features = 0;
  std::string map;
  std::string learner;
  std::string solver;
  double lambda = 0;                  // of  |Zw - y|^2 + lambda n |w|^2
  std::vector<double> length_scales;  // of the inputs of random bins, where a search found them
  std::vector<double> part_weights;   // of the kernels, where the head is a sum of parts learnt together
  std::string validation;             // how the score was found: "leave-one-out", "8192 rows held out", a file
  std::optional<Score> score;
  std::vector<PathPoint> path;                           // every lambda that was tried
  std::vector<std::pair<double, double>> target_ranges;  // regression: the least and the greatest target
  std::vector<std::pair<double, double>> input_ranges;   // of each input as the maps see it; empty: too many to keep
  double missing_share = 0;                              // of the input cells
  std::vector<std::string> notes;                        // what was chosen for the user, and warnings
  std::vector<std::pair<std::string, double>> seconds;   // step, wall clock

  std::string text() const;
};

}  // namespace bochner
