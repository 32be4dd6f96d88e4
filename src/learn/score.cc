// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bochner {

std::size_t predicted_class(const double* scores, std::size_t outputs) {
  if (outputs == 1) return scores[0] > 0 ? 1 : 0;
  return std::size_t(std::max_element(scores, scores + outputs) - scores);
}

void Scorer::add(const double* prediction, const double* target, double weight) {
  ++rows_;
  weight_ += weight;
  const auto label = task_ == Task::classification ? std::size_t(target[0]) : 0;
  for (std::size_t k = 0; k < outputs_; ++k) {
    double t = target[task_ == Task::regression ? k : 0];
    if (task_ == Task::classification) t = label == (outputs_ == 1 ? 1 : k) ? 1 : -1;
    sum_[k] += weight * t;
    sum_squares_[k] += weight * t * t;
    squares_[k] += weight * (prediction[k] - t) * (prediction[k] - t);
  }
  if (task_ == Task::classification) wrong_ += weight * double(predicted_class(prediction, outputs_) != label);
}

Score Scorer::score() const {
  Score s;
  s.rows = rows_;
  if (rows_ == 0 || weight_ <= 0) return s;
  if (task_ == Task::classification) {
    s.error = wrong_ / weight_;
    return s;
  }
  double residual = 0, squares = 0, r2 = 0;
  for (std::size_t k = 0; k < outputs_; ++k) {
    residual += squares_[k];
    squares += sum_squares_[k];
    const double variance = sum_squares_[k] - sum_[k] * sum_[k] / weight_;
    r2 += variance > 0 ? 1 - squares_[k] / variance : 0;
  }
  s.relative_error = squares > 0 ? std::sqrt(residual / squares) : 0;
  s.rmse = std::sqrt(residual / weight_ / double(outputs_));
  s.r2 = r2 / double(outputs_);
  return s;
}

double Scorer::loss() const {
  double residual = 0, variance = 0;
  for (std::size_t k = 0; k < outputs_; ++k) {
    residual += squares_[k];
    variance += sum_squares_[k] - sum_[k] * sum_[k] / weight_;
  }
  if (task_ == Task::classification) return wrong_ / weight_ + residual / (4 * weight_ * double(outputs_));
  return variance > 0 ? residual / variance : residual;
}

std::string Score::text() const {
  if (error) return fmt::format("error {:.2f} % on {} rows", 100 * *error, rows);
  if (rmse)
    return fmt::format("relative error {:.2f} %, rmse {:.4g}, R2 {:.4f} on {} rows", 100 * *relative_error, *rmse, *r2,
                       rows);
  return "no rows";
}

std::string Report::text() const {
  std::string out = fmt::format("rows {}, inputs {}, features {}\nmap {}\n{} by {}, lambda {:.3g}\n", rows, inputs,
                                features, map, learner, solver, lambda);
  if (score) out += fmt::format("{}: {}\n", validation, score->text());
  for (const std::string& note : notes) out += note + "\n";
  for (const auto& [step, time] : seconds) out += fmt::format("{:<24} {:8.2f} s\n", step, time);
  return out;
}

}  // namespace bochner
