// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/bins.h"

#include <algorithm>

namespace bochner {

template <class T>
void bin_hashes_reference(const RowBlock<T>& block, const Grid<T>& grid, std::uint64_t* hashes) {
  std::vector<T> filled(block.sparse() ? block.cols : 0);
  for (std::size_t i = 0; i < block.rows; ++i) {
    const T* const x = block.sparse() ? filled.data() : block.values + i * block.stride;
    if (block.sparse()) {
      std::fill(filled.begin(), filled.end(), T(0));
      for (std::size_t k = block.offsets[i]; k < block.offsets[i + 1]; ++k) filled[block.columns[k]] = block.values[k];
    }
    std::uint64_t h = 0;
    for (const std::uint32_t j : grid.inputs) h = add_halves(h, grid.term(j, grid.bin(j, x[j])));
    hashes[i] = h;
  }
}

template void bin_hashes_reference(const RowBlock<float>&, const Grid<float>&, std::uint64_t*);
template void bin_hashes_reference(const RowBlock<double>&, const Grid<double>&, std::uint64_t*);

}  // namespace bochner
