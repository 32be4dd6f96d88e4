// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>

#include "random/draw.h"

namespace bochner {

// Whether a row is held out where a fraction of all rows is: the one rule, a draw of the row's number. Of two fractions
// the smaller holds out some of the rows that the larger does. Each learner has a fraction of its own.
inline bool is_held_out(std::uint64_t seed, std::uint64_t row, double fraction) {
  return uniform(seed, Draw::holdout, row) < fraction;
}

}  // namespace bochner
