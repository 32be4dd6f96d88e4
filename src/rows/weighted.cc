// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/weighted.h"

#include "base/require.h"
#include "rows/class_target.h"

namespace bochner {

namespace {

class ClassWeightedRows final : public Rows {
 public:
  ClassWeightedRows(Rows& rows, std::vector<double> class_weights)
      : rows_(rows), class_weights_(std::move(class_weights)) {
    require(rows.schema().labels.size() == class_weights_.size(), "class weights: found {} for {} classes",
            class_weights_.size(), rows.schema().labels.size());
  }

  const Schema& schema() const override { return rows_.schema(); }
  void rewind() override { rows_.rewind(); }
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return next_weighted(max_rows, block); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return next_weighted(max_rows, block); }
  std::optional<std::size_t> size() const override { return rows_.size(); }
  double fraction_read() const override { return rows_.fraction_read(); }
  std::size_t memory_bytes(std::size_t element_bytes) const override { return rows_.memory_bytes(element_bytes); }

 private:
  template <class T>
  bool next_weighted(std::size_t max_rows, RowBlock<T>& block) {
    if (!rows_.next(max_rows, block)) return false;
    weights_.resize(block.rows);
    for (std::size_t i = 0; i < block.rows; ++i) {
      const double target = block.targets[i * block.target_count];
      check_class_target(target, class_weights_.size(), block.first + i);
      weights_[i] = (block.weights ? block.weights[i] : 1.0) * class_weights_[std::size_t(target)];
    }
    block.weights = weights_.data();
    return true;
  }

  Rows& rows_;
  std::vector<double> class_weights_, weights_;
};

}  // namespace

std::unique_ptr<Rows> class_weighted_rows(Rows& rows, std::vector<double> class_weights) {
  return std::make_unique<ClassWeightedRows>(rows, std::move(class_weights));
}

}  // namespace bochner
