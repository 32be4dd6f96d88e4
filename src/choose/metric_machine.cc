// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/metric_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "learn/descend.h"
#include "maps/map_rows.h"

namespace bochner {

namespace {

constexpr int kLeastExponent = -10, kGreatestExponent = -2;  // of the landmarks' lambda
constexpr std::size_t kLeastLeafRows = 500;
constexpr std::size_t kOneTreeRows = 100000;  // from which one tree speaks for all while the blend is weighed

Matrix<float> gather(const Matrix<float>& u, const std::vector<std::uint32_t>& rows) {
  Matrix<float> out(rows.size(), u.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(&u(rows[i], 0), u.cols(), &out(i, 0));
  return out;
}

}  // namespace

std::vector<std::uint32_t> MachineRows::numbers(bool held_out) const {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (bool(held[i]) == held_out) out.push_back(std::uint32_t(i));
  return out;
}

std::vector<Metric> learn_metrics(const Workers& on, const MachineRows& all, const MachineEffort& effort,
                                  std::uint64_t seed, const MachineTalk& talk) {
  // The rows not held out, together.
  const std::vector<std::uint32_t> numbers = all.numbers(false);
  Matrix<float> x(numbers.size(), all.rows.x.cols);
  Matrix<double> y(numbers.size(), all.rows.y.cols);
  std::vector<double> weights;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::copy_n(all.rows.x.row(numbers[i]), x.cols(), &x(i, 0));
    std::copy_n(all.rows.y.row(numbers[i]), y.cols(), &y(i, 0));
    if (!all.rows.weights.empty()) weights.push_back(all.rows.weights[numbers[i]]);
  }
  const FlowRows rows{x.view(), y.view(), weights};
  double total = 0, done = 0, loss = 0;
  for (const std::size_t s : effort.steps) total += double(s);
  const auto step_done = [&](std::size_t, double value) {
    loss = value;
    if (talk.progress) talk.progress(fmt::format("metric (loss {:.3f})", loss), ++done / total);
  };
  const Metric start =
      flow(on, rows, flow_start(rows, seed), {effort.steps[0], 0.12, effort.few, false}, seed, step_done);
  const Metric diagonal = flow(on, rows, start, {effort.steps[1], 0.05, effort.more, false}, seed + 1, step_done);
  const double diagonal_loss = loss;
  Metric full = flow(on, rows, start, {effort.steps[2], 0.06, effort.few, true}, seed + 2, step_done);
  full = flow(on, rows, full, {effort.steps[3], 0.05, effort.more, true}, seed + 3, step_done);
  if (talk.tell)
    talk.tell(fmt::format("metric: log loss {:.3f} with a scale per input, {:.3f} with directions of inputs",
                          diagonal_loss, loss));
  return {diagonal, full};
}

MetricMachine::MetricMachine(const Workers& on, const MachineRows& rows, Metric metric, const MachineEffort& effort,
                             std::uint64_t seed)
    : on_(on),
      rows_(rows),
      metric_(std::move(metric)),
      leaf_(effort.leaf),
      held_(rows.numbers(true)),
      project_(linear(metric_.matrix(), {})) {
  u_ = Matrix<float>(rows.rows.x.rows, project_->outputs());
  map_rows(on, *project_, RowBlock<float>::dense(rows.rows.x), u_.view());
  const std::vector<std::uint32_t> fitted = rows.numbers(false);
  const double affordable = std::sqrt(effort.most_products / double(rows.held.size()));
  landmarks_ = std::min({effort.most_landmarks, fitted.size(), std::size_t(std::max(1000.0, affordable))});
  std::vector<std::uint32_t> chosen = draw_rows(fitted.size(), landmarks_, seed, 1000000);
  for (std::uint32_t& row : chosen) row = fitted[row];
  ridge_ = std::make_unique<LandmarkRidge>(on, projected(), chosen, rows.held, metric_.q);
  leaf_.seed = seed;
  const double leaf_rows = std::sqrt(effort.most_leaf_products / double(rows.held.size()));
  leaf_.leaf_rows = std::min(leaf_.leaf_rows, std::max(kLeastLeafRows, std::size_t(leaf_rows)));
  choose_lambda();
  choose_leaves();
}

// Decades from the flow's own lambda downhill.
void MetricMachine::choose_lambda() {
  const Matrix<float> held = gather(u_, held_);
  std::map<int, double> errors;
  const auto error = [&](int exponent) {
    if (const auto known = errors.find(exponent); known != errors.end()) return known->second;
    const MapPtr map = ridge_->fit(std::pow(10.0, exponent), false);
    Matrix<double> predictions = predict_rows(on_, *map, held.view());
    const double e = squared_error(projected(), predictions, held_);
    if (errors.empty() || e < error_) {
      error_ = e;
      fitted_ = map;
      lambda_ = std::pow(10.0, exponent);
      held_predictions_ = std::move(predictions);
    }
    return errors[exponent] = e;
  };
  const int start = int(std::lround(std::log10(metric_.lambda)));
  descend_by(1, std::clamp(start, kLeastExponent, kGreatestExponent - 1), kLeastExponent, kGreatestExponent, error);
}

Matrix<double> MetricMachine::residuals(const Map& landmarks) const {
  Matrix<double> r = predict_rows(on_, landmarks, u_.view());
  for (std::size_t i = 0; i < r.rows(); ++i)
    for (std::size_t k = 0; k < r.cols(); ++k) r(i, k) = rows_.rows.y(i, k) - r(i, k);
  return r;
}

void MetricMachine::choose_leaves() {
  const Matrix<double> left = residuals(*fitted_);
  const MetricRows rows{u_.view(), left.view(), rows_.rows.weights};
  LeafOptions options = leaf_;
  if (rows_.held.size() >= kOneTreeRows) options.trees = 1;
  std::vector<LeafTree> trees = grow_leaves(on_, u_.view(), rows_.numbers(false), options);
  const double lambda = choose_leaf_lambda(on_, rows, held_, metric_.q, trees[0], options);
  solve_leaves(on_, rows, metric_.q, lambda, trees);
  const MapPtr map = leaf_machines(u_, metric_.q, std::move(trees));
  Matrix<double> sum = predict_rows(on_, *map, gather(u_, held_).view());
  for (std::size_t i = 0; i < sum.rows() * sum.cols(); ++i) sum.data()[i] += held_predictions_.data()[i];
  const double error = squared_error(projected(), sum, held_);
  if (!(error < error_)) return;
  error_ = error;
  leaf_lambda_ = lambda;
  held_predictions_ = std::move(sum);
}

MapPtr MetricMachine::refit() const {
  const MapPtr landmarks = ridge_->fit(lambda_, true);
  if (leaf_lambda_ == 0) return chain({project_, landmarks});
  const Matrix<double> left = residuals(*landmarks);
  std::vector<std::uint32_t> all(u_.rows());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::uint32_t(i);
  std::vector<LeafTree> trees = grow_leaves(on_, u_.view(), all, leaf_);
  solve_leaves(on_, {u_.view(), left.view(), rows_.rows.weights}, metric_.q, leaf_lambda_, trees);
  return chain({project_, sum({landmarks, leaf_machines(u_, metric_.q, std::move(trees))})});
}

std::string MetricMachine::text() const {
  std::string text = fmt::format("exponent {:.2f}, {} landmarks (lambda {:.0e})", metric_.q, landmarks_, lambda_);
  if (leaf_lambda_ > 0) text += fmt::format(", leaves of {} rows (lambda {:.0e})", leaf_.leaf_rows, leaf_lambda_);
  return text;
}

}  // namespace bochner
