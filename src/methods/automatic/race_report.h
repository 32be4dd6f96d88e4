// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/report.h"
#include "methods/automatic/race.h"

namespace bochner {

// Sizes of the small model that looks at inputs: what it tells is for people, and costs a few hundredths of a race.
constexpr std::size_t kMostReportRows = 4096, kMostReportLandmarks = 600;

// What there is to see of a race beside its candidates.
struct RaceReport {
  std::vector<Report::Importance> importance;  // one per column, the largest first
  std::vector<Report::CurvePoint> curve;
};

struct RaceReportOptions {
  bool curve = true;  // otherwise its last point only, which is not told
  std::uint64_t seed = 0;
};

// One small kernel machine in the diagonal metric, learnt from more and more of the rows not held out, and judged on
// those held out; the last of them predicts these again with each column shuffled. Its cost does not grow with the
// rows.
RaceReport report_race(const Workers& on, const RaceRows& rows, const Metric& diagonal, const Schema& schema,
                       std::span<const TwofoldColumn> columns, const RaceReportOptions& options);

}  // namespace bochner
