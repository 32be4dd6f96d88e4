// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/metric_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

#include "folds/gram.h"
#include "kernels/stable.h"
#include "learn/descend.h"
#include "maps/map_rows.h"
#include "maps/nystroem.h"
#include "maps/variance.h"
#include "methods/automatic/columns.h"
#include "methods/automatic/directions.h"
#include "methods/automatic/inside_leaves.h"
#include "methods/automatic/learn_metrics.h"
#include "random/draw.h"
#include "random/elementary.h"
#include "run/logged.h"
#include "solve/cholesky.h"
#include "solve/fixed_order.h"

namespace bochner {

namespace {

constexpr double kLambdas[] = {1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2};  // lambdas of the landmarks
constexpr int kLeastExponent = -10, kGreatestExponent = -2;
constexpr double kMostCoefficients = 1e8;  // coefficients of leaves: rows x outputs x trees
constexpr std::size_t kLeastLandmarks = 500, kLeastLeafRows = 500;
constexpr double kLeafGain = 0.15;  // if leaves lower the error by this share, a model twice as large is tried
constexpr std::size_t kMostVarianceLandmarks = 1000;
constexpr double kLeastVarianceNoise = 1e-5;  // lambda m: float features carry no more
constexpr std::size_t kOneTreeRows = 100000;  // for so many rows, one tree speaks for all while the blend is weighed

int decade(double lambda) { return int(std::lround(portable_log(lambda) / std::numbers::ln10)); }

Matrix<float> gather(const Matrix<float>& u, const std::vector<std::uint32_t>& rows) {
  Matrix<float> out(rows.size(), u.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(&u(rows[i], 0), u.cols(), &out(i, 0));
  return out;
}

// "lambda 1e-05", or from the least to the greatest; 0 is none.
std::string lambda_text(const std::vector<double>& lambdas) {
  double least = 0, greatest = 0;
  for (const double lambda : lambdas) {
    if (lambda == 0) continue;
    least = least == 0 ? lambda : std::min(least, lambda);
    greatest = std::max(greatest, lambda);
  }
  if (least == greatest) return fmt::format("lambda {:.0e}", least);
  return fmt::format("lambda {:.0e} to {:.0e}", least, greatest);
}

}  // namespace

// Leaves see the rows that landmarks cannot stand for, the more so the more rows there are.
std::size_t affordable_landmarks(const MachineEffort& effort, double rows, std::size_t times) {
  const double affordable = std::min(std::sqrt(effort.most_products / rows), effort.most_entries / rows);
  return std::min(times * effort.most_landmarks, std::max(kLeastLandmarks, std::size_t(affordable)));
}

std::size_t affordable_leaf_rows(const MachineEffort& effort, double rows, std::size_t times) {
  const double affordable = std::sqrt(effort.most_leaf_products / rows);
  return std::min(times * effort.leaf.leaf_rows, std::max(kLeastLeafRows, std::size_t(affordable)));
}

std::vector<std::uint32_t> MachineRows::numbers(bool held_out) const {
  std::vector<std::uint32_t> out;
  for (std::size_t i = 0; i < held.size(); ++i)
    if (held[i] == (held_out ? kHeld : 0)) out.push_back(std::uint32_t(i));
  return out;
}

MetricMachine::MetricMachine(const Workers& on, const MachineRows& rows, Metric metric, const MachineEffort& effort,
                             std::uint64_t seed, Checkpoint* checkpoint)
    : on_(on), rows_(rows), metric_(std::move(metric)), effort_(effort), seed_(seed), held_(rows.numbers(true)) {
  first_ = metric_.matrix();
  if (first_.cols() > kMostDirections) first_ = leading_directions(on, rows.rows.x, rows.numbers(false), first_, seed);
  project(std::nullopt);
  const std::size_t p = u_.cols(), inside = 1 + 3 + (learns_directions() ? p * p : p);
  const std::size_t size = 2 + (2 + held_.size()) * rows.rows.y.cols + inside;
  take(logged(checkpoint, metric_.diagonal.empty() ? "machine full" : "machine diagonal", size, [&] {
    choose();
    return choices();
  }));
  fitted_ = nullptr;
}

void MetricMachine::set_size(std::size_t times) {
  size_ = times;
  const std::vector<std::uint32_t> before = std::move(landmarks_);
  std::vector<std::uint32_t> fitted = rows_.numbers(false);
  if (!rows_.rows.weights.empty())  // a landmark of weight 0 has no row that holds its coefficient
    std::erase_if(fitted, [&](std::uint32_t row) { return !(rows_.rows.weights[row] > 0); });
  const double n = double(rows_.held.size());
  landmarks_ =
      draw_rows(fitted.size(), std::min(fitted.size(), affordable_landmarks(effort_, n, times)), seed_, 1000000);
  for (std::uint32_t& row : landmarks_) row = fitted[row];
  if (landmarks_ != before) ridge_ = nullptr;
  leaf_ = effort_.leaf;
  leaf_.seed = seed_;
  leaf_.own_lambdas = rows_.own_choices;
  leaf_.leaf_rows = affordable_leaf_rows(effort_, n, times);
}

void MetricMachine::choose() {
  set_size(1);
  choose_lambda();
  const double landmarks_alone = error_;
  choose_leaves();
  if (!effort_.grows || !(error_ < (1 - kLeafGain) * landmarks_alone)) return;
  const std::vector<double> before = choices();
  const std::size_t count = landmarks_.size(), leaf_rows = leaf_.leaf_rows;
  if (std::optional<Metric> learnt = learnt_inside_leaves()) project(std::move(learnt));
  set_size(2);
  if (!inside_ && landmarks_.size() == count && leaf_.leaf_rows == leaf_rows) return take(before);
  choose_lambda();
  choose_leaves();
  if (!(error_ < before[1])) take(before);
}

std::vector<std::uint32_t> MetricMachine::all_rows() const {
  std::vector<std::uint32_t> all(u_.rows());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

bool MetricMachine::wide() const { return rows_.rows.x.cols > kMostDirections; }

bool MetricMachine::learns_directions() const { return wide() || metric_.diagonal.empty(); }

void MetricMachine::project(std::optional<Metric> inside) {
  inside_ = std::move(inside);
  Matrix<double> W = first_;
  if (inside_ && wide())
    fixed_order::multiply(std::as_const(first_).view(), inside_->full.view(), W.view());
  else if (inside_)
    W = inside_->matrix();
  project_ = linear(std::move(W), {});
  u_ = {};
  u_ = projected(rows_.rows.x);
  ridge_ = nullptr;
}

Matrix<float> MetricMachine::projected(MatrixView<const float> x) const {
  Matrix<float> u(x.rows, project_->outputs());
  map_rows(on_, *project_, RowBlock<float>::dense(x), u.view());
  return u;
}

std::optional<Metric> MetricMachine::learnt_inside_leaves() const {
  Matrix<double> mixed;
  if (rows_.rows.y.cols > kMostFlowTargets) mixed = flow_targets(rows_.rows.y, all_rows(), seed_);
  const MachineRows rows{{wide() ? u_.view() : rows_.rows.x,
                          mixed.rows() > 0 ? std::as_const(mixed).view() : rows_.rows.y, rows_.rows.weights},
                         rows_.held};
  Metric start = metric_;
  if (wide()) {
    start.diagonal.clear();
    start.full = Matrix<double>(u_.cols(), u_.cols());
    for (std::size_t j = 0; j < u_.cols(); ++j) start.full(j, j) = 1;
  }
  return learn_inside_leaves(on_, rows, u_.view(), start, effort_.inside, seed_ + 4);
}

LandmarkRidge& MetricMachine::ridge() const {
  if (!ridge_) ridge_ = std::make_unique<LandmarkRidge>(on_, projected(), landmarks_, rows_.held, exponent());
  return *ridge_;
}

std::vector<double> MetricMachine::choices() const {
  std::vector<double> out = {double(size_), error_};
  out.insert(out.end(), lambdas_.begin(), lambdas_.end());
  out.insert(out.end(), leaf_lambdas_.begin(), leaf_lambdas_.end());
  const Matrix<double>& h = held_predictions_;
  out.insert(out.end(), h.data(), h.data() + h.rows() * h.cols());
  const std::size_t p = u_.cols();
  const std::vector<double> none(3 + (learns_directions() ? p * p : p), 0.0);
  const std::vector<double> metric = inside_ ? packed(*inside_, 0) : none;
  out.push_back(inside_ ? 1 : 0);
  out.insert(out.end(), metric.begin(), metric.end());
  return out;
}

void MetricMachine::take(const std::vector<double>& choices) {
  const std::size_t targets = rows_.rows.y.cols;
  auto at = choices.begin();
  set_size(kept_count(*at++, 1, 2));
  error_ = *at++;
  lambdas_.assign(at, at + std::ptrdiff_t(targets));
  at += std::ptrdiff_t(targets);
  leaf_lambdas_.assign(at, at + std::ptrdiff_t(targets));
  at += std::ptrdiff_t(targets);
  Matrix<double> held(held_.size(), targets);
  std::copy_n(at, held_.size() * targets, held.data());
  held_predictions_ = std::move(held);
  at += std::ptrdiff_t(held_.size() * targets);
  const bool learnt = *at++ == 1;
  if (learnt != inside_.has_value())
    project(learnt ? std::optional(unpacked({at, choices.end()}, learns_directions() ? u_.cols() : 0)) : std::nullopt);
}

std::vector<std::vector<std::size_t>> MetricMachine::groups() const {
  std::vector<std::vector<std::size_t>> all(rows_.own_choices ? rows_.rows.y.cols : 1);
  for (std::size_t k = 0; k < rows_.rows.y.cols; ++k) all[rows_.own_choices ? k : 0].push_back(k);
  return all;
}

// Decades from the flow's own lambda downhill.
void MetricMachine::choose_lambda() {
  const Matrix<float> held = gather(u_, held_);
  const std::vector<std::vector<std::size_t>> all = groups();
  std::map<int, std::vector<double>> known;  // errors of the groups
  std::map<int, MapPtr> fits;
  std::vector<double> least(all.size(), std::numeric_limits<double>::infinity());
  lambdas_.assign(rows_.rows.y.cols, 0.0);
  held_predictions_ = Matrix<double>(held_.size(), rows_.rows.y.cols);
  const auto errors = [&](int exponent) -> const std::vector<double>& {
    if (const auto found = known.find(exponent); found != known.end()) return found->second;
    const double lambda = kLambdas[exponent - kLeastExponent];
    const MapPtr map = fits[exponent] = ridge().fit(lambda, false);
    const Matrix<double> predictions = predict_rows(on_, *map, held.view());
    const std::vector<double> of_target = squared_errors(projected(), predictions, held_);
    std::vector<double>& sums = known[exponent];
    for (std::size_t g = 0; g < all.size(); ++g) {
      double sum = 0;
      for (const std::size_t k : all[g]) sum += of_target[k];
      sums.push_back(sum);
      if (!(sum < least[g]) && known.size() > 1) continue;
      least[g] = sum;
      for (const std::size_t k : all[g]) lambdas_[k] = lambda;
      put_columns(some_columns(predictions, all[g]), all[g], held_predictions_);
    }
    return sums;
  };
  const int start = decade(metric_.lambda);
  for (std::size_t g = 0; g < all.size(); ++g)
    descend_by(1, std::clamp(start, kLeastExponent, kGreatestExponent - 1), kLeastExponent, kGreatestExponent,
               [&](int exponent) { return errors(exponent)[g]; });
  error_ = 0;
  for (const double e : least) error_ += e;
  const bool alike = std::adjacent_find(lambdas_.begin(), lambdas_.end(), std::not_equal_to<>()) == lambdas_.end();
  fitted_ = alike ? fits.at(decade(lambdas_[0])) : ridge().fit(lambdas_, false);
}

Matrix<double> MetricMachine::residuals(const Map& landmarks, const MetricRows& rows) const {
  Matrix<double> r = predict_rows(on_, landmarks, rows.u);
  for (std::size_t i = 0; i < r.rows(); ++i)
    for (std::size_t k = 0; k < r.cols(); ++k) r(i, k) = rows.y(i, k) - r(i, k);
  return r;
}

void MetricMachine::choose_leaves() {
  leaf_lambdas_.assign(rows_.rows.y.cols, 0.0);
  if (landmarks_.size() == rows_.numbers(false).size()) return;  // all rows are landmarks: leaves have nothing to add
  if (double(u_.rows()) * double(rows_.rows.y.cols) * double(leaf_.trees) > kMostCoefficients) return;
  const Matrix<double> left = residuals(*fitted_, projected());
  const MetricRows rows{u_.view(), left.view(), rows_.rows.weights};
  LeafOptions options = leaf_;
  if (rows_.held.size() >= kOneTreeRows) options.trees = 1;
  std::vector<LeafTree> trees = grow_leaves(on_, u_.view(), rows_.numbers(false), options);
  std::vector<double> lambdas = choose_leaf_lambdas(on_, rows, held_, exponent(), trees[0], options);
  solve_leaves(on_, rows, exponent(), lambdas, trees);
  const MapPtr map = leaf_machines(u_, exponent(), std::move(trees));
  Matrix<double> sum = predict_rows(on_, *map, gather(u_, held_).view());
  for (std::size_t i = 0; i < sum.rows() * sum.cols(); ++i) sum.data()[i] += held_predictions_.data()[i];
  const std::vector<double> before = squared_errors(projected(), held_predictions_, held_);
  const std::vector<double> after = squared_errors(projected(), sum, held_);
  for (const std::vector<std::size_t>& group : groups()) {
    double gain = 0;
    for (const std::size_t k : group) gain += before[k] - after[k];
    if (!(gain > 0)) continue;
    error_ -= gain;
    for (const std::size_t k : group) leaf_lambdas_[k] = lambdas[k];
    put_columns(some_columns(sum, group), group, held_predictions_);
  }
}

bool MetricMachine::leaves() const {
  return std::any_of(leaf_lambdas_.begin(), leaf_lambdas_.end(), [](double lambda) { return lambda > 0; });
}

MapPtr MetricMachine::refit() const {
  const FlowRows& all = rows_.refit_rows();
  const bool other = &all != &rows_.rows;
  Matrix<float> projected_anew;
  if (other) projected_anew = projected(all.x);
  const Matrix<float>& u = other ? projected_anew : u_;
  const MetricRows rows{u.view(), all.y, all.weights};
  const MapPtr landmarks =
      other ? LandmarkRidge(on_, rows, landmarks_, std::vector<char>(u.rows(), 0), exponent()).fit(lambdas_, false)
            : ridge().fit(lambdas_, true);
  if (!leaves()) return chain({project_, landmarks});
  const Matrix<double> left = residuals(*landmarks, rows);
  std::vector<LeafTree> trees = grow_leaves(on_, u.view(), all_rows(), leaf_);
  solve_leaves(on_, {u.view(), left.view(), all.weights}, exponent(), leaf_lambdas_, trees);
  return chain({project_, sum({landmarks, leaf_machines(u, exponent(), std::move(trees))})});
}

MapPtr MetricMachine::projected_variance() const {
  const std::size_t m = std::min(landmarks_.size(), kMostVarianceLandmarks);
  const Matrix<float> points = gather(u_, {landmarks_.begin(), landmarks_.begin() + std::ptrdiff_t(m)});
  const Kernel kernel = stable(2, exponent());
  Matrix<double> wide(m, points.cols()), K(m, m);
  std::copy_n(points.data(), m * points.cols(), wide.data());
  kernel_rows(on_.ops, kernel, RowBlock<double>::dense(std::as_const(wide).view()),
              kernel_landmarks<double>(kernel, points.view()), K.view());
  TiledSymmetric<double> lower(m, GramFold::tile_for(m));
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j <= i; ++j) lower.at(i, j) = 0.5 * (K(i, j) + K(j, i));
  double log_lambda = 0;
  for (const double lambda : lambdas_) log_lambda += std::log(lambda) / double(lambdas_.size());
  const Cholesky factor(std::move(lower), std::max(double(m) * std::exp(log_lambda), kLeastVarianceNoise), on_.threads,
                        Cholesky::Arithmetic::same_bits);
  return chain({std::make_shared<const NystroemMap>(kernel, points, factor.inverse_factor(on_.threads), "given"),
                variance_map({.inputs = m, .constant = 1, .square = -1})});
}

std::vector<double> MetricMachine::held_variances() const {
  const Matrix<double> found = predict_rows(on_, *projected_variance(), gather(u_, held_).view());
  return {found.data(), found.data() + found.rows()};
}

MapPtr MetricMachine::variance() const { return chain({project_, projected_variance()}); }

std::string MetricMachine::text() const {
  std::string text =
      fmt::format("exponent {:.2f}, {} landmarks ({})", exponent(), landmarks_.size(), lambda_text(lambdas_));
  if (leaves())
    text += fmt::format(", leaves of {} rows ({}{})", leaf_.leaf_rows, lambda_text(leaf_lambdas_),
                        inside_ ? ", metric learnt inside such" : "");
  return text;
}

}  // namespace bochner
