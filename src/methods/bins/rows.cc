// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/bins/rows.h"

#include <algorithm>

#include "run/host.h"

namespace bochner {

double GridTargets::total_weight() const {
  double sum = 0;
  for (std::size_t i = 0; i < rows(); ++i) sum += double(weight_of(i));
  return sum;
}

template <class T>
void GridRows<T>::add(Threads& threads, const RowBlock<T>& block) {
  on = &host_backend();
  const std::size_t pieces = (block.rows + kBlock - 1) / kBlock, before = blocks.size();
  blocks.resize(before + pieces);
  threads.run(pieces, [&](std::size_t piece, int) {
    const std::size_t begin = piece * kBlock;
    RowBlock<T> part = block.slice(begin, std::min(kBlock, block.rows - begin));
    part.first = rows + begin;
    blocks[before + piece] = pack_rows<T>(part, groups);
  });
  rows += block.rows;
  inputs = block.cols;
}

template struct GridRows<float>;
template struct GridRows<double>;

}  // namespace bochner
