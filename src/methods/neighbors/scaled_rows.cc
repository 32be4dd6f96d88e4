// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/scaled_rows.h"

#include <algorithm>

#include "base/aligned.h"
#include "base/archive.h"
#include "base/require.h"
#include "methods/neighbors/read_points.h"
#include "rows/rows_over.h"
#include "rows/shifted.h"
#include "run/host.h"

namespace bochner {

namespace {

class ScaledRows final : public RowsOver {
 public:
  // `unshifted` owns the rows if they had to be made.
  ScaledRows(Rows& rows, std::unique_ptr<Rows> unshifted, MapPtr scaling)
      : RowsOver(rows), unshifted_(std::move(unshifted)), scaling_(std::move(scaling)) {
    const std::size_t inputs = schema().inputs;
    require(scaling_->inputs() == inputs && scaling_->outputs() == inputs,
            "scale: a map of {} inputs to {}, expected one of {} to as many", scaling_->inputs(), scaling_->outputs(),
            inputs);
  }

  bool next(std::size_t max_rows, RowBlock<float>& block) override {
    RowBlock<double> wide;
    if (!next(max_rows, wide)) return false;
    const std::size_t count = wide.sparse() ? wide.offsets[wide.rows] : wide.rows * wide.cols;
    floats_.assign(wide.values, wide.values + count);
    block = wide.with_values(MatrixView<const float>{floats_.data(), wide.rows, wide.cols, wide.cols});
    block.offsets = wide.offsets;
    block.columns = wide.columns;
    return true;
  }
  bool next(std::size_t max_rows, RowBlock<double>& block) override {
    RowBlock<double> raw;
    if (!rows_.next(max_rows, raw)) return false;
    sparse_.clear();
    if (raw.sparse() && scaling_->apply_sparse(host_backend(), raw, sparse_)) {
      block = sparse_.view(raw.cols, raw);
      return true;
    }
    values_.resize(raw.rows * raw.cols);
    const MatrixView<double> z{values_.data(), raw.rows, raw.cols, raw.cols};
    scaling_->apply(host_backend(), raw, z);
    block = raw.with_values(z);
    return true;
  }

 private:
  std::unique_ptr<Rows> unshifted_;
  MapPtr scaling_;
  AlignedVector<double> values_;
  AlignedVector<float> floats_;
  SparseRows<double> sparse_;
};

Rows& scaled(Rows& rows, MapPtr scaling, std::unique_ptr<Rows>& owner) {
  std::unique_ptr<Rows> unshifted;
  Rows& whole = with_offsets(rows, {}, unshifted);
  owner = std::make_unique<ScaledRows>(whole, std::move(unshifted), std::move(scaling));
  return *owner;
}

}  // namespace

Rows& as_compared(Rows& rows, const IndexOptions& options, std::unique_ptr<Rows>& owner) {
  if (!options.scaling) return without_far_offsets(rows, options.metric, owner);
  return scaled(rows, options.scaling, owner);
}

Rows& asked_like(Rows& queries, const Schema& schema, const IndexOptions& options, std::unique_ptr<Rows>& owner) {
  if (!options.scaling) return with_offsets(queries, schema.offsets, owner);
  return scaled(queries, options.scaling, owner);
}

bool same_scaling(const MapPtr& a, const MapPtr& b) {
  if (!a || !b) return a == b;
  Archive one, other;
  a->save(one);
  b->save(other);
  const auto same = [](const auto& left, const auto& right) {
    return left.first == right.first && std::ranges::equal(left.second.content(), right.second.content());
  };
  return one.tree == other.tree &&
         std::equal(one.arrays.begin(), one.arrays.end(), other.arrays.begin(), other.arrays.end(), same);
}

}  // namespace bochner
