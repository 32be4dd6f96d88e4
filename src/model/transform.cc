// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/transform.h"

#include <algorithm>

#include "base/aligned.h"
#include "base/require.h"
#include "base/threads.h"
#include "bochner/model.h"
#include "maps/held_features.h"
#include "maps/link.h"
#include "maps/map_rows.h"
#include "model/as_double.h"
#include "model/predictions.h"
#include "rows/shifted.h"
#include "run/compute.h"

namespace bochner {

namespace {

// visit(features) for every block of rows, of which few are held at a time if rows or features are wide: a row's
// features do not depend on its block.
template <class T>
void each_transformed(Rows& rows, const MapPtr& map, Threads& threads, const Execution& execution,
                      const std::function<void(const RowBlock<T>&)>& visit) {
  constexpr std::size_t kHeld = 8 << 20;  // bytes
  const bool csr = map && map->nonzeros() > 0;
  const std::size_t inputs = rows.schema().sparse ? 1 : rows.schema().inputs, outputs = map ? map->outputs() : 1;
  const std::size_t widest = std::max(inputs, csr ? 4 * map->nonzeros() : outputs);
  const std::size_t count = std::clamp<std::size_t>(kHeld / (sizeof(T) * widest), 16, 16384);
  AlignedVector<T> mapped;
  SparseRows<T> sparse;
  RowBlock<T> block;
  rows.rewind();
  if (execution.progress) execution.progress("transform", 0);
  while (rows.next(execution.block_rows ? execution.block_rows : count, block)) {
    threads.check_stop();
    if (csr) {
      map_sparse(workers_on(threads), *map, block, sparse);
      block = sparse.view(outputs, block);
    } else if (map) {
      mapped.resize(block.rows * outputs);
      const MatrixView<T> z{mapped.data(), block.rows, outputs, outputs};
      map_rows(workers_on(threads), *map, block, z);
      block = block.with_values(z);
    }
    visit(block);
    if (execution.progress) execution.progress("transform", rows.fraction_read());
  }
}

// The rows of a CSR block with their values in double; valid while `values` and the block are.
template <class T>
RowBlock<double> as_double_csr(const RowBlock<T>& block, std::vector<double>& values) {
  values.assign(block.values, block.values + block.offsets[block.rows]);
  RowBlock<double> wide = block.with_values(MatrixView<const double>{values.data(), block.rows, block.cols, 0});
  wide.offsets = block.offsets;
  wide.columns = block.columns;
  return wide;
}

// The features that a head is linear in, from its inputs; null: the inputs themselves. The head of a mixture is a sum:
// the features of its parts stand side by side, the dense ones first, each times the root of its weight.
MapPtr features_of_head(const MapPtr& head, const std::vector<double>& part_weights) {
  if (MapPtr features = held_features(*head)) return features;
  const MapParts made_of = head->parts();
  if (made_of.how == MapParts::How::chain) {
    std::vector<MapPtr> maps(made_of.maps.begin(), made_of.maps.end() - 1);
    if (MapPtr last = features_of_head(made_of.maps.back(), {})) maps.push_back(std::move(last));
    return chain(std::move(maps));
  }
  if (made_of.how != MapParts::How::sum) return nullptr;
  std::vector<MapPtr> maps;
  std::vector<double> weights;
  for (const bool csr : {false, true})
    for (std::size_t i = 0; i < made_of.maps.size(); ++i) {
      MapPtr part = features_of_head(made_of.maps[i], {});
      if (!part || (part->nonzeros() > 0) != csr) continue;
      require(i < part_weights.size(), "transform: the model does not say what its parts weigh; train it again");
      maps.push_back(std::move(part));
      weights.push_back(part_weights[i]);
    }
  return maps.empty() ? nullptr : concat(std::move(maps), std::move(weights));
}

}  // namespace

MapPtr Model::transform_map() const {
  if (!puts_out_.of_targets() && puts_out_.kind != Outputs::Kind::quantiles) return map_;
  const MapPtr held =
      report_.learner == "automatic" ? nullptr : features_of_head(unlinked(head_), report_.part_weights);
  if (!held) return features_;
  return features_ ? chain({features_, held}) : held;
}

void Model::transform(Rows& rows, const Execution& execution, const Visit& visit) const {
  constexpr std::size_t kSlice = 128 << 10;  // doubles beside a block
  const MapPtr map = transform_map();
  require(!map || map->inputs() == rows.schema().inputs, "transform: the rows have {} inputs, the model takes {}",
          rows.schema().inputs, schema_.inputs);
  check_map_memory(map, execution);
  Threads threads(execution);
  std::unique_ptr<Rows> shifted;
  Rows& read = with_offsets(rows, schema_.offsets, shifted);
  Matrix<double> values;
  std::vector<double> csr_values;
  const auto in_slices = [&](const auto& block) {
    if (map && block.sparse()) return visit(as_double_csr(block, csr_values));
    const std::size_t slice = std::clamp<std::size_t>(kSlice / block.cols, 1, 256);
    for (std::size_t begin = 0; begin < block.rows; begin += slice) {
      const RowBlock<double> some = as_double(block.slice(begin, std::min(slice, block.rows - begin)), values);
      check_finite(some.view(), some.first, "transform");
      visit(some);
    }
  };
  if (double_precision_)
    each_transformed<double>(read, map, threads, execution, in_slices);
  else
    each_transformed<float>(read, map, threads, execution, in_slices);
}

}  // namespace bochner
