// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/bins.h"

#include <algorithm>
#include <span>

#include "backend/reference/operations.h"

namespace bochner {

namespace {

// The hash of a row of all inputs.
template <class T>
std::uint64_t hash_of(std::span<const T> x, const Grid<T>& grid) {
  std::uint64_t h = 0;
  for (const std::uint32_t j : grid.inputs) h = add_halves(h, grid.term(j, grid.bin(j, x[j])));
  return h;
}

}  // namespace

template <class T>
void plain_bin_hashes(const RowBlock<T>& block, const Grid<T>& grid, std::uint64_t* hashes) {
  std::vector<T> x(block.sparse() ? block.cols : 0);
  for (std::size_t i = 0; i < block.rows; ++i) {
    if (!block.sparse()) {
      hashes[i] = hash_of<T>({block.values + i * block.stride, block.cols}, grid);
      continue;
    }
    std::fill(x.begin(), x.end(), T(0));
    for (std::size_t k = block.offsets[i]; k < block.offsets[i + 1]; ++k) x[block.columns[k]] = block.values[k];
    hashes[i] = hash_of<T>(x, grid);
  }
}

template void plain_bin_hashes(const RowBlock<float>&, const Grid<float>&, std::uint64_t*);
template void plain_bin_hashes(const RowBlock<double>&, const Grid<double>&, std::uint64_t*);

// Unpacks row by row: dense columns, the usual values of the coded ones, and what the row's pattern has instead.
template <class T>
void reference::Operations::bin_hashes(const PackedRows<T>& rows, const Grid<T>& grid, std::uint64_t* hashes) {
  std::vector<T> x(rows.cols);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    for (std::size_t k = 0; k < rows.dense.size(); ++k) x[rows.dense[k]] = rows.values[k * rows.stride + i];
    for (const auto& part : rows.parts) {
      for (std::size_t k = 0; k < part.inputs.size(); ++k) x[part.inputs[k]] = part.base[k];
      const std::size_t pattern = part.pattern[i];
      for (std::size_t e = part.offsets[pattern]; e < part.offsets[pattern + 1]; ++e) {
        const auto& code = part.codes[part.entries[e]];
        x[code.input] = code.value;
      }
    }
    hashes[i] = hash_of<T>(x, grid);
  }
}

template void reference::Operations::bin_hashes(const PackedRows<float>&, const Grid<float>&, std::uint64_t*);
template void reference::Operations::bin_hashes(const PackedRows<double>&, const Grid<double>&, std::uint64_t*);

}  // namespace bochner
