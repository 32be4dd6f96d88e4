// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/require.h"
#include "bochner/learner.h"
#include "folds/target_code.h"
#include "learn/evaluation_text.h"
#include "learn/tweedie.h"
#include "random/powers.h"
#include "run/logged.h"

namespace bochner {

namespace {

std::optional<double> if_finite(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

// kFields has the order of a log.
using Field = std::optional<double> Score::*;
constexpr std::size_t kMostRankedClasses = 200;
constexpr Field kFields[] = {&Score::error,
                             &Score::baseline_error,
                             &Score::unweighted_error,
                             &Score::r2,
                             &Score::rmse,
                             &Score::mae,
                             &Score::relative_error,
                             &Score::standard_error,
                             &Score::log_loss,
                             &Score::baseline_log_loss,
                             &Score::log_loss_standard_error,
                             &Score::auc,
                             &Score::auc_by_chance};

}  // namespace

std::size_t predicted_class(const double* scores, std::size_t outputs) {
  if (outputs == 1) return scores[0] > 0 ? 1 : 0;
  return std::size_t(std::max_element(scores, scores + outputs) - scores);
}

double judged_score(double score, double code, double mean, double row_weight, double weight) {
  constexpr double kTies = 1e9;
  const double others = weight - row_weight;
  if (others > 0) score += row_weight * (code - mean) / others;
  return std::round(score * kTies) / kTies;
}

Scorer::Scorer(Task task, std::size_t outputs, std::size_t most_ranked, ClassRanking::Beyond beyond)
    : task_(task), outputs_(outputs), of_(outputs) {
  if (task_ == Task::regression) return;
  class_weight_.resize(outputs_ == 1 ? 2 : outputs_);
  if (outputs_ <= kMostRankedClasses) rankings_.assign(outputs_, ClassRanking(most_ranked / outputs_, beyond));
}

void Scorer::Output::add_number(double target, double prediction, double w) {
  const double t = target - shift, r = prediction - target, r_r = r * r, w2 = w * w;
  u += w * t;
  uu += w * t * t;
  rr += w * r_r;
  abs_r += w * std::abs(r);
  one2 += w2;
  u2 += w2 * t;
  uu2 += w2 * t * t;
  uuu2 += w2 * t * t * t;
  uuuu2 += w2 * t * t * t * t;
  rr2 += w2 * r_r;
  rru2 += w2 * r_r * t;
  rruu2 += w2 * r_r * t * t;
  rrrr2 += w2 * r_r * r_r;
}

// R2 = 1 - A / B is a ratio of means, of r^2 and of v^2 = (u - m)^2: by the delta method a row moves it by
// w (r^2 - A/B v^2) / (B sum w).
double Scorer::Output::r2_standard_error(double weight) const {
  constexpr double kLeastFourth = 1e-280;  // below, powers of deviations lose digits
  if (uuuu2 < kLeastFourth) return std::numeric_limits<double>::quiet_NaN();
  const double spread = variance(weight), m = u / weight, ratio = rr / spread;
  const double r_v = rruu2 - 2 * m * rru2 + m * m * rr2;
  const double v_v = uuuu2 - 4 * m * uuu2 + 6 * m * m * uu2 - 4 * m * m * m * u2 + m * m * m * m * one2;
  return std::sqrt(std::max(rrrr2 - 2 * ratio * r_v + ratio * ratio * v_v, 0.0)) / spread;
}

void Scorer::add(const double* prediction, const double* target, double weight, double log_loss) {
  if (rows_++ == 0) {
    first_weight_ = weight;
    if (task_ == Task::regression)
      for (std::size_t k = 0; k < outputs_; ++k) of_[k].shift = target[k];
  }
  weighted_ = weighted_ || weight != first_weight_;
  weight_ += weight;
  squared_weight_ += weight * weight;
  if (task_ == Task::regression) {
    for (std::size_t k = 0; k < outputs_; ++k) of_[k].add_number(target[k], prediction[k], weight);
    for (std::size_t k = 0; power_ && weight > 0 && k < outputs_; ++k) {
      deviance_ += weight * half_deviance(target[k], prediction[k], *power_);
      own_ += weight * tweedie_own(target[k], *power_);
    }
    return;
  }
  const auto label = std::size_t(target[0]);
  for (std::size_t k = 0; k < outputs_; ++k) {
    const double code = label == (outputs_ == 1 ? 1 : k) ? 1 : -1;
    of_[k].rr += weight * (prediction[k] - code) * (prediction[k] - code);
  }
  for (std::size_t k = 0; k < rankings_.size(); ++k)
    rankings_[k].add(prediction[k], label == (outputs_ == 1 ? 1 : k), weight);
  if (!std::isnan(log_loss)) {
    losses_.resize(class_weight_.size());
    Losses& of = losses_[label];
    const double w2 = weight * weight;
    of.l += weight * log_loss;
    of.one2 += w2;
    of.l2 += w2 * log_loss;
    of.ll2 += w2 * log_loss * log_loss;
  }
  if (label < class_weight_.size()) class_weight_[label] += weight;
  if (predicted_class(prediction, outputs_) == label) return;
  ++wrong_rows_;
  wrong_ += weight;
  squared_wrong_ += weight * weight;
}

// The constant answers the share q_c of each class: a row of it then loses b_c = -log q_c. With d = l - b and D its
// mean the standard error is sqrt(sum w^2 (d - D)^2) / sum w.
void Scorer::score_losses(Score& s) const {
  double loss = 0, constant = 0, squares = 0;
  for (const Losses& of : losses_) loss += of.l / weight_;
  for (const double weight : class_weight_)
    if (weight > 0) constant -= weight / weight_ * portable_log(weight / weight_);
  for (std::size_t c = 0; c < losses_.size(); ++c) {
    if (!(class_weight_[c] > 0)) continue;
    const Losses& of = losses_[c];
    const double middle = -portable_log(class_weight_[c] / weight_) + loss - constant;
    squares += of.ll2 - 2 * middle * of.l2 + middle * middle * of.one2;
  }
  s.log_loss = if_finite(loss);
  s.baseline_log_loss = constant;
  s.log_loss_standard_error = if_finite(std::sqrt(std::max(squares, 0.0)) / weight_);
}

// The mean of those that are known.
ClassRanking::Area Scorer::mean_area() const {
  if (area_) return *area_;
  ClassRanking::Area mean;
  double known = 0;
  for (const ClassRanking& ranking : rankings_) {
    const ClassRanking::Area area = ranking.area();
    if (std::isnan(area.value)) continue;
    mean.value += area.value;
    mean.by_chance += area.by_chance;
    ++known;
  }
  return {mean.value / known, mean.by_chance / known};
}

std::vector<Evaluation::RankingPoint> Scorer::ranking() const {
  return rankings_.size() == 1 ? rankings_[0].curve() : std::vector<Evaluation::RankingPoint>();
}

bool Scorer::ranks_exactly() const {
  return std::all_of(rankings_.begin(), rankings_.end(), [](const ClassRanking& r) { return r.exact(); });
}

void Scorer::settle() {
  area_ = mean_area();
  std::vector<ClassRanking>().swap(rankings_);
}

Score Scorer::score() const {
  Score s;
  s.rows = rows_;
  if (rows_ == 0 || weight_ <= 0) return s;
  s.weighted = weighted_;
  if (task_ == Task::classification) {
    const double p = wrong_ / weight_;
    s.error = p;
    s.baseline_error = 1 - *std::max_element(class_weight_.begin(), class_weight_.end()) / weight_;
    if (weighted_) s.unweighted_error = double(wrong_rows_) / double(rows_);
    // sqrt(sum w^2 (e - p)^2) / sum w, e = 1 for a wrong row: sqrt(p (1 - p) / n) where the weights are equal.
    const double squares = squared_wrong_ * (1 - 2 * p) + squared_weight_ * p * p;
    s.standard_error = if_finite(std::sqrt(std::max(squares, 0.0)) / weight_);
    const ClassRanking::Area area = mean_area();
    s.auc = if_finite(area.value);
    s.auc_by_chance = if_finite(area.by_chance);
    if (!losses_.empty()) score_losses(s);
    return s;
  }
  double residual = 0, absolute = 0, squares = 0, r2 = 0, deviation = 0;
  for (const Output& of : of_) {
    residual += of.rr;
    absolute += of.abs_r;
    squares += of.squares(weight_);
    if (of.variance(weight_) <= 0) continue;
    r2 += 1 - of.rr / of.variance(weight_);
    deviation += of.r2_standard_error(weight_);  // as if the targets erred together: it is never less
  }
  s.relative_error = squares > 0 ? std::sqrt(residual / squares) : 0;
  s.rmse = std::sqrt(residual / weight_ / double(outputs_));
  s.mae = absolute / weight_ / double(outputs_);
  s.r2 = r2 / double(outputs_);
  s.standard_error = if_finite(deviation / double(outputs_));
  if (!power_) return s;
  double constant = own_;
  for (const Output& of : of_) {
    const double mean = of.shift + of.u / weight_;
    constant += weight_ * tweedie_of_mean(mean, std::log(mean), *power_);
  }
  s.deviance = if_finite(2 * deviance_ / weight_ / double(outputs_));
  s.baseline_deviance = if_finite(2 * constant / weight_ / double(outputs_));
  return s;
}

double Scorer::loss() const {
  double residual = 0, variance = 0;
  for (const Output& of : of_) {
    residual += of.rr;
    if (task_ == Task::regression) variance += of.variance(weight_);
  }
  if (task_ == Task::classification) return wrong_ / weight_ + residual / (4 * weight_ * double(outputs_));
  return variance > 0 ? residual / variance : residual;
}

Scorer Scorer::decoded(const TargetCode& code) const {
  Scorer s = *this;
  if (task_ == Task::classification) return s;
  for (std::size_t k = 0; k < outputs_; ++k) {
    Output& of = s.of_[k];
    const double unit = code.unit[k], unit2 = unit * unit, unit3 = unit2 * unit, unit4 = unit2 * unit2;
    of.shift = of.shift * unit + code.center[k];
    for (double* sum : {&of.u, &of.abs_r, &of.u2}) *sum *= unit;
    for (double* sum : {&of.uu, &of.rr, &of.uu2, &of.rr2}) *sum *= unit2;
    for (double* sum : {&of.uuu2, &of.rru2}) *sum *= unit3;
    for (double* sum : {&of.uuuu2, &of.rruu2, &of.rrrr2}) *sum *= unit4;
  }
  return s;
}

namespace {
constexpr std::size_t kOwnNumbers = 10, kOutputNumbers = 14;
}

std::size_t Scorer::number_count(std::size_t outputs) {
  return kOwnNumbers + std::max<std::size_t>(2, outputs) + kOutputNumbers * outputs;
}

void Scorer::append_to(std::vector<double>& numbers) const {
  const ClassRanking::Area area = mean_area();
  numbers.insert(numbers.end(), {double(rows_), double(wrong_rows_), double(weighted_), first_weight_, weight_,
                                 squared_weight_, wrong_, squared_wrong_, area.value, area.by_chance});
  for (std::size_t c = 0; c < std::max<std::size_t>(2, outputs_); ++c)
    numbers.push_back(c < class_weight_.size() ? class_weight_[c] : 0);
  for (const Output& of : of_)
    numbers.insert(numbers.end(), {of.shift, of.u, of.uu, of.rr, of.abs_r, of.one2, of.u2, of.uu2, of.uuu2, of.uuuu2,
                                   of.rr2, of.rru2, of.rruu2, of.rrrr2});
}

Scorer Scorer::from(Task task, std::size_t outputs, const double* n) {
  Scorer s(task, outputs);
  s.rows_ = kept_count(n[0]);
  s.wrong_rows_ = kept_count(n[1]);
  s.weighted_ = n[2] != 0;
  s.first_weight_ = n[3];
  s.weight_ = n[4];
  s.squared_weight_ = n[5];
  s.wrong_ = n[6];
  s.squared_wrong_ = n[7];
  s.area_ = {n[8], n[9]};
  s.rankings_.clear();
  n += kOwnNumbers;
  std::copy_n(n, s.class_weight_.size(), s.class_weight_.begin());
  n += std::max<std::size_t>(2, outputs);
  for (Output& of : s.of_) {
    of = {n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11], n[12], n[13]};
    n += kOutputNumbers;
  }
  return s;
}

std::size_t score_number_count() { return 2 + std::size(kFields); }

void append_score(const Score& score, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), {double(score.rows), double(score.weighted)});
  for (const Field field : kFields)
    numbers.push_back((score.*field).value_or(std::numeric_limits<double>::quiet_NaN()));
}

Score score_from(const double* numbers) {
  Score score;
  score.rows = kept_count(numbers[0]);
  score.weighted = numbers[1] != 0;
  for (std::size_t i = 0; i < std::size(kFields); ++i)
    if (!std::isnan(numbers[2 + i])) score.*kFields[i] = numbers[2 + i];
  return score;
}

std::string Score::text() const { return score_text(*this, "row"); }

std::string score_text(const Score& score, const std::string& unit) {
  const auto beside = [&](const char* format, double per) {
    return score.standard_error ? fmt::format(fmt::runtime(format), per * *score.standard_error) : std::string();
  };
  const std::string on = fmt::format(" on {} {}{}", score.rows, unit, score.rows == 1 ? "" : "s");
  if (score.error) {
    std::string text = fmt::format("{}error {:.2f} %", score.weighted ? "weighted " : "", 100 * *score.error);
    text += beside(" ± {:.2f}", 100);
    if (score.unweighted_error) text += fmt::format(", unweighted {:.2f} %", 100 * *score.unweighted_error);
    if (score.baseline_error)
      text += fmt::format(", always the most frequent class {:.2f} %", 100 * *score.baseline_error);
    if (score.log_loss) text += fmt::format(", log-loss {:.4f}", *score.log_loss);
    if (score.baseline_log_loss) text += fmt::format(", of a constant {:.4f}", *score.baseline_log_loss);
    if (score.auc) text += fmt::format(", AUC {:.4f}", *score.auc);
    return text + on;
  }
  if (!score.rmse) return "no rows";
  std::string text = fmt::format("{}R2 {:.4f}", score.weighted ? "weighted " : "", *score.r2) + beside(" ± {:.4f}", 1);
  text += fmt::format(", rmse {:.4g}", *score.rmse);
  if (score.mae) text += fmt::format(", mean absolute error {:.4g}", *score.mae);
  if (score.deviance) text += fmt::format(", deviance {:.4g}", *score.deviance);
  if (score.baseline_deviance) text += fmt::format(", of a constant {:.4g}", *score.baseline_deviance);
  if (score.relative_error) text += fmt::format(", relative error |yhat-y|/|y| {:.2f} %", 100 * *score.relative_error);
  return text + on;
}

namespace {

// The score of a training has also chosen bandwidth and lambda: the best of some dozens of scores without any signal
// lies about two standard errors above their mean, so what is clear is further away.
constexpr double kDoubt = 3;

// Whether the probabilities or the order of the scores tell the classes apart.
bool tells_apart(const Score& s) {
  constexpr double kRounding = 1e-9;  // relative error of a sum that is the constant's own
  if (s.log_loss && s.baseline_log_loss &&
      *s.log_loss + kDoubt * s.log_loss_standard_error.value_or(0) < *s.baseline_log_loss * (1 - kRounding))
    return true;
  return s.auc && s.auc_by_chance && *s.auc - kDoubt * *s.auc_by_chance > 0.5;
}

}  // namespace

std::string Score::warning() const {
  const double doubt = kDoubt * standard_error.value_or(0);
  if (error && baseline_error && *error + doubt >= *baseline_error && !tells_apart(*this)) {
    if (*error >= *baseline_error) return "no better than always answering the most frequent class";
    return "not clearly better than always answering the most frequent class: less than three standard errors apart";
  }
  if (r2 && rows > 0) {
    if (*r2 <= 0) return "no better than always answering the mean";
    if (*r2 <= doubt) return "not clearly better than always answering the mean: less than three standard errors apart";
  }
  return "";
}

std::string Score::hint() const {
  const double doubt = kDoubt * standard_error.value_or(0);
  if (!error || !baseline_error || *error + doubt < *baseline_error || !tells_apart(*this)) return "";
  const std::string use = log_loss ? "use probabilities, a threshold of your own, or class weights"
                                   : "use class weights, or calibrate the scores and take a threshold of your own";
  return *error <= *baseline_error + doubt
             ? "the classes are told apart, but few rows pass one half: " + use
             : "the classes are told apart, but the answers err more often than the most frequent class: " + use;
}

std::string Report::text() const {
  std::string out = fmt::format("rows {}, inputs {}, features {}\nmap {}\n{} by {}, lambda {:.3g}\n", rows, inputs,
                                features, map, learner, solver, lambda);
  if (score) out += fmt::format("{}: {}\n", validation, score->text());
  if (test) out += fmt::format("test: {}\n", test->text());
  for (const std::string& note : notes) out += note + "\n";
  for (const auto& [step, time] : seconds) out += fmt::format("{:<24} {:8.2f} s\n", step, time);
  return out;
}

std::string Report::warning(const Score& judged) const {
  return quantile || answers_quantiles(learner) ? "" : judged.warning();
}

}  // namespace bochner
