// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "backend/workers.h"
#include "bochner/matrix.h"
#include "methods/embeddings/row_blocks.h"

namespace bochner {

// A permutation test by block sums. Rows of two samples are dealt at random into blocks of equal size, and permutations
// exchange whole blocks between the samples; rows in no block stay where they are. These are a subgroup of the
// permutations of all rows, so the test keeps its level exactly, whatever is summed (Hemerik & Goeman, TEST 2018), and
// nothing but the sums of the blocks is looked at again.
struct ExchangePlan {
  std::size_t block_rows = 1;
  std::uint64_t rows[2] = {0, 0};
  std::size_t blocks[2] = {0, 0};

  std::size_t all_blocks() const { return blocks[0] + blocks[1]; }
};

// At most `most` blocks in all, and at least 64 of the smaller sample where it has as many rows.
ExchangePlan plan_exchange(std::uint64_t first, std::uint64_t second, std::size_t most);

// Row p: 1 where a block belongs to the first sample in permutation p. The first is how the blocks are.
Matrix<double> draw_exchanges(const ExchangePlan& plan, std::size_t permutations, std::uint64_t seed);

// What is exchanged: sums of the blocks of both samples, the first's before the second's, and of the rest of each.
struct BlockTable {
  std::size_t columns = 0;
  std::function<double(std::size_t block, std::size_t column)> at;
  std::function<double(int sample, std::size_t column)> rest;
};

constexpr std::size_t kExchangeStrip = 256;  // columns at a time, of blocks and of permutations
// visit(begin, sums): of columns begin .. begin + sums.cols the sum over the first sample's rows less its share of all
// rows' sum, in every permutation (a row each). Strips of columns in order, none across one of `edges`.
void exchanged_sums(const Workers& on, const ExchangePlan& plan, MatrixView<const double> exchanges,
                    const BlockTable& table, std::span<const std::size_t> edges,
                    const std::function<void(std::size_t begin, MatrixView<const double> sums)>& visit);

// Statistics under all permutations (the first is what was found) as normal scores, so that those of different laws
// compare: a Gamma law by mean and variance, made normal by its cube root (Wilson & Hilferty 1931). Moments leave out
// the largest, so a huge one does not hide what it differs from; all is symmetric in the permutations.
std::vector<double> normal_scores(std::span<const double> statistics);

// The share of permutations with as large a value as the first has, itself among them.
double permutation_p_value(std::span<const double> values);

// One statistic of several, scores is permutations x several: log sum exp, near the largest where one stands out and
// above it where several agree (Biggs, Schrab & Gretton, NeurIPS 2023).
std::vector<double> fused(MatrixView<const double> scores);

// p-values of several statistics, corrected so that any is below a with a probability of at most a where none of those
// hypotheses is false: step-down with the largest of each permutation (Westfall & Young 1993). permutations x several.
std::vector<double> corrected_p_values(MatrixView<const double> scores);

}  // namespace bochner
