// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/require.h"
#include "bochner/sparse_features.h"
#include "methods/bins/binned_rows.h"
#include "methods/bins/draw_grid.h"
#include "run/stream.h"

namespace bochner {

template <class T>
MapPtr binning(Rows& rows, const BinningOptions& options, const Execution& execution) {
  check_binning(rows.schema().inputs, options);
  Threads threads(execution);
  const Stream stream(rows, nullptr, threads, execution,
                      std::is_same_v<T, float> ? Precision::float32 : Precision::float64);
  GridRows<T> packed;
  packed.groups = packing_groups(stream.features(), options);
  stream.each("bins", [&](const auto& block) {
    if constexpr (std::is_same_v<std::decay_t<decltype(block)>, RowBlock<T>>) packed.add(threads, block);
  });
  if (packed.rows == 0) fail(Error::Kind::data, "binning: found no rows, expected at least 1");
  BinnedRows<T> bins(threads, packed, {}, options, execution.memory);
  bins.find(bins.grids());
  return bins.take_map();
}

template MapPtr binning<float>(Rows&, const BinningOptions&, const Execution&);
template MapPtr binning<double>(Rows&, const BinningOptions&, const Execution&);

}  // namespace bochner
