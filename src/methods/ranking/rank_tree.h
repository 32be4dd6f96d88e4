// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace bochner {

// Sums over places: add() and before() take O(log places). Fenwick 1994.
class RankTree {
 public:
  using Sums = std::array<double, 3>;

  explicit RankTree(std::size_t places) : sums_(places + 1) {}

  void add(std::size_t place, const Sums& values) {
    for (std::size_t p = place + 1; p < sums_.size(); p += p & (~p + 1))
      for (std::size_t k = 0; k < values.size(); ++k) sums_[p][k] += values[k];
  }
  // The sums over the places below `end`.
  Sums before(std::size_t end) const {
    Sums found{};
    for (std::size_t p = end; p > 0; p &= p - 1)
      for (std::size_t k = 0; k < found.size(); ++k) found[k] += sums_[p][k];
    return found;
  }

 private:
  std::vector<Sums> sums_;
};

}  // namespace bochner
