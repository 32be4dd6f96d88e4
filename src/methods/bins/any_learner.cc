// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/any_learner.h"

#include <cmath>

#include "base/clock.h"
#include "base/memory.h"
#include "base/require.h"
#include "learn/fit_memory.h"
#include "learn/learner.h"
#include "methods/bins/binned_rows.h"
#include "methods/bins/data.h"

namespace bochner {

namespace {

// The bins that the rows occupy in all grids, whose length scales are searched where they are open. Grids that pursuit
// chooses are those of a fit by the squared loss.
template <class T>
std::shared_ptr<const BinningMap> occupied_bins(const Stream& stream, const Survey& survey, BinningFit& options,
                                                Report& report) {
  Threads& threads = stream.threads();
  const GridData<T> data(stream, survey, options.binning);
  if (options.search_scales) choose_scales(threads, data, options, report);
  GridSize size = grid_size(data, options, threads.count());
  size.bins = count_bins(threads, data.rows, options.binning);
  options.fit.memory = plan_grid_fit(size, options.budget).columns;
  if (options.fit.pursuit > 1)
    return fit_grids(threads, data.rows, data.targets, options.binning, options.fit).head->bins_pointer();
  BinnedRows<T> rows(threads, data.rows, data.targets.weight, options.binning, options.fit.memory);
  rows.find(rows.grids());
  return rows.take_map();
}

// Coefficients from `first` on as those of the grids' bins, in units of 1 instead of the map's sqrt(w / P).
MapPtr grid_head(const Coefficients& all, std::size_t first, const std::shared_ptr<const BinningMap>& bins,
                 double weight) {
  const std::size_t K = all.weights.cols();
  const double unit = std::sqrt(weight) * bins->bound();
  std::vector<float> values(bins->outputs() * K);
  for (std::size_t j = 0; j < bins->outputs(); ++j)
    for (std::size_t k = 0; k < K; ++k) values[j * K + k] = float(all.weights(first + j, k) * unit);
  return std::make_shared<GridLinear>(bins, std::move(values), all.intercept);
}

MapPtr after(const MapPtr& map, MapPtr last) { return map ? chain({map, std::move(last)}) : last; }

}  // namespace

bool has_grid_solver(Learner learner) {
  return learner == Learner::ridge || learner == Learner::svm || learner == Learner::logistic;
}

Fitted fit_learner_on_bins(const Stream* dense, const Stream& bins, const Survey& survey, MixtureFit options,
                           const LearnerOptions& learner, const Stream* validation) {
  options.bins.fit.checkpoint = bins.execution().checkpoint;
  options.bins.budget = budget_of(options.bins, bins.execution());
  Clock clock;
  Report found;
  if (dense && !options.dense_weight) choose_mixture(*dense, bins, survey, options, found);
  const auto map = bins.precision() == Precision::float32 ? occupied_bins<float>(bins, survey, options.bins, found)
                                                          : occupied_bins<double>(bins, survey, options.bins, found);
  release_freed_memory();
  found.seconds.emplace_back("bins", clock.lap());

  const double dense_weight = options.dense_weight.value_or(1), bins_weight = options.bins_weight;
  const std::size_t D = dense ? dense->features() : 0;
  const auto through = [&](const Stream& rows) {
    if (!dense) return rows.through(map);
    return rows.unmapped().through(concat({dense->map(), after(bins.map(), map)}, {dense_weight, bins_weight}));
  };
  const auto make_head = [&](const Coefficients& all) -> MapPtr {
    MapPtr of_bins = grid_head(all, D, map, bins_weight);
    if (!dense) return of_bins;
    Matrix<double> weights(D, all.weights.cols());
    for (std::size_t j = 0; j < D; ++j)
      for (std::size_t k = 0; k < weights.cols(); ++k) weights(j, k) = all.weights(j, k) * std::sqrt(dense_weight);
    return sum({after(bins.map(), std::move(of_bins)), after(dense->map(), linear(std::move(weights), {}))});
  };
  const Stream stream = through(bins);
  std::optional<Stream> judge;
  if (validation) judge.emplace(through(*validation));
  const FitSize size = fit_size(stream, survey, outputs_of(stream.schema()), validation != nullptr);
  const double memory = double(memory_limit(bins.execution()));
  const MemoryPlan plan = learner_memory(size, learner, memory);
  require(
      plan.total() <= memory,
      "memory: {} bins of {} grids need {} ({}), {} are left for them; use fewer grids or larger bins, or allow more",
      map->outputs(), map->grids(), size_text(plan.total()), plan.items_text(), size_text(memory));
  Fitted fitted = fit_learner(stream, survey, learner, judge ? &*judge : nullptr, options.bins.budget.say, make_head);

  Report& report = fitted.report;
  report.map = (dense ? dense->map()->spec() + " + " : "") + map->spec();
  report.length_scales = found.length_scales;
  if (dense) report.part_weights = {bins_weight, dense_weight};  // as in the sum
  report.notes.insert(report.notes.begin(), found.notes.begin(), found.notes.end());
  report.notes.push_back(fmt::format("{} bins in {} grids", map->outputs(), map->grids()));
  report.seconds.insert(report.seconds.begin(), found.seconds.begin(), found.seconds.end());
  return fitted;
}

}  // namespace bochner
