// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/samples.h"

#include <algorithm>

#include "methods/bins/conjugate.h"
#include "methods/bins/draw_grid.h"
#include "random/hold_out.h"

namespace bochner {

namespace {

// Bins that memory holds all at once.
class AllBins final : public BinSource {
 public:
  explicit AllBins(const GridBins& all) : all_(all) {}
  std::size_t grids() const override { return all_.grids.size(); }
  void each(bool, const Visit& visit) override { visit(0, grids()); }
  const OccupiedBins& bins(std::size_t g) const override { return all_.grids[g]; }
  const std::uint32_t* columns(std::size_t g) const override { return all_.of(g); }

 private:
  const GridBins& all_;
};

}  // namespace

template <class T>
GridSample<T>::GridSample(Threads& threads, const GridRows<T>& all, const GridTargets& y, std::uint64_t seed,
                          double from, double to) {
  targets.outputs = y.outputs;
  rows.groups = all.groups;
  rows.inputs = all.inputs;
  rows.on = all.on;
  std::vector<std::vector<std::uint32_t>> chosen(all.blocks.size());
  rows.blocks.resize(all.blocks.size());
  threads.run(all.blocks.size(), [&](std::size_t b, int) {
    for (std::uint32_t i = 0; i < all.blocks[b].rows; ++i) {
      const double place = hold_out_place(seed, all.blocks[b].first + i);
      if (place >= from && place < to) chosen[b].push_back(i);
    }
    rows.blocks[b] = select_rows<T>(all.blocks[b], chosen[b]);
  });
  for (std::size_t b = 0; b < chosen.size(); ++b) {
    for (const std::uint32_t i : chosen[b]) {
      const std::size_t row = all.blocks[b].first + i;
      targets.code.insert(targets.code.end(), &y.code[row * y.outputs], &y.code[row * y.outputs] + y.outputs);
      if (!y.weight.empty()) targets.weight.push_back(y.weight[row]);
    }
    rows.rows += chosen[b].size();
  }
  std::erase_if(rows.blocks, [](const PackedRows<T>& block) { return block.rows == 0; });
  std::size_t first = 0;
  for (auto& block : rows.blocks) {
    block.first = first;
    first += block.rows;
  }
}

template <class T>
GridTrialFit<T>::GridTrialFit(Threads& threads, const GridSample<T>& train, const GridSample<T>& held_out,
                              const BinningOptions& binning)
    : train_(train), held_out_(held_out), columns_(binning.grids * held_out.rows.rows) {
  const std::size_t n = train.rows.rows, m = held_out.rows.rows;
  bins_.rows = n;
  bins_.columns.resize(binning.grids * n);
  bins_.grids.resize(binning.grids);
  std::vector<BinScratch> scratches(std::size_t(threads.count()));
  threads.run(binning.grids, [&](std::size_t g, int thread) {
    BinScratch& scratch = scratches[std::size_t(thread)];
    const Grid<T> grid = draw_grid<T>(train.rows.inputs, binning, g);
    bins_.grids[g] = occupy(train.rows, grid, binning, train.targets.weight, scratch, &bins_.columns[g * n]);
    for (const auto& block : held_out.rows.blocks) {
      train.rows.on->bin_hashes(block, grid, scratch.hashes.data());
      scratch.index.find({scratch.hashes.data(), block.rows}, &columns_[g * m + block.first]);
    }
  });
}

template <class T>
std::vector<std::vector<float>> GridTrialFit<T>::values(Threads& alone, const GridFitOptions& options,
                                                        const std::vector<double>& intercept) const {
  const GridTargets& targets = train_.targets;
  const std::size_t P = bins_.grids.size();
  const double shift = options.lambda * double(P);
  std::vector<std::vector<float>> v(P);
  if (options.solver == GridSolver::conjugate) {
    AllBins passes(bins_);
    GridConjugate solver(alone, passes, targets, intercept, shift);
    solver.start();
    for (int step = 1; step <= options.passes; ++step) solver.step(step == options.passes);
    for (std::size_t g = 0; g < P; ++g) v[g] = std::move(solver.values(g));
    return v;
  }
  GridSweeper sweeper(alone, targets, options.loss, intercept);
  for (int sweep = 0; sweep < options.passes; ++sweep) {
    for (std::size_t g = 0; g < P; ++g) {
      alone.check_stop();
      v[g].resize(bins_.grids[g].size() * targets.outputs);
      sweeper.step(bins_.of(g), bins_.grids[g], shift, v[g].data());
    }
  }
  return v;
}

template <class T>
GridTrial GridTrialFit<T>::judge(const GridFitOptions& options, Task task, double steep,
                                 const CancelFunction& stop) const {
  Threads alone(1);
  alone.stop_when(stop);
  const std::vector<double> intercept = grid_intercept(train_.targets, options.loss);
  const std::vector<std::vector<float>> v = values(alone, options, intercept);
  const std::size_t m = held_out_.rows.rows, K = train_.targets.outputs;
  std::vector<double> f(m * K);
  for (std::size_t i = 0; i < m; ++i) std::copy(intercept.begin(), intercept.end(), &f[i * K]);
  for (std::size_t g = 0; g < v.size(); ++g) {
    for (std::size_t i = 0; i < m; ++i) {
      const std::uint32_t c = columns_[g * m + i];
      if (c == HashIndex::kNone) continue;
      for (std::size_t k = 0; k < K; ++k) f[i * K + k] += double(v[g][c * K + k]);
    }
  }
  return held_out_loss(held_out_.targets, f, task, steep);
}

template struct GridSample<float>;
template struct GridSample<double>;
template class GridTrialFit<float>;
template class GridTrialFit<double>;

}  // namespace bochner
