// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/explain/coalitions.h"

namespace bochner {

namespace {

// |S|! (n - |S| - 1)! / n! of a coalition S of this size, among n players of whom one is not in it.
double weight(std::size_t size, std::size_t n) {
  double chances = 1;  // n - 1 over size
  for (std::size_t i = 0; i < size; ++i) chances *= double(n - 1 - i) / double(i + 1);
  return 1 / (chances * double(n));
}

}  // namespace

void add_coalitions(std::span<const double> worth, std::span<const std::uint32_t> columns, double share,
                    const ExplainedRows& rows, std::size_t row) {
  const std::size_t p = columns.size(), K = rows.outputs, all = rows.players;
  double *const values = rows.values_of(row), *const pairs = rows.pairs_of(row);
  const auto of = [&](std::size_t set, std::size_t k) { return worth[set * K + k]; };
  for (std::size_t set = 0; set < std::size_t(1) << p; ++set) {
    const auto size = std::size_t(__builtin_popcountll(set));
    const double alone = share * weight(size, p), together = p > 1 ? share * weight(size, p - 1) / 2 : 0;
    for (std::size_t j = 0; j < p; ++j) {
      if (set >> j & 1) continue;
      const std::size_t with = set | std::size_t(1) << j;
      for (std::size_t k = 0; k < K; ++k) values[k * all + columns[j]] += alone * (of(with, k) - of(set, k));
      for (std::size_t i = 0; i < j && pairs; ++i) {
        if (set >> i & 1) continue;
        const std::size_t other = set | std::size_t(1) << i, both = with | other;
        for (std::size_t k = 0; k < K; ++k) {
          const double half = together * (of(both, k) - of(with, k) - of(other, k) + of(set, k));
          pairs[(k * all + columns[i]) * all + columns[j]] += half;
          pairs[(k * all + columns[j]) * all + columns[i]] += half;
        }
      }
    }
  }
}

}  // namespace bochner
