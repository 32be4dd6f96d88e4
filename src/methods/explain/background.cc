// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/explain/background.h"

#include <algorithm>
#include <utility>

#include "base/require.h"
#include "model/as_double.h"
#include "random/draw.h"

namespace bochner {

Matrix<double> drawn_background(const Stream& unmapped, std::size_t inputs, std::size_t most, std::uint64_t seed) {
  using Kept = std::pair<std::pair<std::uint64_t, std::uint64_t>, std::vector<double>>;  // key and number; the row
  std::vector<Kept> kept;  // a heap, the largest key first
  Matrix<double> values;
  const auto less = [](const Kept& a, const Kept& b) { return a.first < b.first; };
  unmapped.each("background", [&](const auto& rows) {
    const RowBlock<double> block = as_double(rows, values);
    for (std::size_t i = 0; i < block.rows; ++i) {
      const std::uint64_t number = block.first + i;
      const std::pair key{bits(seed, Draw::sample, number, 1), number};
      if (kept.size() == most) {
        if (key > kept.front().first) continue;
        std::pop_heap(kept.begin(), kept.end(), less);
        kept.pop_back();
      }
      const double* const row = block.values + i * block.stride;
      kept.emplace_back(key, std::vector<double>(row, row + inputs));
      std::push_heap(kept.begin(), kept.end(), less);
    }
  });
  if (kept.empty())
    fail(Error::Kind::data, "explain: the background has no rows, expected some such as those of training");
  std::sort(kept.begin(), kept.end(), less);
  Matrix<double> drawn(kept.size(), inputs);
  for (std::size_t i = 0; i < kept.size(); ++i) std::copy(kept[i].second.begin(), kept[i].second.end(), &drawn(i, 0));
  return drawn;
}

}  // namespace bochner
