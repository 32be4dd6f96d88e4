// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/choice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "random/powers.h"

namespace bochner {

namespace {

// -log of the probability that the scores of a logistic head give to the class.
double log_loss(const double* scores, std::size_t outputs, std::size_t label) {
  if (outputs == 1) {
    const double margin = label == 1 ? scores[0] : -scores[0];
    return portable_log(1 + portable_exp_negative(-std::abs(margin))) + std::max(0.0, -margin);
  }
  const double most = *std::max_element(scores, scores + outputs);
  double sum = 0;
  for (std::size_t k = 0; k < outputs; ++k) sum += portable_exp_negative(scores[k] - most);
  return portable_log(sum) + most - scores[label];
}

}  // namespace

std::size_t nearest_median(const std::vector<double>& levels) {
  const auto nearer = [](double a, double b) { return std::abs(a - 0.5) < std::abs(b - 0.5); };
  return std::size_t(std::min_element(levels.begin(), levels.end(), nearer) - levels.begin());
}

ChoiceOfC::ChoiceOfC(Task task, std::vector<double> units, LossChoice loss, bool one_target)
    : task_(task),
      probabilities_(loss.row.probabilities),
      one_target_(one_target),
      loss_(std::move(loss)),
      units_(std::move(units)),
      middle_(one_target ? nearest_median(loss_.parameter) : 0),
      scorer_(task, one_target ? 1 : units_.size()),
      squashed_(task, units_.size(), 0),
      row_(units_.size()) {
  if (loss_.row.power) scorer_.judge_by_power(loss_.power());
}

void ChoiceOfC::add(const double* prediction, const double* target, double weight) {
  const double likely = probabilities_ ? log_loss(prediction, row_.size(), std::size_t(target[0]))
                                       : std::numeric_limits<double>::quiet_NaN();
  scorer_.add(prediction + middle_, target, weight, likely);
  weight_ += weight;
  if (task_ == Task::regression) {
    for (std::size_t k = 0; k < row_.size(); ++k) add_number(k, prediction[k], target[one_target_ ? 0 : k], weight);
  } else if (probabilities_) {
    sum_ += weight * likely;
  } else {
    for (std::size_t k = 0; k < row_.size(); ++k) row_[k] = std::tanh(prediction[k]);
    squashed_.add(row_.data(), target, weight);
  }
}

void ChoiceOfC::add_number(std::size_t k, double prediction, double target, double weight) {
  if (!(weight > 0)) return;  // its target may be one that the law does not have
  const double unit = units_[k], score = loss_.row.power ? std::log(prediction / unit) : prediction / unit;
  sum_ += loss_.row.judged_by_loss ? loss_.value(k, weight, target / unit, score)
                                   : weight * std::abs(prediction - target) / unit;
}

}  // namespace bochner
