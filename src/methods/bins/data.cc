// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/data.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/memory.h"
#include "base/require.h"
#include "learn/score.h"
#include "methods/bins/draw_grid.h"
#include "random/hold_out.h"

namespace bochner {

namespace {

// The inputs of the shortest scales in their own spreads: those that matter most.
std::string scales_text(const std::vector<double>& scales, const std::vector<InputFacts>& facts,
                        const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 8;
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < scales.size(); ++j)
    if (facts[j].spread > 0) order.push_back(j);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return scales[a] / facts[a].spread < scales[b] / facts[b].spread;
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), kMost); ++i) {
    const std::size_t j = order[i];
    text += fmt::format("{}{} {:.3g}", i ? ", " : "", j < names.size() ? names[j] : fmt::format("x{}", j), scales[j]);
  }
  return text;
}

}  // namespace

template <class T>
GridData<T>::GridData(const Stream& stream, const Survey& survey, BinningOptions& binning)
    : code(target_code(stream.schema(), survey, true)), names(stream.schema().input_names()) {
  if (names.size() != stream.features()) names.clear();
  if (!names.empty()) groups = group_inputs(names);
  if (binning.order_high > 0 && binning.groups.empty()) binning.groups = groups;
  rows.groups = packing_groups(stream.features(), binning);
  targets.outputs = code.columns();
  targets.code.reserve(survey.rows() * targets.outputs);
  targets.weight.reserve(survey.rows());
  bool weighted = false;
  stream.each("bins", [&](const auto& any) {
    if constexpr (std::is_same_v<std::decay_t<decltype(any)>, RowBlock<T>>) {
      rows.add(stream.threads(), any);
      for (std::size_t i = 0; i < any.rows; ++i) {
        for (std::size_t k = 0; k < targets.outputs; ++k)
          targets.code.push_back(float(code.encode(any.targets + i * any.target_count, k)));
        targets.weight.push_back(any.weights ? float(any.weights[i]) : 1.0f);
        weighted |= targets.weight.back() != 1.0f;
      }
    }
  });
  if (!weighted) targets.weight = std::vector<float>();
}

template <class T>
std::vector<InputFacts> GridData<T>::facts() const {
  std::vector<InputFacts> facts(rows.inputs);
  for (std::size_t j = 0; j < rows.inputs; ++j) facts[j].group = groups.empty() ? std::uint32_t(j) : groups[j];
  struct Sums {
    double rows = 0, sum = 0, squares = 0;
    T low = 0, high = 0;
    bool two = true;
    void add(T v, double count) {
      if (count == 0) return;
      if (rows == 0) low = high = v;
      if (v != low && v != high) {
        two &= low == high;
        low = std::min(low, v);
        high = std::max(high, v);
      }
      rows += count;
      sum += count * double(v);
      squares += count * double(v) * double(v);
    }
  };
  std::vector<Sums> sums(rows.inputs);
  std::vector<double> times;
  for (const PackedRows<T>& block : rows.blocks) {
    for (std::size_t k = 0; k < block.dense.size(); ++k)
      for (std::size_t i = 0; i < block.rows; ++i) sums[block.dense[k]].add(block.values[k * block.stride + i], 1);
    for (const auto& part : block.parts) {
      times.assign(part.codes.size(), 0);
      std::vector<double> rows_of(part.offsets.size() - 1);
      for (const std::uint32_t p : part.pattern) ++rows_of[p];
      for (std::size_t p = 0; p < rows_of.size(); ++p)
        for (std::size_t e = part.offsets[p]; e < part.offsets[p + 1]; ++e) times[part.entries[e]] += rows_of[p];
      std::vector<double> usual(part.inputs.size(), double(block.rows));
      for (std::size_t c = 0; c < part.codes.size(); ++c) {
        const auto at = std::lower_bound(part.inputs.begin(), part.inputs.end(), part.codes[c].input);
        usual[std::size_t(at - part.inputs.begin())] -= times[c];
        sums[part.codes[c].input].add(part.codes[c].value, times[c]);
      }
      for (std::size_t k = 0; k < part.inputs.size(); ++k) sums[part.inputs[k]].add(part.base[k], usual[k]);
    }
  }
  for (std::size_t j = 0; j < rows.inputs; ++j) {
    const Sums& s = sums[j];
    const double mean = s.rows > 0 ? s.sum / s.rows : 0;
    facts[j].spread = s.rows > 0 ? std::sqrt(std::max(0.0, s.squares / s.rows - mean * mean)) : 0;
    facts[j].indicator = s.two && s.high - s.low == 1;
  }
  return facts;
}

template struct GridData<float>;
template struct GridData<double>;

template <class T>
GridSize grid_size(const GridData<T>& data, const BinningFit& options, int threads) {
  GridSize size;
  size.rows = data.rows.rows;
  size.outputs = data.targets.outputs;
  size.grids = options.binning.grids;
  size.packed = packed_bytes(data.rows);
  size.logistic = options.fit.loss == GridLoss::logistic;
  size.dual = has_hinge(options.fit.loss);
  const bool searches = options.search_scales || options.search_lambda;  // searches use the squared loss: squared_fit
  size.conjugate = options.fit.solver == GridSolver::conjugate || (size.dual && searches);
  size.weighted = !data.targets.weight.empty();
  size.regression = data.code.task == Task::regression;
  size.pursuit = options.fit.pursuit > 1;
  size.threads = threads;
  return size;
}

template GridSize grid_size(const GridData<float>&, const BinningFit&, int);
template GridSize grid_size(const GridData<double>&, const BinningFit&, int);

MemoryBudget budget_of(const BinningFit& options, const Execution& execution) {
  MemoryBudget budget = options.budget;
  if (budget.bytes == 0) budget.bytes = double(memory_limit(execution));
  return budget;
}

template <class T>
void choose_scales(Threads& threads, const GridData<T>& data, BinningFit& options, Report& report,
                   const MemoryPlan& beside) {
  const std::vector<InputFacts> facts = data.facts();
  const bool own = !has_hinge(options.fit.loss);
  const int at_once = plan_grid_search(grid_size(data, options, threads.count()), options.budget, beside);
  std::optional<Threads> fewer;
  if (at_once < threads.count()) fewer.emplace(at_once).stop_when(threads.stop());
  const GridFitOptions fit = own ? options.fit : squared_fit(options);
  const GridScaleProblem<T> problem{
      data.rows,           data.targets, data.code.task, facts, options.binning, fit, own && !options.search_lambda,
      options.fit.progress};
  const GridScaleSearch found = search_grid_scales(fewer ? *fewer : threads, problem);
  release_freed_memory();
  options.binning.length_scales = found.length_scales;
  if (options.search_lambda && (own || !options.given_start)) options.fit.lambda = found.lambda;
  report.length_scales = found.length_scales;
  const std::string shortest = scales_text(found.length_scales, facts, data.names);
  report.notes.push_back(fmt::format("bandwidth: one per input, by {} trials{}", found.fits,
                                     shortest.empty() ? "" : "; shortest " + shortest));
  report.score = found.best.score(data.code);
  report.validation = "held out of the search";
}

template void choose_scales(Threads&, const GridData<float>&, BinningFit&, Report&, const MemoryPlan&);
template void choose_scales(Threads&, const GridData<double>&, BinningFit&, Report&, const MemoryPlan&);

void choose_scales(const Stream& stream, const Survey& survey, BinningFit& options, Report& report) {
  options.budget = budget_of(options, stream.execution());
  const auto search = [&]<class T>(const GridData<T>& data) {
    settle_lambda(options, data.targets, survey);
    choose_scales(stream.threads(), data, options, report);
  };
  if (stream.precision() == Precision::float32)
    search(GridData<float>(stream, survey, options.binning));
  else
    search(GridData<double>(stream, survey, options.binning));
}

GridFitOptions squared_fit(const BinningFit& options) {
  GridFitOptions fit = options.fit;
  fit.loss = GridLoss::squared;
  fit.solver = GridSolver::conjugate;
  fit.passes = kGridSteps;
  if (!options.search_lambda || options.given_start) fit.lambda = kGridLambda;  // that given is of another loss
  return fit;
}

double HeldOutTargets::fraction(std::size_t rows) {
  return hold_out_fraction(double(std::max<std::size_t>(1, rows)), 0.2, 20000);
}

HeldOutTargets::HeldOutTargets(const GridTargets& all, std::uint64_t seed) : fitted(all) {
  const std::size_t K = all.outputs;
  const double below = fraction(all.rows());
  held.outputs = K;
  fitted.weight.resize(all.rows());
  for (std::size_t i = 0; i < all.rows(); ++i) {
    const bool out = is_held_out(seed, i, below);
    fitted.weight[i] = out ? 0.0f : all.weight_of(i);
    if (!out) continue;
    rows.push_back(i);
    held.code.insert(held.code.end(), &all.code[i * K], &all.code[i * K] + K);
    if (!all.weight.empty()) held.weight.push_back(all.weight[i]);
  }
}

GridTrial HeldOutTargets::judge(const std::vector<float>& state, GridLoss loss, Task task) const {
  constexpr double kSteep = 3;
  const std::size_t K = held.outputs;
  std::vector<double> f(held.code.size());
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t k = 0; k < K; ++k) {
      const double at = state[rows[r] * K + k];
      f[r * K + k] = loss == GridLoss::squared ? double(held.code[r * K + k]) - at : at;
    }
  return held_out_loss(held, f, task, kSteep);
}

std::shared_ptr<const GridLinear> decoded(const std::shared_ptr<const GridLinear>& head, const TargetCode& code) {
  if (code.task == Task::classification) return head;
  std::vector<float> values = head->values();
  std::vector<double> intercept = head->intercept();
  const std::size_t K = intercept.size();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(double(values[i]) * code.unit[i % K]);
  for (std::size_t k = 0; k < K; ++k) intercept[k] = intercept[k] * code.unit[k] + code.center[k];
  return std::make_shared<GridLinear>(head->bins_pointer(), std::move(values), std::move(intercept));
}

std::string bins_text(const GridLinear& head) {
  const std::size_t bins = head.bins().outputs();
  const double megabytes = double(bins * (8 + 4 * head.outputs())) / 1e6;
  return fmt::format("{} bins, {:.{}f} MB", bins, megabytes, megabytes < 10 ? 1 : 0);
}

Score score_on(const Stream& validation, const MapPtr& head, Task task) {
  Scorer scorer(task, head->outputs());
  std::vector<double> row(head->outputs());
  validation.through(head).each("validation", [&](const auto& block) {
    for (std::size_t i = 0; i < block.rows; ++i) {
      std::copy_n(block.values + i * block.stride, block.cols, row.begin());
      scorer.add(row.data(), block.targets + i * block.target_count, weight_of(block.weights, i));
    }
  });
  return scorer.score();
}

}  // namespace bochner
