// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/learn_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "maps/map_rows.h"
#include "methods/automatic/directions.h"
#include "random/draw.h"
#include "random/elementary.h"
#include "run/logged.h"
#include "solve/fixed_order.h"

namespace bochner {

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

std::vector<Metric> learn_metrics(const Workers& on, const MachineRows& all, const MachineEffort& effort,
                                  std::uint64_t seed, const MachineTalk& talk) {
  // The rows not held out, together.
  const std::vector<std::uint32_t> numbers = all.numbers(false);
  Matrix<float> x(numbers.size(), all.rows.x.cols);
  const Matrix<double> y = flow_targets(all.rows.y, numbers, seed);
  std::vector<double> weights;
  std::vector<std::uint64_t> kin;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::copy_n(all.rows.x.row(numbers[i]), x.cols(), &x(i, 0));
    if (!all.rows.weights.empty()) weights.push_back(all.rows.weights[numbers[i]]);
    if (!all.rows.kin.empty()) kin.push_back(all.rows.kin[numbers[i]]);
  }
  const FlowRows rows{x.view(), y.view(), weights, kin};
  double total = 0, done = 0, loss = 0;
  for (const std::size_t s : effort.steps) total += double(s);
  const auto step_done = [&](std::size_t, double value) {
    loss = value;
    if (talk.progress) talk.progress(fmt::format("metric (squared error {:.3g})", portable_exp(loss)), ++done / total);
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
  // Directions are learnt among the leading ones if there are very many inputs.
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
  const FlowRows among = wide ? FlowRows{turned.view(), y.view(), weights, kin} : rows;
  full = learn("metric c", full, among, {steps[2], 0.06, effort.few, true}, seed + 2);
  full = learn("metric d", full, among, {steps[3], 0.05, effort.more, true}, seed + 3);
  if (wide) {
    Matrix<double> W(turn.rows(), full.full.cols());
    fixed_order::multiply(std::as_const(turn).view(), std::as_const(full.full).view(), W.view());
    full.full = std::move(W);
  }
  if (talk.tell)
    talk.tell(fmt::format("metric: squared error {:.3g} with a scale per input, {:.3g} with directions of inputs",
                          portable_exp(diagonal_loss), portable_exp(loss)));
  return {diagonal, full};
}

}  // namespace bochner
