// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/archive.h"
#include "bochner/map.h"

namespace bochner {

// How one input enters a machine that learns its own metric: a number twice, so that the metric may choose between its
// size and its rank; one with two values once, as 0 and 1; one that never varies not at all.
//   number:    v / sqrt(1 + (v/5)^2), v = (x - center) factor;   sqrt(12) (rank(x) - 1/2)
//   two values: (x - center) factor
struct TwofoldColumn {
  enum class Kind : std::uint8_t { left_out, two_values, number };

  Kind kind = Kind::left_out;
  double center = 0, factor = 1;
  // The rank of a number at some values, both ascending; linear between them and constant beyond.
  std::vector<double> values = {}, ranks = {};

  std::size_t outputs() const { return std::size_t(kind); }
  bool operator==(const TwofoldColumn&) const = default;
};

// The column that these values (at least one) suggest: median, deviation, middle ranks. `two_values`: no others occur.
TwofoldColumn twofold_column(std::vector<double> values);

// At least one column must not be left out.
MapPtr twofold(std::vector<TwofoldColumn> columns);

MapPtr load_twofold(const Archive& archive);

}  // namespace bochner
