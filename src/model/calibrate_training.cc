// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/calibrate_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "bochner/error.h"
#include "bochner/split.h"
#include "choose/plan.h"
#include "learn/unseen.h"

namespace bochner {

namespace {

// One more training, on a part of the rows, and the rows that it did not see.
struct Kin {
  Model model;
  std::unique_ptr<Rows> held;
  std::vector<std::uint64_t> groups;  // the groups of the held rows
};

// Nothing if too few rows can be held out.
std::optional<Kin> train_kin(Rows& rows, double n, const TrainOptions& options) {
  const double share = std::min(kHeldShare, double(kMostHeld) / std::max(n, 1.0));
  if (n * share < double(kLeastUnseen)) return std::nullopt;
  std::function<bool(std::uint64_t)> is_held = [share, seed = options.seed + 1](std::uint64_t row) {
    return is_test_row(seed, row, share);
  };
  if (!options.groups.empty())
    is_held = [held = held_groups(options.groups, share, options.seed + 1)](std::uint64_t row) { return held[row]; };
  const auto is_fitted = [&](std::uint64_t row) { return !is_held(row); };
  TrainOptions other = options;
  other.calibrate = other.ridge.deviation = false;
  other.checkpoint = {};
  other.say = other.notice = {};
  other.groups = {};  // its own score is nobody's concern
  return Kin{train(*subset_rows(rows, is_fitted), other), subset_rows(rows, is_held),
             groups_of(options.groups, is_held)};
}

}  // namespace

void calibrate_training(Model& model, Rows& rows, const TrainOptions& options) {
  const auto note = [&](const std::string& line, bool left_out = true) {
    Report report = model.report();
    report.notes.push_back(line);
    model.set_report(std::move(report));
    if (left_out)
      give_notice(options, line);
    else if (options.say)
      options.say(line);
  };
  try {
    if (options.validation) {
      model.learn_uncertainty(*options.validation, options.execution);
    } else {
      const double n = double(model.report().rows);
      std::optional<Kin> kin = train_kin(rows, n, options);
      if (!kin) return note(fmt::format("calibration left out: of {:.0f} rows too few can be held out for it", n));
      kin->model.learn_uncertainty(*kin->held, options.execution);
      model.set_calibration(kin->model.calibration());
      model.set_intervals(kin->model.intervals());
    }
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::data) throw;
    return note(fmt::format("calibration left out: {}", e.what()));
  }
  note(uncertainty_text(model.calibration(), model.intervals()), false);
}

void score_by_groups(Model& model, Rows& rows, const TrainOptions& options) {
  Report report = model.report();
  report.score.reset();
  report.validation.clear();
  try {
    if (const std::optional<Kin> kin = train_kin(rows, double(report.rows), options)) {
      report.score = score_of_groups(kin->model.evaluate(*kin->held, options.execution), kin->groups);
      report.validation = fmt::format("{} rows of groups held out, by a training on the others", report.score->rows);
    }
  } catch (const Error& e) {  // the other groups may be of one class, say
    if (e.kind() != Error::Kind::data) throw;
    give_notice(options, report.notes.emplace_back(fmt::format("no score of groups held out: {}", e.what())));
  }
  model.set_report(std::move(report));
}

}  // namespace bochner
