// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/bins.h"
#include "bochner/binning.h"

namespace bochner {

// Grid `index` of the options' law: a pure function of its arguments, so grids are never stored.
template <class T>
Grid<T> draw_grid(std::size_t inputs, const BinningOptions& options, std::uint64_t index);

// Throws std::invalid_argument when the options make no sense for so many inputs.
void check_binning(std::size_t inputs, const BinningOptions& options);

// Groups the inputs of one category: those whose names agree up to the first '='.
std::vector<std::uint32_t> group_inputs(std::span<const std::string> names);

}  // namespace bochner
