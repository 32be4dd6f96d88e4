// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/threads.h"

namespace bochner {

constexpr std::size_t kPieceRows = 8192;  // rows a thread takes at a time

inline std::size_t pieces(std::size_t count, std::size_t each) { return (count + each - 1) / each; }

// A sum over the rows in pieces of a fixed size, added in order: the same for any number of threads.
template <class Term>
double sum_rows(Threads& threads, std::size_t n, const Term& term) {
  std::vector<double> part(pieces(n, kPieceRows));
  threads.run(part.size(), [&](std::size_t piece, int) {
    const std::size_t end = std::min(n, (piece + 1) * kPieceRows);
    for (std::size_t i = piece * kPieceRows; i < end; ++i) part[piece] += term(i);
  });
  double sum = 0;
  for (const double p : part) sum += p;
  return sum;
}

}  // namespace bochner
