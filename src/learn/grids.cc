// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/grids.h"

#include "base/require.h"
#include "maps/draw_grid.h"

namespace bochner {

template <class T>
GridFit fit_grids(Threads& threads, const GridRows<T>& rows, const GridTargets& targets, const BinningOptions& binning,
                  const GridFitOptions& options) {
  require(rows.rows > 0 && targets.rows() == rows.rows, "grids: {} rows and {} targets, expected as many, at least 1",
          rows.rows, targets.rows());
  require(options.lambda >= 0 && options.sweeps > 0, "grids: lambda {} and {} sweeps, expected lambda >= 0, sweeps > 0",
          options.lambda, options.sweeps);
  check_binning(rows.inputs, binning);

  const std::size_t P = binning.grids, K = targets.outputs;
  const GridBins bins = bin_rows(threads, rows, binning, targets.weight);
  std::vector<std::size_t> offset{0};
  for (const OccupiedBins& grid : bins.grids) offset.push_back(offset.back() + grid.size());

  GridFit fit;
  std::vector<float> v(offset.back() * K);
  const std::vector<double> intercept = grid_intercept(targets, options.loss);
  GridSweeper sweeper(threads, targets, options.loss, intercept);
  const double shift = options.lambda * double(P);  // |w|^2 = P |v|^2
  for (int sweep = 0; sweep < options.sweeps; ++sweep) {
    for (std::size_t g = 0; g < P; ++g) sweeper.step(bins.of(g), bins.grids[g], shift, v.data() + offset[g] * K);
    sweeper.finish();
    fit.loss.push_back(sweeper.loss());
  }

  std::vector<std::vector<std::uint64_t>> hashes;
  for (const OccupiedBins& grid : bins.grids) hashes.push_back(grid.hashes);
  auto map = std::make_shared<BinningMap>(rows.inputs, binning, std::move(hashes));
  fit.head = std::make_shared<GridLinear>(std::move(map), std::move(v), intercept);
  return fit;
}

template GridFit fit_grids(Threads&, const GridRows<float>&, const GridTargets&, const BinningOptions&,
                           const GridFitOptions&);
template GridFit fit_grids(Threads&, const GridRows<double>&, const GridTargets&, const BinningOptions&,
                           const GridFitOptions&);

}  // namespace bochner
