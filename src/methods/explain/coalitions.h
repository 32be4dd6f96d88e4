// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>

#include "methods/explain/part.h"

namespace bochner {

// Adds a game of few columns, times `share`, to the values and pairs of a row. worth: [coalition][output], bit i of a
// coalition's number is columns[i].
void add_coalitions(std::span<const double> worth, std::span<const std::uint32_t> columns, double share,
                    const ExplainedRows& rows, std::size_t row);

}  // namespace bochner
