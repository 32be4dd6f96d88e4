// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/calibrate_training.h"

#include <fmt/format.h>

#include <algorithm>

#include "bochner/error.h"
#include "choose/race.h"
#include "learn/unseen.h"

namespace bochner {

void calibrate_training(Model& model, Rows& rows, const TrainOptions& options) {
  const auto note = [&](const std::string& line) {
    Report report = model.report();
    report.notes.push_back(line);
    model.set_report(std::move(report));
    if (options.say) options.say(line);
  };
  try {
    if (options.validation) {
      model.learn_uncertainty(*options.validation, options.execution);
    } else {
      TrainOptions other = options;
      other.calibrate = other.ridge.deviation = false;
      other.checkpoint = {};
      other.say = {};
      const double n = double(model.report().rows), share = std::min(kHeldShare, double(kMostHeld) / std::max(n, 1.0));
      if (n * share < double(kLeastUnseen))
        return note(fmt::format("calibration left out: of {:.0f} rows too few can be held out for it", n));
      const auto part = [&](bool held) {
        return subset_rows(
            rows, [=, seed = options.seed + 1](std::uint64_t row) { return is_test_row(seed, row, share) == held; });
      };
      const std::unique_ptr<Rows> fitted = part(false), held = part(true);
      Model kin = train(*fitted, other);
      kin.learn_uncertainty(*held, options.execution);
      model.set_calibration(kin.calibration());
      model.set_intervals(kin.intervals());
    }
  } catch (const Error& e) {
    if (e.kind() != Error::Kind::data) throw;
    return note(fmt::format("calibration left out: {}", e.what()));
  }
  note(uncertainty_text(model.calibration(), model.intervals()));
}

}  // namespace bochner
