// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/metric_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

#include "choose/directions.h"
#include "folds/gram.h"
#include "kernels/stable.h"
#include "learn/columns.h"
#include "learn/descend.h"
#include "maps/map_rows.h"
#include "maps/nystroem.h"
#include "maps/variance.h"
#include "random/draw.h"
#include "random/elementary.h"
#include "run/logged.h"
#include "solve/cholesky.h"
#include "solve/fixed_order.h"

namespace bochner {

namespace {

constexpr double kLambdas[] = {1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2};  // of the landmarks
constexpr int kLeastExponent = -10, kGreatestExponent = -2;
constexpr std::size_t kMostFlowTargets = 32;
constexpr double kMostCoefficients = 1e8;  // of leaves: rows x outputs x trees
constexpr std::size_t kLeastLandmarks = 500, kLeastLeafRows = 500;
constexpr double kLeafGain = 0.15;  // of the error, that leaves lower: then a machine twice as large is tried
constexpr std::size_t kMostVarianceLandmarks = 1000;
constexpr double kLeastVarianceNoise = 1e-5;  // lambda m: float features carry no more
constexpr std::size_t kOneTreeRows = 100000;  // from which one tree speaks for all while the blend is weighed

int decade(double lambda) { return int(std::lround(portable_log(lambda) / std::numbers::ln10)); }

Matrix<float> gather(const Matrix<float>& u, const std::vector<std::uint32_t>& rows) {
  Matrix<float> out(rows.size(), u.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) std::copy_n(&u(rows[i], 0), u.cols(), &out(i, 0));
  return out;
}

// Targets of the rows listed; of more than kMostFlowTargets as many random sums.
Matrix<double> flow_targets(MatrixView<const double> y, const std::vector<std::uint32_t>& rows, std::uint64_t seed) {
  const bool many = y.cols > kMostFlowTargets;
  Matrix<double> mix(many ? y.cols : 0, kMostFlowTargets);
  for (std::size_t k = 0; k < mix.rows(); ++k)
    for (std::size_t s = 0; s < kMostFlowTargets; ++s)
      mix(k, s) = normal(seed, Draw::sketch, k, s) / std::sqrt(double(kMostFlowTargets));
  Matrix<double> out(rows.size(), many ? kMostFlowTargets : y.cols);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double* row = y.row(rows[i]);
    if (!many) std::copy_n(row, y.cols, &out(i, 0));
    for (std::size_t k = 0; k < mix.rows(); ++k)
      for (std::size_t s = 0; s < kMostFlowTargets && row[k] != 0; ++s) out(i, s) += row[k] * mix(k, s);
  }
  return out;
}

// A metric as numbers, for a checkpoint.
std::vector<double> packed(const Metric& metric, double loss) {
  std::vector<double> out = {metric.q, metric.lambda, loss};
  const Matrix<double>& W = metric.full;
  if (metric.diagonal.empty())
    out.insert(out.end(), W.data(), W.data() + W.rows() * W.cols());
  else
    out.insert(out.end(), metric.diagonal.begin(), metric.diagonal.end());
  return out;
}

Metric unpacked(const std::vector<double>& numbers, std::size_t full_inputs) {
  Metric metric;
  metric.q = numbers[0];
  metric.lambda = numbers[1];
  if (full_inputs == 0) {
    metric.diagonal.assign(numbers.begin() + 3, numbers.end());
  } else {
    metric.full = Matrix<double>(full_inputs, full_inputs);
    std::copy(numbers.begin() + 3, numbers.end(), metric.full.data());
  }
  return metric;
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
    if (bool(held[i]) == held_out) out.push_back(std::uint32_t(i));
  return out;
}

std::vector<Metric> learn_metrics(const Workers& on, const MachineRows& all, const MachineEffort& effort,
                                  std::uint64_t seed, const MachineTalk& talk) {
  // The rows not held out, together.
  const std::vector<std::uint32_t> numbers = all.numbers(false);
  Matrix<float> x(numbers.size(), all.rows.x.cols);
  const Matrix<double> y = flow_targets(all.rows.y, numbers, seed);
  std::vector<double> weights;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::copy_n(all.rows.x.row(numbers[i]), x.cols(), &x(i, 0));
    if (!all.rows.weights.empty()) weights.push_back(all.rows.weights[numbers[i]]);
  }
  const FlowRows rows{x.view(), y.view(), weights};
  double total = 0, done = 0, loss = 0;
  for (const std::size_t s : effort.steps) total += double(s);
  const auto step_done = [&](std::size_t, double value) {
    loss = value;
    if (talk.progress) talk.progress(fmt::format("metric (loss {:.3f})", loss), ++done / total);
  };
  const auto learn = [&](const char* name, const Metric& start, const FlowRows& of, const FlowPhase& phase,
                         std::uint64_t draw) {
    const std::size_t d = of.x.cols, size = 3 + (phase.full ? d * d : d);
    const std::vector<double> found = logged(talk.checkpoint, name, size, [&] {
      const Metric metric = flow(on, of, start, phase, draw, step_done);  // first: it tells the loss
      return packed(metric, loss);
    });
    loss = found[2];
    return unpacked(found, phase.full ? d : 0);
  };
  const std::array<std::size_t, 4>& steps = effort.steps;
  const Metric start = learn("metric a", flow_start(rows, seed), rows, {steps[0], 0.12, effort.few, false}, seed);
  const Metric diagonal = learn("metric b", start, rows, {steps[1], 0.05, effort.more, false}, seed + 1);
  const double diagonal_loss = loss;
  // Of very many inputs the directions are learnt among the leading ones.
  const bool wide = x.cols() > kMostDirections;
  Matrix<double> turn;
  Matrix<float> turned;
  Metric full = start;
  if (wide) {
    std::vector<std::uint32_t> each(x.rows());
    std::iota(each.begin(), each.end(), 0u);
    turn = leading_directions(on, x.view(), each, start.matrix(), seed);
    turned = Matrix<float>(x.rows(), turn.cols());
    map_rows(on, *linear(turn, {}), RowBlock<float>::dense(std::as_const(x).view()), turned.view());
    full.diagonal.assign(turn.cols(), 1.0);
  }
  const FlowRows among = wide ? FlowRows{turned.view(), y.view(), weights} : rows;
  full = learn("metric c", full, among, {steps[2], 0.06, effort.few, true}, seed + 2);
  full = learn("metric d", full, among, {steps[3], 0.05, effort.more, true}, seed + 3);
  if (wide) {
    Matrix<double> W(turn.rows(), full.full.cols());
    fixed_order::multiply(std::as_const(turn).view(), std::as_const(full.full).view(), W.view());
    full.full = std::move(W);
  }
  if (talk.tell)
    talk.tell(fmt::format("metric: log loss {:.3f} with a scale per input, {:.3f} with directions of inputs",
                          diagonal_loss, loss));
  return {diagonal, full};
}

MetricMachine::MetricMachine(const Workers& on, const MachineRows& rows, Metric metric, const MachineEffort& effort,
                             std::uint64_t seed, Checkpoint* checkpoint)
    : on_(on), rows_(rows), metric_(std::move(metric)), effort_(effort), seed_(seed), held_(rows.numbers(true)) {
  Matrix<double> W = metric_.matrix();
  if (W.cols() > kMostDirections) W = leading_directions(on, rows.rows.x, rows.numbers(false), W, seed);
  project_ = linear(std::move(W), {});
  u_ = Matrix<float>(rows.rows.x.rows, project_->outputs());
  map_rows(on, *project_, RowBlock<float>::dense(rows.rows.x), u_.view());
  const std::size_t size = 2 + (2 + held_.size()) * rows.rows.y.cols;
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
  const std::size_t count = landmarks_.size(), leaf_rows = leaf_.leaf_rows;
  if (!effort_.grows || !(error_ < (1 - kLeafGain) * landmarks_alone)) return;
  const std::vector<double> smaller = choices();
  set_size(2);
  if (landmarks_.size() > count || leaf_.leaf_rows > leaf_rows) {
    choose_lambda();
    choose_leaves();
  }
  if (!(error_ < smaller[1])) take(smaller);
}

LandmarkRidge& MetricMachine::ridge() const {
  if (!ridge_) ridge_ = std::make_unique<LandmarkRidge>(on_, projected(), landmarks_, rows_.held, metric_.q);
  return *ridge_;
}

std::vector<double> MetricMachine::choices() const {
  std::vector<double> out = {double(size_), error_};
  out.insert(out.end(), lambdas_.begin(), lambdas_.end());
  out.insert(out.end(), leaf_lambdas_.begin(), leaf_lambdas_.end());
  const Matrix<double>& h = held_predictions_;
  out.insert(out.end(), h.data(), h.data() + h.rows() * h.cols());
  return out;
}

void MetricMachine::take(const std::vector<double>& choices) {
  const std::size_t targets = rows_.rows.y.cols;
  auto at = choices.begin();
  set_size(std::size_t(*at++));
  error_ = *at++;
  lambdas_.assign(at, at + std::ptrdiff_t(targets));
  at += std::ptrdiff_t(targets);
  leaf_lambdas_.assign(at, at + std::ptrdiff_t(targets));
  at += std::ptrdiff_t(targets);
  Matrix<double> held(held_.size(), targets);
  std::copy(at, choices.end(), held.data());
  held_predictions_ = std::move(held);
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

Matrix<double> MetricMachine::residuals(const Map& landmarks) const {
  Matrix<double> r = predict_rows(on_, landmarks, u_.view());
  for (std::size_t i = 0; i < r.rows(); ++i)
    for (std::size_t k = 0; k < r.cols(); ++k) r(i, k) = rows_.rows.y(i, k) - r(i, k);
  return r;
}

void MetricMachine::choose_leaves() {
  leaf_lambdas_.assign(rows_.rows.y.cols, 0.0);
  if (landmarks_.size() + held_.size() == u_.rows()) return;  // all rows are landmarks: leaves have nothing to add
  if (double(u_.rows()) * double(rows_.rows.y.cols) * double(leaf_.trees) > kMostCoefficients) return;
  const Matrix<double> left = residuals(*fitted_);
  const MetricRows rows{u_.view(), left.view(), rows_.rows.weights};
  LeafOptions options = leaf_;
  if (rows_.held.size() >= kOneTreeRows) options.trees = 1;
  std::vector<LeafTree> trees = grow_leaves(on_, u_.view(), rows_.numbers(false), options);
  std::vector<double> lambdas = choose_leaf_lambdas(on_, rows, held_, metric_.q, trees[0], options);
  solve_leaves(on_, rows, metric_.q, lambdas, trees);
  const MapPtr map = leaf_machines(u_, metric_.q, std::move(trees));
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
  const MapPtr landmarks = ridge().fit(lambdas_, true);
  if (!leaves()) return chain({project_, landmarks});
  const Matrix<double> left = residuals(*landmarks);
  std::vector<std::uint32_t> all(u_.rows());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::uint32_t(i);
  std::vector<LeafTree> trees = grow_leaves(on_, u_.view(), all, leaf_);
  solve_leaves(on_, {u_.view(), left.view(), rows_.rows.weights}, metric_.q, leaf_lambdas_, trees);
  return chain({project_, sum({landmarks, leaf_machines(u_, metric_.q, std::move(trees))})});
}

MapPtr MetricMachine::projected_variance() const {
  const std::size_t m = std::min(landmarks_.size(), kMostVarianceLandmarks);
  const Matrix<float> points = gather(u_, {landmarks_.begin(), landmarks_.begin() + std::ptrdiff_t(m)});
  const Kernel kernel = stable(2, metric_.q);
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
      fmt::format("exponent {:.2f}, {} landmarks ({})", metric_.q, landmarks_.size(), lambda_text(lambdas_));
  if (leaves()) text += fmt::format(", leaves of {} rows ({})", leaf_.leaf_rows, lambda_text(leaf_lambdas_));
  return text;
}

}  // namespace bochner
