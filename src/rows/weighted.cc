// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/weighted.h"

#include <cmath>

#include "base/require.h"
#include "rows/class_target.h"
#include "rows/rows_over.h"

namespace bochner {

namespace {

// Rows as they are but for their weights: weigh(block, i) of row i, in whatever block it comes.
template <class Weigh>
class ReweightedRows final : public RowsOver {
 public:
  ReweightedRows(Rows& rows, Weigh weigh) : RowsOver(rows), weigh_(std::move(weigh)) {}

  bool next(std::size_t max_rows, RowBlock<float>& block) override { return next_weighted(max_rows, block); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return next_weighted(max_rows, block); }

 private:
  template <class T>
  bool next_weighted(std::size_t max_rows, RowBlock<T>& block) {
    if (!this->rows_.next(max_rows, block)) return false;
    weights_.resize(block.rows);
    for (std::size_t i = 0; i < block.rows; ++i) weights_[i] = weigh_(block, i);
    block.weights = weights_.data();
    return true;
  }

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
