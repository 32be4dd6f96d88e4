// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/scaled_rows.h"

#include <algorithm>

#include "base/aligned.h"
#include "base/archive.h"
#include "base/require.h"
#include "methods/neighbors/read_points.h"
#include "rows/shifted.h"
#include "run/host.h"

namespace bochner {

namespace {

class ScaledRows final : public Rows {
 public:
  ScaledRows(Rows& rows, MapPtr scaling)
      : rows_(with_offsets(rows, {}, unshifted_)), scaling_(std::move(scaling)), schema_(rows_.schema()) {
    require(scaling_->inputs() == schema_.inputs && scaling_->outputs() == schema_.inputs,
            "scale: a map of {} inputs to {}, expected one of {} to as many", scaling_->inputs(), scaling_->outputs(),
            schema_.inputs);
  }

  const Schema& schema() const override { return schema_; }
  void rewind() override { rows_.rewind(); }
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
  std::optional<std::size_t> size() const override { return rows_.size(); }
  double fraction_read() const override { return rows_.fraction_read(); }
  std::size_t memory_bytes(std::size_t element_bytes) const override { return rows_.memory_bytes(element_bytes); }
  CellCounts counts() const override { return rows_.counts(); }
  std::vector<std::string> notes() const override { return rows_.notes(); }
  std::size_t first_row() const override { return rows_.first_row(); }
  bool seek(std::size_t row) override { return rows_.seek(row); }

 private:
  std::unique_ptr<Rows> unshifted_;
  Rows& rows_;
  MapPtr scaling_;
  Schema schema_;
  AlignedVector<double> values_;
  AlignedVector<float> floats_;
  SparseRows<double> sparse_;
};

}  // namespace

Rows& as_compared(Rows& rows, const IndexOptions& options, std::unique_ptr<Rows>& owner) {
  if (!options.scaling) return without_far_offsets(rows, options.metric, owner);
  owner = std::make_unique<ScaledRows>(rows, options.scaling);
  return *owner;
}

Rows& asked_like(Rows& queries, const Schema& schema, const IndexOptions& options, std::unique_ptr<Rows>& owner) {
  if (!options.scaling) return with_offsets(queries, schema.offsets, owner);
  owner = std::make_unique<ScaledRows>(queries, options.scaling);
  return *owner;
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
