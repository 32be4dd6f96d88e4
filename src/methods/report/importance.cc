// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/score.h"
#include "methods/report/sample.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr double kMostPredictions = 400000;  // sum over all columns and shuffles
constexpr std::size_t kLeastRows = 100;

// What a prediction costs, row by row: log-loss, whether it is wrong, or squared error over the targets' variance.
class Losses {
 public:
  Losses(const Model& model, const RowSample& sample)
      : model_(model), sample_(sample), classes_(model.schema().task == Task::classification) {
    variance_.assign(sample.targets.cols(), 0.0);
    for (const double w : sample.weights) weight_ += w;
    for (std::size_t k = 0; k < variance_.size() && !classes_; ++k) {
      double mean = 0;
      for (std::size_t i = 0; i < sample.x.rows(); ++i) mean += sample.weights[i] * sample.targets(i, k) / weight_;
      for (std::size_t i = 0; i < sample.x.rows(); ++i)
        variance_[k] += sample.weights[i] * std::pow(sample.targets(i, k) - mean, 2) / weight_;
      if (!(variance_[k] > 0)) variance_[k] = 1;
    }
  }

  const char* name() const {
    if (!classes_) return "share of unexplained variance";
    return model_.has_probabilities() ? "log-loss" : "error";
  }

  double mean(const Matrix<double>& predictions) const {
    double sum = 0;
    for (std::size_t i = 0; i < predictions.rows(); ++i)
      sum += sample_.weights[i] * of_row(&predictions(i, 0), &sample_.targets(i, 0));
    return weight_ > 0 ? sum / weight_ : 0;
  }

 private:
  double of_row(const double* prediction, const double* target) const {
    if (classes_) {
      const auto label = std::size_t(target[0]);
      if (!model_.has_probabilities()) return predicted_class(prediction, model_.outputs()) != label;
      return -std::log(std::max(model_.probabilities(prediction)[label], 1e-15));
    }
    double sum = 0;
    for (std::size_t k = 0; k < variance_.size(); ++k)
      sum += (prediction[k] - target[k]) * (prediction[k] - target[k]) / variance_[k];
    return sum / double(variance_.size());
  }

  const Model& model_;
  const RowSample& sample_;
  bool classes_;
  double weight_ = 0;
  std::vector<double> variance_;
};

// A permutation of n by random keys: a function of its coordinates alone.
std::vector<std::uint32_t> shuffled(std::size_t n, std::uint64_t seed, std::size_t column, std::size_t repeat) {
  std::vector<std::pair<double, std::uint32_t>> keys(n);
  for (std::size_t i = 0; i < n; ++i) keys[i] = {normal(seed + 77 * repeat, Draw::sample, column, i), std::uint32_t(i)};
  std::sort(keys.begin(), keys.end());
  std::vector<std::uint32_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = keys[i].second;
  return order;
}

RowSample first_rows(const RowSample& all, std::size_t count) {
  RowSample part{Matrix<double>(count, all.x.cols()), Matrix<double>(count, all.targets.cols()), {}};
  std::copy_n(all.x.data(), count * all.x.cols(), part.x.data());
  std::copy_n(all.targets.data(), count * all.targets.cols(), part.targets.data());
  part.weights.assign(all.weights.begin(), all.weights.begin() + std::ptrdiff_t(count));
  return part;
}

}  // namespace

void find_importance(const Model& model, const RowSample& all, const std::vector<ColumnInputs>& columns,
                     const InsightOptions& options, const Execution& execution, Insight& insight) {
  const double affordable = kMostPredictions / double(std::max<std::size_t>(1, columns.size() * options.repeats));
  const RowSample sample = first_rows(all, std::min(all.x.rows(), std::max(kLeastRows, std::size_t(affordable))));
  const std::size_t n = sample.x.rows();
  const Losses losses(model, sample);
  insight.shuffled_rows = n;
  insight.measure = losses.name();
  insight.measured = losses.mean(model.predict(sample.x.view()));
  Matrix<double> x = sample.x;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    check_progress(execution, "importance", double(c) / double(columns.size()));
    const ColumnInputs& column = columns[c];
    std::vector<double> rises;
    for (std::size_t r = 0; r < options.repeats; ++r) {
      const std::vector<std::uint32_t> order = shuffled(n, options.seed, c, r);
      for (std::size_t i = 0; i < n; ++i)
        std::copy_n(&sample.x(order[i], column.first), column.count, &x(i, column.first));
      rises.push_back(losses.mean(model.predict(std::as_const(x).view())) - insight.measured);
    }
    for (std::size_t i = 0; i < n; ++i) std::copy_n(&sample.x(i, column.first), column.count, &x(i, column.first));
    Insight::Importance found{column.name};
    const double count = double(rises.size());
    for (const double rise : rises) found.rise += rise / count;
    double squares = 0;
    for (const double rise : rises) squares += (rise - found.rise) * (rise - found.rise);
    if (count > 1) found.standard_error = std::sqrt(squares / (count - 1) / count);
    insight.importance.push_back(std::move(found));
  }
  std::stable_sort(insight.importance.begin(), insight.importance.end(),
                   [](const auto& a, const auto& b) { return a.rise > b.rise; });
}

}  // namespace bochner
