// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bochner/map.h"
#include "bochner/matrix.h"
#include "folds/covariance.h"
#include "folds/row_moments.h"
#include "methods/components/sketch.h"
#include "run/stream.h"

namespace bochner {

struct LowRankOptions {
  std::size_t rank = 0;
  bool center = false;
  std::optional<std::size_t> passes = {};  // passes over the rows besides the moments' pass; none: until it is accurate
  std::uint64_t seed = 0;
  std::size_t products = 0;  // as many columns are few enough for the matrix of their products, whatever the rank
  bool kept = false;         // whether the rows lie in memory: a product costs no pass over a file
};

// A ~ A V V^T, where the rows of A are those of the stream, less their mean where they are centred.
struct LowRank {
  std::vector<double> mean;             // empty: not centred
  Matrix<double> components;            // V, d x rank: orthonormal columns, the largest entry of each is positive
  std::vector<double> singular_values;  // descending
  double total = 0;                     // |A|_F^2
  double left = 0;                      // |A - A V V^T|_F^2, or a bound on it after one pass
  std::optional<double> gain = {};      // estimated: by how much of itself |A - A V V^T|_F is above the least possible
  std::size_t passes = 0;
  std::string method;
};

// Halko, Martinsson & Tropp, SIAM Review 2011, with the parts that suit streamed rows: the matrix A^T A itself where
// its d^2 numbers cost less than sketching; a sketch of it in one pass (Tropp et al., NIPS 2017); a block Krylov space
// of A^T A, or of A A^T where rows are fewer than columns, and the coordinates in it by a last pass. Sparse rows that
// lie in memory take narrower blocks of more products (block Lanczos).
// moments: those of the stream's rows.
LowRank low_rank(const Stream& stream, const RowMoments& moments, const LowRankOptions& options);

// A factor from one pass over rows that need not meet: the sum of it, empty, by what is known of all rows; and the
// factor from the sum of all. The covariance, in double, where that costs no more than a sketch. Options: passes = 1.
using OnePassSum = std::variant<CovarianceFold, SketchFold>;
struct OnePass {
  OnePass(const RowMoments& of_all, bool rows_are_sparse, const LowRankOptions& how)
      : moments(of_all), sparse(rows_are_sparse), options(how) {}
  OnePassSum empty(Threads& threads) const;
  double least_numbers(Threads& threads) const;  // that an empty sum holds, or more
  LowRank solve(const OnePassSum& sum, Threads& threads) const;

  const RowMoments& moments;  // those of all rows
  bool sparse;
  LowRankOptions options;
};

// Refuses a rank that rows x inputs cannot have: std::invalid_argument.
void check_rank(std::size_t rank, std::uint64_t rows, std::size_t inputs);

// What was found as a map from rows to components, which knows its Factor.
MapPtr factor_map(LowRank found);

}  // namespace bochner
