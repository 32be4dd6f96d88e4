// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.targets = {"price"}});
//   const Independence found = independence(*rows, {.permutations = 999});
//   if (found.p_value < 0.01) std::puts("the inputs tell something about the price");
//   for (const Independence::Column& column : found.columns) std::printf("%s %g\n", column.name.c_str(),
//   column.p_value);

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bochner/execution.h"
#include "bochner/kernel.h"
#include "bochner/rows.h"

namespace bochner {

struct IndependenceOptions {
  Kernel kernel = {};  // its length scales are replaced: inputs are scaled, then one for each of `bandwidths`
  std::vector<double> bandwidths = {0.5, 1, 2};  // times the median distance of rows
  std::size_t features = 64;                     // features of each side and bandwidth, even
  std::size_t permutations = 500;
  std::size_t permuted_rows = 16384;  // if there are more rows, the law of the statistic comes from covariances instead
  std::uint64_t seed = 0;
  Execution execution = {};
  std::function<void(const std::string&)> say = {};  // notes, as they are made, on the calling thread
};

// Whether targets depend on inputs, in any way: the Hilbert-Schmidt independence criterion (Gretton, Fukumizu, Teo,
// Song, Schoelkopf & Smola, NeurIPS 2007) by random features, |mean of z(x) u(y)' - mean z mean u'|^2, of several
// bandwidths at once. Classes have a feature each.
//
// Up to permuted_rows rows the p-value is by permutations of the targets: exact, p_value <= a has a probability of at
// most a where there is no dependence. With more, permutations would cost a pass each: draws from the limit law of the
// statistic, a Gaussian with the covariances of both sides (Zhang, Filippi, Gretton & Sejdinovic, Statistics and
// Computing 2018), stand in for them, and all rows count in two passes.
// Columns are tested one by one beside that, by their ranks or levels, on at most permuted_rows rows; those p-values
// are corrected for there being many (Westfall & Young 1993).
struct Independence {
  struct Column {
    std::string name;
    double p_value = 1;        // corrected for the number of columns
    double p_value_alone = 1;  // not corrected
    double statistic = 0;      // a normal score: as many deviations above what permutations give
  };

  double p_value = 1;
  double statistic = 0;  // HSIC, the mean of the bandwidths
  bool exact = true;     // found by permutations; otherwise by the limit law
  std::vector<Column> columns;
  std::uint64_t rows = 0;
  std::size_t rows_permuted = 0, features = 0, permutations = 0;
  std::vector<std::string> notes;
};

// Rows with at least one target. Weights are not looked at.
Independence independence(Rows& rows, const IndependenceOptions& options = {});

}  // namespace bochner
