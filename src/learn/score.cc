// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/require.h"
#include "folds/target_code.h"
#include "learn/evaluation_text.h"

namespace bochner {

namespace {

std::optional<double> if_finite(double value) {
  return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

// In the order of a log.
using Field = std::optional<double> Score::*;
constexpr Field kFields[] = {&Score::error, &Score::baseline_error, &Score::unweighted_error, &Score::r2, &Score::rmse,
                             &Score::mae,   &Score::relative_error, &Score::standard_error};

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

Scorer::Scorer(Task task, std::size_t outputs) : task_(task), outputs_(outputs), of_(outputs) {
  if (task_ == Task::classification) class_weight_.resize(outputs_ == 1 ? 2 : outputs_);
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

void Scorer::add(const double* prediction, const double* target, double weight) {
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
    return;
  }
  const auto label = std::size_t(target[0]);
  for (std::size_t k = 0; k < outputs_; ++k) {
    const double code = label == (outputs_ == 1 ? 1 : k) ? 1 : -1;
    of_[k].rr += weight * (prediction[k] - code) * (prediction[k] - code);
  }
  if (label < class_weight_.size()) class_weight_[label] += weight;
  if (predicted_class(prediction, outputs_) == label) return;
  ++wrong_rows_;
  wrong_ += weight;
  squared_wrong_ += weight * weight;
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
constexpr std::size_t kOwnNumbers = 8, kOutputNumbers = 14;
}

std::size_t Scorer::number_count(std::size_t outputs) {
  return kOwnNumbers + std::max<std::size_t>(2, outputs) + kOutputNumbers * outputs;
}

void Scorer::append_to(std::vector<double>& numbers) const {
  numbers.insert(numbers.end(), {double(rows_), double(wrong_rows_), double(weighted_), first_weight_, weight_,
                                 squared_weight_, wrong_, squared_wrong_});
  for (std::size_t c = 0; c < std::max<std::size_t>(2, outputs_); ++c)
    numbers.push_back(c < class_weight_.size() ? class_weight_[c] : 0);
  for (const Output& of : of_)
    numbers.insert(numbers.end(), {of.shift, of.u, of.uu, of.rr, of.abs_r, of.one2, of.u2, of.uu2, of.uuu2, of.uuuu2,
                                   of.rr2, of.rru2, of.rruu2, of.rrrr2});
}

namespace {

// A count that a file kept among other numbers.
std::uint64_t count_from(double number) {
  if (!(number >= 0 && number <= 0x1p53))
    fail(Error::Kind::data, "a kept score counts {} rows; the file was altered: start again without it", number);
  return std::uint64_t(number);
}

}  // namespace

Scorer Scorer::from(Task task, std::size_t outputs, const double* n) {
  Scorer s(task, outputs);
  s.rows_ = count_from(n[0]);
  s.wrong_rows_ = count_from(n[1]);
  s.weighted_ = n[2] != 0;
  s.first_weight_ = n[3];
  s.weight_ = n[4];
  s.squared_weight_ = n[5];
  s.wrong_ = n[6];
  s.squared_wrong_ = n[7];
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
  score.rows = count_from(numbers[0]);
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
    return text + on;
  }
  if (!score.rmse) return "no rows";
  std::string text = fmt::format("{}R2 {:.4f}", score.weighted ? "weighted " : "", *score.r2) + beside(" ± {:.4f}", 1);
  text += fmt::format(", rmse {:.4g}", *score.rmse);
  if (score.mae) text += fmt::format(", mean absolute error {:.4g}", *score.mae);
  return text + fmt::format(", relative error |yhat-y|/|y| {:.2f} %", 100 * *score.relative_error) + on;
}

// The score of a training has also chosen bandwidth and lambda: the best of some dozens of scores without any signal
// lies about two standard errors above their mean, so what is clear is further away.
std::string Score::warning() const {
  const double doubt = 3 * standard_error.value_or(0);
  if (error && baseline_error) {
    if (*error >= *baseline_error) return "no better than always answering the most frequent class";
    if (*error + doubt >= *baseline_error)
      return "not clearly better than always answering the most frequent class: less than three standard errors apart";
  }
  if (r2 && rows > 0) {
    if (*r2 <= 0) return "no better than always answering the mean";
    if (*r2 <= doubt) return "not clearly better than always answering the mean: less than three standard errors apart";
  }
  return "";
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

}  // namespace bochner
