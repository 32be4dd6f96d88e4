// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <string>

#include "bochner/evaluation.h"

namespace bochner {

// What a score counts, "row" or "sequence", and how many rows that is.
struct Counted {
  std::string unit;
  std::uint64_t rows = 0;
};

// Score::text() and Evaluation::text() of anything that is counted.
std::string score_text(const Score& score, const std::string& unit);
std::string evaluation_text(const Evaluation& evaluation, const Counted& counted, bool with_matrix);

}  // namespace bochner
