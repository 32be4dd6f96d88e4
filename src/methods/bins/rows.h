// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <vector>

#include "backend/backend.h"
#include "backend/bins.h"
#include "base/threads.h"

namespace bochner {

// Training rows as grids read them: columns of many values, and numbers of patterns for the rest. Far smaller
// than the rows where most inputs are indicators. How rows were cut into blocks leaves no trace in a result.
template <class T>
struct GridRows {
  static constexpr std::size_t kBlock = 8192;  // a dozen columns of a block fit the second-level cache

  std::vector<std::uint32_t> groups;  // for pack_rows
  std::vector<PackedRows<T>> blocks;
  std::size_t rows = 0, inputs = 0;
  const Backend* on = nullptr;  // the backend of the threads that packed them

  void add(Threads& threads, const RowBlock<T>& block);
};

constexpr std::size_t kGridsTurned = 16;  // whose columns become rows together (dual.h): a cache line of each row

// What the rows are fitted to: one code per row and output (classes as -1 and +1, numbers centred), and a weight.
struct GridTargets {
  std::size_t outputs = 1;
  std::vector<float> code;    // rows x outputs
  std::vector<float> weight;  // one per row; empty: all 1

  std::size_t rows() const { return code.size() / outputs; }
  float weight_of(std::size_t i) const { return weight.empty() ? 1.0f : weight[i]; }
  double total_weight() const;
};

}  // namespace bochner
