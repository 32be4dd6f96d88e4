// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/metric_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/require.h"
#include "base/spec.h"
#include "maps/map_rows.h"
#include "methods/automatic/learn_metrics.h"
#include "methods/automatic/machine_memory.h"
#include "methods/automatic/race_plan.h"
#include "methods/automatic/twofold.h"
#include "run/compute.h"

namespace bochner {

namespace {

constexpr std::size_t kMostRows = 20000, kMostInputs = 2000;
constexpr std::size_t kLeastRows = 20;  // fewer teach no metric
// Rows that no step of the flow sees: they say which of its two metrics is better.
constexpr double kJudgesShare = 0.25;
constexpr std::size_t kMostJudges = 2000;

MachineEffort effort_of(std::uint64_t rows, std::size_t inputs, std::size_t outputs) {
  return machine_effort(race_plan(Effort::normal), {double(rows), double(inputs), double(inputs), double(outputs)}, 1);
}

MapPtr unchanged(std::size_t inputs) {
  Matrix<double> W(inputs, inputs);
  for (std::size_t j = 0; j < inputs; ++j) W(j, j) = 1;
  return linear(std::move(W), {});
}

// Each number enters twice, as in the automatic machine. Null: none varies.
MapPtr twofold_inputs(const Matrix<double>& rows) {
  std::vector<TwofoldColumn> columns;
  std::size_t outputs = 0;
  for (std::size_t j = 0; j < rows.cols(); ++j) {
    std::vector<double> values(rows.rows());
    for (std::size_t i = 0; i < rows.rows(); ++i) values[i] = rows(i, j);
    outputs += columns.emplace_back(twofold_column(std::move(values))).outputs();
  }
  require(outputs <= kMostInputs,
          "map: metric: {} inputs make {} numbers to learn a metric of, expected at most {}; put a projection before: "
          "'project:dims=200|metric|fourier'",
          rows.cols(), outputs, kMostInputs);
  return outputs == 0 ? nullptr : twofold(std::move(columns));
}

// The metric with the smaller error on rows that neither saw, when fitted on some that both saw.
const Metric& better(const Workers& on, const MachineRows& rows, const std::vector<Metric>& metrics,
                     std::size_t fitted) {
  const std::vector<std::uint32_t> judges = rows.numbers(true);
  std::vector<std::uint32_t> drawn = rows.numbers(false);
  drawn.resize(std::min(drawn.size(), fitted));
  const FlowBatch batch{drawn.size(), judges.size()};
  drawn.insert(drawn.end(), judges.begin(), judges.end());
  const auto loss = [&](const Metric& metric) { return flow_loss(on, rows.rows, drawn, batch, metric); };
  return loss(metrics[1]) < loss(metrics[0]) ? metrics[1] : metrics[0];
}

MapPtr make(const MapRequest& request) {
  LabelledRows rows = request.labelled(kMostRows);
  const std::size_t n = rows.inputs.rows();
  const MapPtr inputs = n < kLeastRows ? nullptr : twofold_inputs(rows.inputs);
  if (!inputs) {
    request.note(
        fmt::format("metric: none learnt from {} rows{}", n, n < kLeastRows ? "" : ", no input of which varies"));
    return unchanged(request.inputs);
  }
  Threads threads(request.execution);
  const Workers on = workers_on(threads);
  Matrix<double> mapped(n, inputs->outputs());
  map_rows(on, *inputs, RowBlock<double>::dense(rows.inputs.view()), mapped.view());
  Matrix<float> x(n, mapped.cols());
  std::transform(mapped.data(), mapped.data() + n * x.cols(), x.data(), [](double v) { return float(v); });
  Matrix<double>& y = rows.targets;  // rounded to float: the last bits are those of the targets' unit
  std::transform(y.data(), y.data() + n * y.cols(), y.data(), [](double v) { return double(float(v)); });
  MachineRows machine{{std::as_const(x).view(), std::as_const(y).view(), rows.weights}, std::vector<char>(n, 0)};
  std::fill_n(machine.held.begin(), std::min(kMostJudges, std::size_t(kJudgesShare * double(n))), MachineRows::kHeld);
  const MachineEffort effort = effort_of(n, x.cols(), y.cols());
  const std::vector<Metric> metrics =
      learn_metrics(on, machine, effort, request.seed, {.tell = request.note, .progress = request.execution.progress});
  const Metric& metric = better(on, machine, metrics, effort.more.fitted);
  request.note(fmt::format("metric: {} taken, learnt from {} rows",
                           metric.diagonal.empty() ? "directions of inputs" : "a scale per input", n));
  return chain({inputs, linear(metric.matrix(), {})});
}

// Outputs at most: an input with two values makes one, and one that never varies none.
MapSize size(const MapRequest& request) {
  const std::size_t most = 2 * request.inputs;
  const std::uint64_t rows = request.rows > 0 ? std::min<std::uint64_t>(request.rows, kMostRows) : kMostRows;
  const double values = double(rows) * double(most);
  return {.features = most,
          .step = 0,
          .weights = double(most),
          .working = flow_bytes(effort_of(rows, most, 1)) + 24 * values};
}

}  // namespace

// Its maps are saved as what they are, chains of others: nothing is loaded by this name.
MapKind metric_kind() {
  return {.name = "metric",
          .usage = "metric (before others: 'metric|fourier')",
          .parse =
              [](const MapWords& words) {
                Spec("metric", words).allow({});
                return AnyMap(CustomMap{"metric"});
              },
          .size = size,
          .make = make,
          .learns_targets = true};
}

}  // namespace bochner
