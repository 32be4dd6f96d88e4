// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "bochner/split.h"

namespace bochner {

// Counts the rows that a split holds out and that equal others, by hashes. Rows beyond a million are counted by a
// sample: those of the smallest hashes, so that equal rows stay together.
class Repeats {
 public:
  using Part = std::function<std::size_t(std::uint64_t row)>;
  // rows: about how many will come.
  Repeats(std::size_t rows, std::size_t parts) : stride_(std::max<std::size_t>(1, rows / kSampled)), parts_(parts) {}

  template <class T>
  void add(const RowBlock<T>& block, const Part& part);
  RepeatedRows found() const;

 private:
  static constexpr std::size_t kSampled = 256;
  struct Seen {
    std::uint64_t hash;
    std::size_t part;
  };
  void keep_fewer();
  double equal_by_chance() const;

  std::size_t stride_, parts_;
  std::uint64_t rows_ = 0, held_ = 0, most_hash_ = ~std::uint64_t(0);
  std::vector<Seen> seen_;
  std::size_t cols_ = 0;
  std::vector<double> sample_;  // dense rows, some
};

}  // namespace bochner
