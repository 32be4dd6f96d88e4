// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cstdint>

#include "random/draw.h"

namespace bochner {

// Where a row stands among those that may be held out, in [0, 1): a draw of its number.
inline double hold_out_place(std::uint64_t seed, std::uint64_t row) { return uniform(seed, Draw::holdout, row); }

// Whether a row is held out where a fraction of all rows is: the one rule. Of two fractions the smaller holds out some
// of the rows that the larger does.
inline bool is_held_out(std::uint64_t seed, std::uint64_t row, double fraction) {
  return hold_out_place(seed, row) < fraction;
}

// The fraction: a share of the rows, but not more rows than `most`. Each learner has numbers of its own, by what a
// trial costs it.
inline double hold_out_fraction(double rows, double share, double most) { return std::min(share, most / rows); }

}  // namespace bochner
