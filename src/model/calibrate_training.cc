// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/calibrate_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "bochner/calibration.h"
#include "bochner/error.h"
#include "bochner/intervals.h"
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
  if (!options.times.empty()) {
    const std::vector<std::size_t> blocks = time_blocks(options.times, 1, share);
    if (std::size_t(std::count(blocks.begin(), blocks.end(), std::size_t{0})) < kLeastUnseen) return std::nullopt;
    is_held = [blocks](std::uint64_t row) { return blocks[row] == 1; };
  }
  const auto is_fitted = [&](std::uint64_t row) { return !is_held(row); };
  TrainOptions other = options;
  other.calibrate = other.ridge.deviation = false;
  other.checkpoint = {};
  other.say = other.notice = {};
  other.groups = {}, other.times = {};  // its own score is nobody's concern
  return Kin{train(*subset_rows(rows, is_fitted), other), subset_rows(rows, is_held),
             groups_of(options.groups, is_held)};
}

// What models said of rows, and what is true of these.
struct Answers {
  std::vector<double> predictions, targets, weights;

  void add(const Model& model, Rows& rows, const Execution& execution) {
    model.predict(rows, execution, [&](const RowBlock<double>& p) {
      for (std::size_t i = 0; i < p.rows; ++i) {
        predictions.insert(predictions.end(), p.values + i * p.stride, p.values + i * p.stride + p.cols);
        targets.insert(targets.end(), p.targets + i * p.target_count, p.targets + (i + 1) * p.target_count);
        weights.push_back(p.weights ? p.weights[i] : 1.0);
      }
    });
  }
};

// Answers for few rows, each by a training on the other four fifths; a fifth whose training fails, for want of a class
// say, is left out.
Answers out_of_fold(Rows& rows, const TrainOptions& options) {
  constexpr std::size_t kFolds = 5;
  TrainOptions other = options;
  other.calibrate = other.ridge.deviation = false;
  other.checkpoint = {};
  other.say = other.notice = {};
  Answers answers;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    const auto is_held = [fold, seed = options.seed + 1](std::uint64_t row) {
      return fold_of_row(seed, row, kFolds) == fold;
    };
    const auto is_fitted = [&](std::uint64_t row) { return !is_held(row); };
    try {
      const Model kin = train(*subset_rows(rows, is_fitted), other);
      answers.add(kin, *subset_rows(rows, is_held), options.execution);
    } catch (const Error& e) {
      if (e.kind() != Error::Kind::data) throw;
    }
  }
  return answers;
}

// Learns how sure to be from rows too few to hold any out. Of a handful that leave no class out of every fold, the
// model's own rows have to do.
void calibrate_few(Model& model, Rows& rows, const TrainOptions& options) {
  const std::size_t k = model.outputs();
  Answers found = out_of_fold(rows, options);
  if (found.weights.empty() || found.predictions.size() != k * found.weights.size()) {
    found = {};
    found.add(model, rows, options.execution);
  }
  const std::size_t n = found.weights.size();
  const MatrixView<const double> values{found.predictions.data(), n, k, k};
  if (model.schema().task == Task::classification)
    model.set_calibration(calibrate(values, found.targets, found.weights));
  else
    model.set_intervals(learn_intervals(values, {found.targets.data(), n, k, k}, found.weights));
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
      if (kin) {
        kin->model.learn_uncertainty(*kin->held, options.execution);
        model.set_calibration(kin->model.calibration());
        model.set_intervals(kin->model.intervals());
      } else if (options.groups.empty()) {
        calibrate_few(model, rows, options);
      } else {
        return note(fmt::format("calibration left out: of {:.0f} rows too few can be held out for it", n));
      }
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
      report.validation = fmt::format("{} {} held out, by a training on the others", report.score->rows,
                                      options.times.empty() ? "rows of groups" : "later rows");
    }
  } catch (const Error& e) {  // the other groups may be of one class, say
    if (e.kind() != Error::Kind::data) throw;
    give_notice(options, report.notes.emplace_back(fmt::format("no score of rows held out: {}", e.what())));
  }
  model.set_report(std::move(report));
}

}  // namespace bochner
