// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/weighted.h"

#include <cmath>

#include "base/require.h"
#include "rows/class_target.h"

namespace bochner {

namespace {

// Rows as they are but for their weights: weigh(block, i) of row i, in whatever block it comes.
template <class Weigh>
class ReweightedRows final : public Rows {
 public:
  ReweightedRows(Rows& rows, Weigh weigh) : rows_(rows), weigh_(std::move(weigh)) {}

  const Schema& schema() const override { return rows_.schema(); }
  void rewind() override { rows_.rewind(); }
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return next_weighted(max_rows, block); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return next_weighted(max_rows, block); }
  std::optional<std::size_t> size() const override { return rows_.size(); }
  double fraction_read() const override { return rows_.fraction_read(); }
  std::size_t memory_bytes(std::size_t element_bytes) const override { return rows_.memory_bytes(element_bytes); }
  std::size_t first_row() const override { return rows_.first_row(); }
  bool seek(std::size_t row) override { return rows_.seek(row); }

 private:
  template <class T>
  bool next_weighted(std::size_t max_rows, RowBlock<T>& block) {
    if (!rows_.next(max_rows, block)) return false;
    weights_.resize(block.rows);
    for (std::size_t i = 0; i < block.rows; ++i) weights_[i] = weigh_(block, i);
    block.weights = weights_.data();
    return true;
  }

  Rows& rows_;
  Weigh weigh_;
  std::vector<double> weights_;
};

template <class Weigh>
std::unique_ptr<Rows> reweighted(Rows& rows, Weigh weigh) {
  return std::make_unique<ReweightedRows<Weigh>>(rows, std::move(weigh));
}

double own_weight(const auto& block, std::size_t i) { return block.weights ? block.weights[i] : 1.0; }

}  // namespace

std::unique_ptr<Rows> class_weighted_rows(Rows& rows, std::vector<double> class_weights) {
  require(rows.schema().labels.size() == class_weights.size(), "class weights: found {} for {} classes",
          class_weights.size(), rows.schema().labels.size());
  return reweighted(rows, [of_class = std::move(class_weights)](const auto& block, std::size_t i) {
    const double target = block.targets[i * block.target_count];
    check_class_target(target, of_class.size(), block.first + i);
    return own_weight(block, i) * of_class[std::size_t(target)];
  });
}

std::unique_ptr<Rows> rows_weighed_in(Rows& rows, double unit) {
  require(unit > 0 && std::isfinite(unit), "weights: the unit is {}, expected a positive number", unit);
  return reweighted(rows, [unit](const auto& block, std::size_t i) { return own_weight(block, i) / unit; });
}

}  // namespace bochner
