// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "methods/neighbors/codes.h"
#include "methods/neighbors/searcher.h"

namespace bochner {

inline constexpr double kMostSpill = 0.25;

struct NeighborIndex::Parts {
  Schema schema;
  std::optional<ByteSteps> bytes;      // the bytes that the points were rounded to
  IndexOptions options;                // execution is not kept
  Points points;                       // as they are, but for the schema's offsets
  std::vector<std::uint64_t> numbers;  // the rows' numbers, ascending
  std::uint64_t next = 0;              // the number of the next row

  // The members below are made from those above.
  Points scaled;
  int exponent = 0;
  Searcher searcher;
  std::vector<float> half;  // half_norms of the scaled points, where every pair is compared
  IndexReport report;

  void scale(const Workers& on);             // points -> scaled
  void keep_what_serves(const Workers& on);  // norms; bits of rows of 0 and 1
  void settle(const Execution& execution);   // all of it
};

// The nearest among the places that are allowed, as places: see NeighborIndex::query.
Neighbors search_allowed(const Workers& on, const Searcher& searcher, const PointSearch& search,
                         const std::vector<bool>& allowed);

}  // namespace bochner
