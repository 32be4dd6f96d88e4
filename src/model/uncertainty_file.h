// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <vector>

#include "bochner/archive.h"
#include "bochner/calibration.h"
#include "bochner/deviation.h"
#include "bochner/evaluation.h"
#include "bochner/intervals.h"

namespace bochner {

// As children of a model's archive, where there are some.
void save_uncertainty(const std::optional<Calibration>& calibration, const std::optional<Intervals>& intervals,
                      Archive& model);
// Error::Kind::model where they are damaged.
std::optional<Calibration> load_calibration(const Archive& model);
std::optional<Intervals> load_intervals(const Archive& model);

void save_deviation(const std::optional<Deviation>& deviation, Archive& model);
std::optional<Deviation> load_deviation(const Archive& model);

// How many of the rows lie in the intervals of the usual level.
class IntervalCounts {
 public:
  explicit IntervalCounts(const std::optional<Intervals>& intervals);
  void add(const double* prediction, const double* targets, double weight);
  std::vector<Evaluation::Coverage> coverage() const;

 private:
  const Intervals* intervals_ = nullptr;
  double weight_ = 0;
  std::vector<Evaluation::Coverage> sums_;
};

}  // namespace bochner
