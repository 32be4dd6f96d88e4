// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>

#include "bochner/explain.h"

namespace bochner {

void ImportanceSum::add(const Explanation& some) {
  columns_ = some.columns;
  outputs_ = some.outputs;
  const std::size_t p = columns_.size(), K = outputs_.size();
  sums_.resize(p * K, 0.0);
  squares_.resize(p * K, 0.0);
  for (std::size_t row = 0; row < some.values.rows(); ++row)
    for (std::size_t j = 0; j < p; ++j) {
      const double value = some.values(row, j);
      sums_[row % K * p + j] += std::abs(value);
      squares_[row % K * p + j] += value * value;
      if (some.errors.rows() > 0) largest_error_ = std::max(largest_error_, some.errors(row, j));
    }
  rows_ += some.rows();
}

std::vector<ColumnImportance> ImportanceSum::importance() const {
  std::vector<ColumnImportance> all;
  const double n = double(rows_);
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    const std::size_t p = columns_.size();
    for (std::size_t j = 0; j < p; ++j) {
      const double mean = rows_ > 0 ? sums_[k * p + j] / n : 0;
      const double variance = rows_ > 1 ? std::max(0.0, squares_[k * p + j] - n * mean * mean) / (n - 1) : 0;
      all.push_back({columns_[j], outputs_[k], mean, rows_ > 1 ? std::sqrt(variance / n) : 0});
    }
    std::stable_sort(all.end() - std::ptrdiff_t(p), all.end(),
                     [](const auto& a, const auto& b) { return a.mean > b.mean; });
  }
  return all;
}

}  // namespace bochner
