// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/evaluation_text.h"
#include "learn/target_size.h"
#include "random/powers.h"

namespace bochner {

namespace {

constexpr std::size_t kMostInMatrix = 1000;                // classes
constexpr std::size_t kMostRanked = std::size_t(1) << 22;  // scores sorted, of all classes together: 100 MB
constexpr double kLeastProbability = 1e-15;
constexpr std::size_t kPromiseBins = 15;  // as Guo et al. 2017
constexpr double kCuts[] = {0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9};

double ratio(double part, double whole) { return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN(); }

// The mean of those that are known; none where none is.
std::optional<double> mean_of_known(const std::vector<double>& values) {
  double sum = 0;
  std::size_t known = 0;
  for (const double value : values)
    if (!std::isnan(value)) sum += value, ++known;
  return known ? std::optional<double>(sum / double(known)) : std::nullopt;
}

}  // namespace

Evaluator::Evaluator(Task task, std::size_t outputs, std::vector<std::string> names, std::optional<double> power)
    : task_(task),
      outputs_(outputs),
      names_(std::move(names)),
      all_(task, outputs, kMostRanked, ClassRanking::Beyond::histogram) {
  if (task_ == Task::regression) {
    largest_.resize(outputs_);
    if (power) all_.judge_by_power(*power);
    if (outputs_ > 1) each_.assign(outputs_, Scorer(task, 1));
    for (Scorer& scorer : each_)
      if (power) scorer.judge_by_power(*power);
    return;
  }
  const std::size_t classes = names_.size();
  of_class_.resize(classes);
  answered_.resize(classes);
  right_.resize(classes);
  if (classes <= kMostInMatrix) confusion_.resize(classes * classes);
}

void Evaluator::add(const double* prediction, const double* target, double weight, const double* probabilities) {
  const double log_loss = probabilities
                              ? -portable_log(std::max(probabilities[std::size_t(target[0])], kLeastProbability))
                              : std::numeric_limits<double>::quiet_NaN();
  all_.add(prediction, target, weight, log_loss);
  for (std::size_t k = 0; k < largest_.size(); ++k) largest_[k] = std::max(largest_[k], std::abs(target[k]));
  for (std::size_t k = 0; k < each_.size(); ++k) each_[k].add(prediction + k, target + k, weight);
  if (task_ == Task::classification) add_class(prediction, std::size_t(target[0]), weight, probabilities);
}

void Evaluator::add_class(const double* scores, std::size_t label, double weight, const double* probabilities) {
  const std::size_t classes = names_.size(), answer = predicted_class(scores, outputs_);
  weight_ += weight;
  of_class_[label] += weight;
  answered_[answer] += weight;
  if (answer == label) right_[label] += weight;
  if (!confusion_.empty()) confusion_[label * classes + answer] += weight;
  if (!probabilities) return;
  has_probabilities_ = true;
  for (std::size_t c = classes == 2 ? 1 : 0; c < classes; ++c) {
    const double miss = probabilities[c] - double(c == label);
    brier_ += weight * miss * miss;
  }
  add_promise(label, weight, probabilities);
  if (classes == 2) add_cuts(label, weight, probabilities[1]);
}

void Evaluator::add_promise(std::size_t label, double weight, const double* probabilities) {
  const std::size_t classes = names_.size();
  const std::size_t promised =
      classes == 2 ? 1 : std::size_t(std::max_element(probabilities, probabilities + classes) - probabilities);
  const double p = probabilities[promised];
  promises_.resize(kPromiseBins);
  Evaluation::Promise& bin = promises_[std::min(kPromiseBins - 1, std::size_t(std::max(p, 0.0) * kPromiseBins))];
  bin.promised += weight * p;
  bin.found += weight * double(label == promised);
  bin.weight += weight;
}

void Evaluator::add_cuts(std::size_t label, double weight, double probability) {
  if (cuts_.empty())
    for (const double threshold : kCuts) cuts_.push_back({.threshold = threshold});
  for (Evaluation::Cut& cut : cuts_) {
    if (probability < cut.threshold) break;
    cut.flagged += weight;
    if (label == 1) cut.precision += weight;
  }
}

void Evaluator::finish_classes(Evaluation& result) const {
  const std::size_t classes = names_.size();
  result.labels = names_;
  for (std::size_t c = 0; !confusion_.empty() && c < classes; ++c)
    result.confusion.emplace_back(confusion_.begin() + std::ptrdiff_t(c * classes),
                                  confusion_.begin() + std::ptrdiff_t((c + 1) * classes));
  for (std::size_t c = 0; c < classes; ++c) {
    result.recall.push_back(ratio(right_[c], of_class_[c]));
    result.precision.push_back(ratio(right_[c], answered_[c]));
    result.f1_per_class.push_back(ratio(2 * right_[c], of_class_[c] + answered_[c]));
  }
  if (classes == 2 && !std::isnan(result.f1_per_class[1])) result.f1 = result.f1_per_class[1];
  if (classes > 2) result.f1 = mean_of_known(result.f1_per_class);
  result.auc_is_exact = all_.ranks_exactly();
  if (classes == 2) result.ranking = all_.ranking();
  if (!has_probabilities_ || weight_ <= 0) return;
  result.brier = brier_ / weight_;
  double apart = 0;
  for (const Evaluation::Promise& bin : promises_) {
    if (!(bin.weight > 0)) continue;
    apart += std::fabs(bin.promised - bin.found);
    result.promises.push_back({bin.promised / bin.weight, bin.found / bin.weight, bin.weight});
  }
  result.calibration_error = apart / weight_;
  for (const Evaluation::Cut& sums : cuts_)
    result.cuts.push_back(
        {sums.threshold, ratio(sums.precision, of_class_[1]), ratio(sums.precision, sums.flagged), sums.flagged});
}

Evaluation Evaluator::evaluation() const {
  for (std::size_t k = 0; k < largest_.size(); ++k) check_target_size(names_[k], largest_[k], Precision::float64);
  Evaluation result;
  result.score = all_.score();
  if (task_ == Task::classification) {
    finish_classes(result);
    return result;
  }
  if (each_.empty()) return result;
  result.targets = names_;
  for (const Scorer& scorer : each_) result.per_target.push_back(scorer.score());
  return result;
}

namespace {

std::string percent(double share) { return std::isnan(share) ? "-" : fmt::format("{:.2f}", 100 * share); }

// Rows are the true classes, columns the answers; then recall, precision and F1 of each class.
std::string matrix_text(const Evaluation& e, const std::string& unit) {
  std::size_t name = 4, cell = 6;
  for (const std::string& label : e.labels) {
    name = std::max(name, label.size());
    cell = std::max(cell, label.size());
  }
  const auto amount = [&](double value) {
    return e.score.weighted ? fmt::format("{:.4g}", value) : fmt::format("{:.0f}", value);
  };
  for (const auto& row : e.confusion)
    for (const double value : row) cell = std::max(cell, amount(value).size());
  std::string text;
  if (!e.confusion.empty()) {
    text = fmt::format("{} of the true class (down) answered as (across):\n{:<{}}",
                       e.score.weighted ? "weight" : unit + "s", "", name);
    for (const std::string& label : e.labels) text += fmt::format("  {:>{}}", label, cell);
    text += '\n';
    for (std::size_t c = 0; c < e.labels.size(); ++c) {
      text += fmt::format("{:<{}}", e.labels[c], name);
      for (const double value : e.confusion[c]) text += fmt::format("  {:>{}}", amount(value), cell);
      text += '\n';
    }
  }
  text += fmt::format("{:<{}}  {:>9}  {:>11}  {:>7}\n", "", name, "recall %", "precision %", "F1 %");
  for (std::size_t c = 0; c < e.labels.size(); ++c)
    text += fmt::format("{:<{}}  {:>9}  {:>11}  {:>7}\n", e.labels[c], name, percent(e.recall[c]),
                        percent(e.precision[c]), percent(e.f1_per_class[c]));
  return text;
}

}  // namespace

namespace {

// What a threshold on the probability of the second class would do.
std::string cuts_text(const Evaluation& e) {
  std::string text = fmt::format("{:>11}  {:>9}  {:>11}  {}\n", "P(" + e.labels[1] + ") >=", "recall %", "precision %",
                                 e.score.weighted ? "weight flagged" : "rows flagged");
  for (const Evaluation::Cut& cut : e.cuts)
    text += fmt::format("{:>11}  {:>9}  {:>11}  {:g}\n", cut.threshold, percent(cut.recall), percent(cut.precision),
                        cut.flagged);
  return text;
}

}  // namespace

std::string Evaluation::text(bool with_matrix) const {
  return evaluation_text(*this, {.unit = "row", .rows = score.rows}, with_matrix);
}

std::string evaluation_text(const Evaluation& e, const Counted& counted, bool with_matrix) {
  const Score& score = e.score;
  const std::optional<double>& log_likelihood = e.log_likelihood;
  const bool scored = score.error || score.r2 || score.rmse || !log_likelihood;
  std::string text = scored ? score_text(score, counted.unit) + "\n" : "", more;
  if (log_likelihood) {
    text += fmt::format("log-likelihood {:.6g} a row on {} row{}", *log_likelihood, counted.rows,
                        counted.rows == 1 ? "" : "s");
    text += counted.unit == "row" ? "\n"
                                  : fmt::format(" of {} {}{}\n", score.rows, counted.unit, score.rows == 1 ? "" : "s");
  }
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) more += fmt::format("{}{} {:.4f}", more.empty() ? "" : ", ", name, *value);
  };
  add(e.labels.size() == 2 ? "F1" : "mean F1", e.f1);
  add("Brier", e.brier);
  add("calibration error", e.calibration_error);
  if (score.auc && !e.auc_is_exact) more += ", AUC from a histogram";
  if (!more.empty()) text += more + "\n";
  for (std::size_t k = 0; k < e.per_target.size(); ++k) text += e.targets[k] + ": " + e.per_target[k].text() + "\n";
  for (std::size_t k = 0; k < e.coverage.size(); ++k)
    text += fmt::format("{}{:g} % intervals: {:.2f} % of the rows inside, mean width {:.4g}\n",
                        e.targets.empty() ? "" : e.targets[k] + ": ", 100 * e.coverage[k].level,
                        100 * e.coverage[k].inside, e.coverage[k].width);
  for (const Evaluation::Level& level : e.levels)
    text += fmt::format("quantile {:g}: {:.2f} % of the rows at or below, pinball loss {:.4g}\n", level.level,
                        100 * level.below, level.loss);
  if (with_matrix && !e.labels.empty()) text += matrix_text(e, counted.unit);
  if (with_matrix && !e.cuts.empty()) text += cuts_text(e);
  return text;
}

}  // namespace bochner
