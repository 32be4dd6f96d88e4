// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "train_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bochner/json.h"
#include "train_split.h"

namespace bochner {

namespace {

// How large the model is. Random bins are not what --features counts; a blend has a lambda in each of its parts.
std::string size_text(const Report& report) {
  if (!report.candidates.empty()) return counted(report.part_weights.size(), "part") + " blended";
  if (const LearnerRow* row = find_learner(report.learner); row && row->has_neighbors)
    return counted(report.rows, "row") + " kept";
  const bool bins = report.map.find("binning") != std::string::npos;
  return fmt::format("{}, lambda {:.3g}", counted(report.features, bins ? "bin" : "feature"), report.lambda);
}

std::string origin(const Report& report, const TrainWords& words) {
  if (words.validation.empty()) return report.validation;
  const LearnerRow* row = find_learner(report.learner);
  return report.validation + (row && row->has_neighbors ? ", whose rows chose too" : ", whose rows chose lambda too");
}

}  // namespace

std::string train_text(const Model& model, const TrainWords& words, double seconds) {
  const Report& report = model.report();
  const std::string score = report.score ? fmt::format("{} ({})", report.score->text(), origin(report, words))
                                         : std::string("trained, without a score");
  std::string text = fmt::format("{}; {}, {:.2f} s\n", score, size_text(report), seconds);
  if (!report.folds.empty())
    text += fmt::format("{}, each trained on the others; the model is trained on all rows\n", folds_text(report.folds));
  if (report.test)
    text += fmt::format("test: {} that nothing in the training saw; the model is trained on the other {}\n",
                        report.test->text(), report.rows);
  return text;
}

nlohmann::json train_json(const Model& model, const TrainWords& words, double seconds) {
  const Report& report = model.report();
  nlohmann::json tree = nlohmann::json::parse(json_text(report));
  tree["task"] = model.schema().task == Task::classification ? "classification" : "regression";
  tree["model"] = words.output.empty() ? nlohmann::json() : nlohmann::json(words.output);
  if (!report.folds.empty()) {
    const auto [mean, deviation] = mean_and_deviation(report.folds);
    const double unit = report.folds[0].error ? 0.01 : 1;
    tree["fold_mean"] = unit * mean;
    tree["fold_deviation"] = unit * deviation;
  }
  for (const auto& [step, time] : report.seconds) tree["seconds"][step] = time;
  tree["seconds"]["total"] = seconds;
  return tree;
}

}  // namespace bochner
