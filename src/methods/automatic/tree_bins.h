// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/workers.h"
#include "bochner/matrix.h"

namespace bochner {

// Rows by the bins of their inputs, for trees: those that cuts come from and, behind them, others.
struct BinnedRows {
  std::vector<std::vector<float>> cuts;  // one list per input, rising: a value goes to the first that is not below it
  std::vector<std::uint8_t> bins;        // rows x inputs
  std::vector<std::size_t> first;        // where an input's bins begin among those of all, and the end
  std::vector<std::size_t> used;         // inputs that vary

  const std::uint8_t* row(std::size_t p) const { return bins.data() + p * cuts.size(); }
};

struct RowsToBin {
  MatrixView<const float> u;
  std::span<const std::uint32_t> fitted, others, inputs;
};

// most: bins of an input, at most 256.
BinnedRows bin_rows(const Workers& on, const RowsToBin& rows, std::size_t most);

}  // namespace bochner
