// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/report_json.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/archive.h"
#include "base/require.h"

namespace bochner {

namespace {

constexpr std::uint64_t kMostRows = std::uint64_t(1) << 62;

constexpr std::pair<const char*, std::optional<double> Score::*> kScoreFields[] = {
    {"error", &Score::error},
    {"baseline_error", &Score::baseline_error},
    {"unweighted_error", &Score::unweighted_error},
    {"r2", &Score::r2},
    {"rmse", &Score::rmse},
    {"mae", &Score::mae},
    {"relative_error", &Score::relative_error},
    {"deviance", &Score::deviance},
    {"baseline_deviance", &Score::baseline_deviance},
    {"standard_error", &Score::standard_error},
    {"log_loss", &Score::log_loss},
    {"baseline_log_loss", &Score::baseline_log_loss},
    {"log_loss_standard_error", &Score::log_loss_standard_error},
    {"auc", &Score::auc},
    {"auc_by_chance", &Score::auc_by_chance}};

Score score_from_json(const nlohmann::json& tree) {
  Score score;
  score.rows = get_count(tree, "rows", kMostRows);
  const auto read = [&](const char* key, std::optional<double>& value) {
    if (tree.contains(key)) value = get_number(tree, key);
  };
  for (const auto& [key, field] : kScoreFields) read(key, score.*field);
  if (tree.contains("weighted")) {
    if (!tree["weighted"].is_boolean()) fail(Error::Kind::model, "report: weighted is neither true nor false");
    score.weighted = tree["weighted"].get<bool>();
  }
  return score;
}

std::vector<double> numbers_from_json(const nlohmann::json& tree, const char* key) {
  std::vector<double> numbers;
  if (!tree.contains(key)) return numbers;
  for (const nlohmann::json& number : tree[key]) {
    if (!number.is_number()) fail(Error::Kind::model, "report: {} holds something that is no number", key);
    numbers.push_back(number.get<double>());
  }
  return numbers;
}

std::vector<std::pair<double, double>> ranges_from_json(const nlohmann::json& tree, const char* key) {
  std::vector<std::pair<double, double>> ranges;
  if (!tree.contains(key)) return ranges;
  for (const nlohmann::json& range : tree[key]) {
    if (!range.is_array() || range.size() != 2 || !range[0].is_number() || !range[1].is_number())
      fail(Error::Kind::model, "report: {} holds something that is not two numbers", key);
    ranges.emplace_back(range[0].get<double>(), range[1].get<double>());
  }
  return ranges;
}

constexpr std::pair<const char*, Termination> kTerminations[] = {{"converged", Termination::converged},
                                                                 {"step limit", Termination::step_limit},
                                                                 {"fixed steps", Termination::fixed_steps}};

// What solver and notes tell. Models of version 0.1 say no more, and a model says more only where this is not it.
Termination told_termination(const Report& report) {
  for (const std::string& note : report.notes)
    if (note.starts_with("not converged: ") || note.starts_with("cg: did not converge: "))
      return Termination::step_limit;
  const bool grids = report.solver.ends_with(" grids");
  return grids && report.solver.find(" epochs of ") == std::string::npos ? Termination::fixed_steps
                                                                         : Termination::converged;
}

}  // namespace

nlohmann::json score_to_json(const Score& score) {
  nlohmann::json tree{{"rows", score.rows}};
  for (const auto& [key, field] : kScoreFields)
    if (score.*field) tree[key] = *(score.*field);
  if (score.weighted) tree["weighted"] = true;
  return tree;
}

nlohmann::json evaluation_to_json(const Evaluation& evaluation) {
  nlohmann::json tree = score_to_json(evaluation.score);
  tree["weighted"] = evaluation.score.weighted;
  if (evaluation.log_likelihood) tree["log_likelihood"] = *evaluation.log_likelihood;
  if (!evaluation.log_likelihood || evaluation.score.error)
    tree["better_than_baseline"] = evaluation.score.warning().empty();
  for (std::size_t k = 0; k < evaluation.per_target.size(); ++k) {
    nlohmann::json target = score_to_json(evaluation.per_target[k]);
    target["target"] = evaluation.targets[k];
    tree["per_target"].push_back(std::move(target));
  }
  for (const Evaluation::Coverage& c : evaluation.coverage)
    tree["intervals"].push_back({{"level", c.level}, {"inside", c.inside}, {"width", c.width}});
  for (const Evaluation::Level& level : evaluation.levels)
    tree["quantiles"].push_back({{"level", level.level}, {"below", level.below}, {"loss", level.loss}});
  if (evaluation.labels.empty()) return tree;
  // NaN, where a class has no rows, becomes null.
  tree["labels"] = evaluation.labels;
  tree["recall"] = evaluation.recall;
  tree["precision"] = evaluation.precision;
  tree["f1_per_class"] = evaluation.f1_per_class;
  if (!evaluation.confusion.empty()) tree["confusion"] = evaluation.confusion;
  const auto put = [&](const char* key, const std::optional<double>& value) {
    if (value) tree[key] = *value;
  };
  put("f1", evaluation.f1);
  if (evaluation.score.auc) tree["auc_is_exact"] = evaluation.auc_is_exact;
  put("brier", evaluation.brier);
  put("calibration_error", evaluation.calibration_error);
  for (const Evaluation::RankingPoint& point : evaluation.ranking)
    tree["ranking"].push_back(
        {{"recall", point.recall}, {"false_alarms", point.false_alarms}, {"precision", point.precision}});
  for (const Evaluation::Cut& cut : evaluation.cuts)
    tree["thresholds"].push_back(
        {{"threshold", cut.threshold}, {"recall", cut.recall}, {"precision", cut.precision}, {"flagged", cut.flagged}});
  for (const Evaluation::Promise& bin : evaluation.promises)
    tree["promises"].push_back({{"promised", bin.promised}, {"found", bin.found}, {"weight", bin.weight}});
  return tree;
}

nlohmann::json report_to_json(const Report& report) {
  nlohmann::json tree{{"rows", report.rows},     {"inputs", report.inputs},   {"features", report.features},
                      {"map", report.map},       {"learner", report.learner}, {"solver", report.solver},
                      {"lambda", report.lambda}, {"notes", report.notes},     {"validation", report.validation}};
  if (report.score) tree["score"] = score_to_json(*report.score);
  if (report.test) tree["test"] = score_to_json(*report.test);
  for (const Score& fold : report.folds) tree["folds"].push_back(score_to_json(fold));
  if (!report.kernel.empty()) tree["kernel"] = report.kernel;
  if (!report.bandwidth.empty()) tree["bandwidth"] = report.bandwidth;
  if (!report.target_ranges.empty()) tree["target_ranges"] = report.target_ranges;
  if (!report.input_ranges.empty()) tree["input_ranges"] = report.input_ranges;
  if (report.missing_share > 0) tree["missing_share"] = report.missing_share;
  if (report.quantile) tree["quantile"] = *report.quantile;
  if (!report.class_weights.empty()) tree["class_weights"] = report.class_weights;
  if (!report.length_scales.empty()) tree["length_scales"] = report.length_scales;
  if (!report.part_weights.empty()) tree["part_weights"] = report.part_weights;
  if (!report.log_marginal_likelihood.empty()) tree["log_marginal_likelihood"] = report.log_marginal_likelihood;
  for (const Report::Candidate& c : report.candidates)
    tree["candidates"].push_back({{"name", c.name}, {"left_over", c.left_over}, {"weight", c.weight}});
  for (const Report::Importance& i : report.importance)
    tree["importance"].push_back({{"column", i.column}, {"distance", i.distance}, {"shuffled", i.shuffled}});
  for (const Report::CurvePoint& p : report.learning_curve)
    tree["learning_curve"].push_back({{"rows", p.rows}, {"left_over", p.left_over}});
  if (report.termination != told_termination(report))
    for (const auto& [name, termination] : kTerminations)
      if (termination == report.termination) tree["termination"] = name;
  tree["path"] = nlohmann::json::array();
  for (const Report::PathPoint& point : report.path)
    tree["path"].push_back({{"lambda", point.lambda}, {"score", score_to_json(point.score)}});
  return tree;
}

namespace {

// add(entry) for each of a list that may be absent.
template <class Add>
void each_entry(const nlohmann::json& tree, const char* key, const Add& add) {
  if (!tree.contains(key)) return;
  for (const nlohmann::json& entry : tree[key]) {
    if (!entry.is_object()) fail(Error::Kind::model, "report: {} holds something that is no object", key);
    add(entry);
  }
}

}  // namespace

Report report_from_json(const nlohmann::json& tree) {
  Report report;
  report.rows = get_count(tree, "rows", kMostRows);
  report.inputs = get_count(tree, "inputs", kMostRows);
  report.features = get_count(tree, "features", kMostRows);
  report.map = get_text(tree, "map");
  report.learner = get_text(tree, "learner");
  report.solver = get_text(tree, "solver");
  report.lambda = get_number(tree, "lambda");
  report.validation = get_text(tree, "validation");
  if (tree.contains("score")) report.score = score_from_json(get_node(tree, "score"));
  if (tree.contains("test")) report.test = score_from_json(get_node(tree, "test"));
  if (tree.contains("folds"))
    for (const nlohmann::json& fold : get_node(tree, "folds")) report.folds.push_back(score_from_json(fold));
  if (tree.contains("kernel")) report.kernel = get_text(tree, "kernel");
  report.bandwidth = numbers_from_json(tree, "bandwidth");
  report.target_ranges = ranges_from_json(tree, "target_ranges");
  report.input_ranges = ranges_from_json(tree, "input_ranges");
  if (tree.contains("missing_share")) report.missing_share = get_number(tree, "missing_share");
  if (tree.contains("quantile")) report.quantile = get_number(tree, "quantile");
  report.class_weights = numbers_from_json(tree, "class_weights");
  report.length_scales = numbers_from_json(tree, "length_scales");
  report.part_weights = numbers_from_json(tree, "part_weights");
  report.log_marginal_likelihood = numbers_from_json(tree, "log_marginal_likelihood");
  each_entry(tree, "candidates", [&](const nlohmann::json& c) {
    report.candidates.push_back({get_text(c, "name"), get_number(c, "left_over"), get_number(c, "weight")});
  });
  each_entry(tree, "importance", [&](const nlohmann::json& i) {
    report.importance.push_back({get_text(i, "column"), get_number(i, "distance"), get_number(i, "shuffled")});
  });
  each_entry(tree, "learning_curve", [&](const nlohmann::json& p) {
    report.learning_curve.push_back({get_count(p, "rows", kMostRows), get_number(p, "left_over")});
  });
  for (const nlohmann::json& note : get_node(tree, "notes")) {
    if (!note.is_string()) fail(Error::Kind::model, "report: a note is no text");
    report.notes.push_back(note.get<std::string>());
  }
  report.termination = told_termination(report);
  if (tree.contains("termination")) {
    const std::string text = get_text(tree, "termination");
    const auto* known = std::find_if(std::begin(kTerminations), std::end(kTerminations),
                                     [&](const auto& entry) { return text == entry.first; });
    if (known == std::end(kTerminations))
      fail(Error::Kind::model, "report: termination is \"{}\", expected converged, step limit or fixed steps", text);
    report.termination = known->second;
  }
  for (const nlohmann::json& point : get_node(tree, "path"))
    report.path.push_back({get_number(point, "lambda"), score_from_json(get_node(point, "score"))});
  return report;
}

}  // namespace bochner
