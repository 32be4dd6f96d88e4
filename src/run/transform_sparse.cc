// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/require.h"
#include "bochner/sparse_features.h"
#include "maps/map_rows.h"
#include "run/check_outputs.h"
#include "run/stream.h"

namespace bochner {

namespace {

template <class T>
void append(SparseRows<T>& all, const SparseRows<T>& more) {
  const std::size_t before = all.columns.size();
  all.columns.insert(all.columns.end(), more.columns.begin(), more.columns.end());
  all.values.insert(all.values.end(), more.values.begin(), more.values.end());
  for (std::size_t i = 0; i < more.rows(); ++i) all.offsets.push_back(before + more.offsets[i + 1]);
}

}  // namespace

template <class T>
SparseRows<T> transform_sparse(const MapPtr& map, Rows& rows, const Execution& execution) {
  require(map != nullptr && map->nonzeros() > 0, "transform: found {}, expected a map whose features are sparse",
          map ? map->spec() : "no map");
  Threads threads(execution);
  const Stream stream(rows, nullptr, threads, execution,
                      std::is_same_v<T, float> ? Precision::float32 : Precision::float64);
  SparseRows<T> all, some;
  stream.each("transform", [&](const auto& block) {
    if constexpr (std::is_same_v<std::decay_t<decltype(block)>, RowBlock<T>>) {
      map_sparse(stream.workers(), *map, block, some);
      for (std::size_t i = 0; i < some.rows(); ++i) {
        const std::size_t begin = some.offsets[i], count = some.offsets[i + 1] - begin;
        check_outputs<T>({some.values.data() + begin, count}, block.first + i);
      }
      append(all, some);
    }
  });
  return all;
}

template SparseRows<float> transform_sparse(const MapPtr&, Rows&, const Execution&);
template SparseRows<double> transform_sparse(const MapPtr&, Rows&, const Execution&);

}  // namespace bochner
