// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/bins.h"

namespace bochner {

template <class T>
PackedRows<T> select_rows(const PackedRows<T>& block, std::span<const std::uint32_t> rows) {
  PackedRows<T> some;
  some.first = block.first;
  some.rows = rows.size();
  some.cols = block.cols;
  some.stride = PackedRows<T>::padded(rows.size());
  some.dense = block.dense;
  some.values.assign(some.dense.size() * some.stride, T(0));
  for (std::size_t k = 0; k < some.dense.size(); ++k)
    for (std::size_t i = 0; i < rows.size(); ++i)
      some.values[k * some.stride + i] = block.values[k * block.stride + rows[i]];
  some.parts = block.parts;
  for (auto& part : some.parts) {
    std::vector<std::uint32_t> pattern;
    for (const std::uint32_t i : rows) pattern.push_back(part.pattern[i]);
    part.pattern = std::move(pattern);
  }
  return some;
}

template PackedRows<float> select_rows(const PackedRows<float>&, std::span<const std::uint32_t>);
template PackedRows<double> select_rows(const PackedRows<double>&, std::span<const std::uint32_t>);

}  // namespace bochner
