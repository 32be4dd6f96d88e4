// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/memory.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/option.h"
#include "base/require.h"
#include "methods/bins/bins.h"
#include "methods/bins/draw_grid.h"
#include "methods/bins/pursuit.h"
#include "methods/bins/scales.h"

namespace bochner {

namespace {

constexpr std::size_t kCounted = 6;  // grids

double table_bytes(double bins) { return 8.0 * double(std::bit_ceil(std::size_t(bins * 1.5) + 64)); }

// The bytes of one occupied bin while it is fitted: hash, mass and coefficients; for conjugate gradients their slopes,
// directions and products as well.
double bin_bytes(const GridSize& s) { return 8 + 4 + 4 * double(s.outputs) * (s.conjugate ? 4 : 1); }

// A grid that is binned: its table, hashes that may have room for as many again, and counts.
double binning_bytes(double bins) { return table_bytes(bins) + bins * (16 + 4); }

double target_bytes(const GridSize& s) { return double(s.rows) * 4 * double(s.outputs + s.weighted); }

double column_bytes(const GridSize& s) { return double(s.rows) * sizeof(std::uint32_t); }

std::string bins_text(double bins) {
  return bins < 1e4 ? fmt::format("{:.0f}", bins) : fmt::format("{:.3g}k", bins / 1e3);
}

[[noreturn]] void refuse(const GridSize& size, const MemoryPlan& plan, const MemoryBudget& budget,
                         const std::string& what, const std::string& remedy,
                         const std::function<MemoryPlan(std::size_t)>& with) {
  const std::size_t most = largest_that_fits(size.grids, 1, budget.limit(), with);
  mistake("{}: {} grids{} need {} ({}), {} are allowed; {}{}raise {}", Option::features, size.grids, what,
          size_text(plan.total()), plan.items_text(), size_text(budget.limit()),
          most > 0 ? fmt::format("the largest number that fits is {}; or ", most) : "", remedy, Option::memory);
}

}  // namespace

template <class T>
double packed_bytes(const GridRows<T>& rows) {
  double sum = 0;
  for (const PackedRows<T>& block : rows.blocks) {
    sum += double(block.values.size() * sizeof(T)) + double(block.dense.size() * 4);
    for (const auto& part : block.parts)
      sum += double(part.pattern.size() * 4 + part.offsets.size() * 8 + part.entries.size() * 4 +
                    part.codes.size() * sizeof(part.codes[0]) + part.inputs.size() * (4 + sizeof(T)));
  }
  return sum;
}

template <class T>
double count_bins(Threads& threads, const GridRows<T>& rows, const BinningOptions& binning) {
  const std::size_t count = std::min(binning.grids, kCounted);
  std::vector<double> bins(count);
  threads.run(count, [&](std::size_t g, int) {
    BinScratch scratch;
    std::vector<std::uint32_t> columns(rows.rows);
    const Grid<T> grid = draw_grid<T>(rows.inputs, binning, g);
    bins[g] = double(occupy(rows, grid, binning, {}, scratch, columns.data()).size());
  });
  double mean = 0, squares = 0;
  for (const double b : bins) mean += b / double(count);
  for (const double b : bins) squares += (b - mean) * (b - mean);
  // All grids were counted, or the others are like these.
  const double error = count < binning.grids ? 2 * std::sqrt(squares / double(count) / double(count - 1)) : 0;
  const double most = double(binning.max_bins ? std::min(binning.max_bins, rows.rows) : rows.rows);
  return std::min(most, mean + error);
}

template double packed_bytes(const GridRows<float>&);
template double packed_bytes(const GridRows<double>&);
template double count_bins(Threads&, const GridRows<float>&, const BinningOptions&);
template double count_bins(Threads&, const GridRows<double>&, const BinningOptions&);

MemoryPlan grid_fit_memory(const GridSize& s, std::size_t batch) {
  const double n = double(s.rows), K = double(s.outputs), P = double(s.grids), b = s.bins;
  MemoryPlan common;
  common.add("packed rows", s.packed);
  // Rows held out have weights of 0 in a copy; residuals or scores, and what conjugate gradients make of a direction.
  common.add("targets", target_bytes(s) + (s.trials ? n * 4 * (K + 1) : 0) + n * 4 * K * (s.conjugate ? 3 : 1));
  if (s.pursuit)
    common.add("pursuit", s.drawn + 2 * n * 4 * K + s.packed * std::min(1.0, double(kPursuitRows) / n) +
                              s.threads * std::min(n, double(kPursuitRows)) * (24 * K + 40));
  MemoryPlan sweep = common, head = common, save;
  sweep.add("bins of rows", double(batch) * column_bytes(s));
  if (s.dual) sweep.add("multipliers", n * 4 * (K + 2));  // the order of the rows and how many bins each has
  sweep.add("bins", P * b * bin_bytes(s));
  sweep.add("tables", s.threads * (binning_bytes(b) + b * K * 8 * (s.logistic ? 2 : 1)) + b * K * 4);
  // What the sweeps held of a bin is freed, but not yet given back.
  head.add("bins", P * (b * (bin_bytes(s) + 4 * K * (s.regression ? 2 : 1)) + table_bytes(b)));
  save.add("bins", P * (b * (8 + 4 * K) + table_bytes(b)));
  save.add("bins to save", P * b * std::max(16.0, 8 + 4 * K));  // hashes side by side, then a copy
  return peak_of({sweep, head, save});
}

MemoryPlan grid_search_memory(const GridSize& s, int at_once) {
  const double n = double(s.rows), K = double(s.outputs), g = double(std::min(s.grids, kSearchedGrids)), b = n / 2;
  const double held = std::min(kHeldOutShare * n, kMostHeldOut);
  MemoryPlan plan;
  plan.add("packed rows", 2 * s.packed);  // the sample of the last stages is all of them
  plan.add("targets", 2 * target_bytes(s));
  const double trial = g * (column_bytes(s) + b * bin_bytes(s) + held * 4) + binning_bytes(b) +
                       n * 4 * K * (s.conjugate ? 2 : 1) + b * K * (8 * (s.logistic ? 2 : 1) + 4) + held * K * 8;
  return plan.add("trials", at_once * trial);
}

GridShares plan_grid_fit(const GridSize& size, const MemoryBudget& budget, const MemoryPlan& beside, double wanted) {
  const auto with = [&](std::size_t grids, std::size_t batch) {
    GridSize smaller = size;
    smaller.grids = grids;
    return MemoryPlan(budget.around).add(beside).add(grid_fit_memory(smaller, batch));
  };
  // Dual coordinate descent needs them all, and some grids' columns to make them from.
  const auto least_batch = [&](std::size_t grids) { return size.dual ? grids + std::min(grids, kGridsTurned) : 1; };
  const MemoryPlan least = with(size.grids, least_batch(size.grids));
  if (least.total() > budget.limit())
    refuse(size, least, budget, fmt::format(" of {} bins", bins_text(size.bins)), "bound the bins (max_bins=), or ",
           [&](std::size_t grids) { return with(grids, least_batch(grids)); });
  // What is left goes to the bins of rows and to what else is wanted, half and half where it does not do for both.
  const auto rest_with = [&](std::size_t batch) { return budget.limit() - with(size.grids, batch).total(); };
  std::size_t batch = size.dual ? least_batch(size.grids) : size.grids;
  while (!size.dual && batch > 1 && rest_with(batch) < std::min(wanted, rest_with(1) / 2))
    batch = std::max<std::size_t>(1, batch * 7 / 8);
  GridShares shares;
  shares.columns = std::size_t(double(batch) * column_bytes(size));
  shares.wanted = std::size_t(std::clamp(rest_with(batch), 0.0, wanted));
  if (budget.say) {
    const MemoryPlan plan = with(size.grids, batch).add("features", double(shares.wanted));
    budget.say((plan.worth_saying(budget.limit()) ? plan.text(budget.limit()) + "; " : "") +
               fmt::format("{} grids of about {} bins", size.grids, bins_text(size.bins)));
  }
  return shares;
}

int plan_grid_search(const GridSize& size, const MemoryBudget& budget, const MemoryPlan& beside) {
  const auto with = [&](std::size_t grids, int at_once) {
    GridSize smaller = size;
    smaller.grids = grids;
    return MemoryPlan(budget.around).add(beside).add(grid_search_memory(smaller, at_once));
  };
  const MemoryPlan least = with(size.grids, 1);
  if (least.total() > budget.limit())
    refuse(size, least, budget, " in the search for length scales",
           fmt::format("give the length scales ({}), or ", Option::bandwidth),
           [&](std::size_t grids) { return with(grids, 1); });
  int at_once = size.threads;
  while (at_once > 1 && with(size.grids, at_once).total() > budget.limit()) --at_once;
  if (const MemoryPlan plan = with(size.grids, at_once); budget.say && plan.worth_saying(budget.limit()))
    budget.say(plan.text(budget.limit()) + ", at most, for the search");
  return at_once;
}

}  // namespace bochner
