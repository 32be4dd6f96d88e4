// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <vector>

#include "bochner/neighbors.h"

namespace bochner {

// Candidates are sorted by distance, then by place; inner products with the largest first.
struct Ranked {
  double distance;
  std::uint32_t place;
};

inline Neighbors no_neighbors(std::size_t queries, std::size_t k) {
  return {.k = k, .rows = std::vector<std::int64_t>(queries * k, -1), .distances = std::vector<double>(queries * k)};
}

// The k best of them become the neighbours of one query.
inline void write_best(Metric metric, std::vector<Ranked>& ranked, std::size_t query, Neighbors& found) {
  const auto before = [&](const Ranked& a, const Ranked& b) {
    if (a.distance != b.distance) return metric == Metric::inner ? a.distance > b.distance : a.distance < b.distance;
    return a.place < b.place;
  };
  const std::size_t count = std::min(found.k, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + std::ptrdiff_t(count), ranked.end(), before);
  for (std::size_t c = 0; c < count; ++c) {
    found.rows[query * found.k + c] = std::int64_t(ranked[c].place);
    found.distances[query * found.k + c] = ranked[c].distance;
  }
}

}  // namespace bochner
