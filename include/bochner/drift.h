// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Drift found = drift("last-year.csv", "this-year.csv", {.permutations = 999});
//   if (found.p_value < 0.01) std::puts("the rows have changed");
//   for (const Drift::ColumnChange& column : found.columns)
//     if (column.p_value < 0.01) std::puts(column.name.c_str());
//   const std::string page = html_page(found, "this year");  // one file, with pictures

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bochner/execution.h"
#include "bochner/kernel.h"
#include "bochner/rows.h"

namespace bochner {

struct DriftOptions {
  Kernel kernel = {};  // its length scales are replaced: inputs are scaled, then one for each of `bandwidths`
  std::vector<double> bandwidths = {0.25, 0.5, 1, 2, 4};  // times the median distance of rows
  std::size_t features = 0;                               // features of each bandwidth, even; 0: by the number of rows
  std::size_t permutations = 500;
  std::size_t windows = 1;  // consecutive parts of the new rows, as many rows each, that are tested one by one besides
  std::uint64_t seed = 0;
  // How both files are read: targets and weights are columns like others if none is named; missing is `mark` if unset.
  RowsOptions reading = {};
  Execution execution = {};
  std::function<void(const std::string&)> say = {};  // notes, as they are made, on the calling thread
};

// Whether two samples of rows come from one distribution.
//
// The overall test is the maximum mean discrepancy (Gretton, Borgwardt, Rasch, Schoelkopf & Smola, JMLR 2012) by random
// features, of several bandwidths at once. Its p-value is by permutations of block sums: rows are dealt at random into
// at most 4096 blocks of equal size, and the permutations exchange blocks, so rows are passed over once and the level
// is exact: where the rows of both files are exchangeable, p_value <= a has a probability of at most a.
// Every column is tested beside that, by how its values fall into bins of several widths or onto levels, a missing cell
// being a level of its own; those p-values
// come from the same permutations and are corrected for there being many (Westfall & Young 1993).
struct Drift {
  struct Scale {
    double bandwidth = 0;                // length scale of scaled inputs
    double mmd2 = 0, mmd2_unbiased = 0;  // |mean of z in one - in the other|^2; without the rows' own products
    double p_value = 1;                  // this bandwidth alone
  };
  struct ColumnChange {
    std::string name;
    bool text = false;
    double p_value = 1;        // corrected for the number of columns
    double p_value_alone = 1;  // not corrected
    double statistic = 0;      // a normal score: as many deviations above what permutations give
    double distance = 0;       // half the sum of the differences of shares over the bins: 0 the same, 1 apart
    // Numbers, less missing cells: NaN if a file has no other. The deviation is that of both together.
    double mean_reference = 0, mean_new = 0, deviation = 0;
    double missing_reference = 0, missing_new = 0;  // numbers: the share of the rows whose cell is missing
    bool dates = false;                             // numbers are days since 1970-01-01
    // Numbers: bin k is between edges[k] and edges[k + 1]; the outer ones reach to the smallest and largest value of a
    // sample, or further. Texts: one share per level, and those of no level last.
    std::vector<double> edges;
    std::vector<std::string> levels;
    std::vector<double> share_reference, share_new;
  };

  // New rows first .. first + rows beside all of the reference.
  struct Window {
    std::uint64_t first = 0, rows = 0;
    double p_value = 1;        // times the number of windows (Bonferroni)
    double p_value_alone = 1;  // not corrected
    double statistic = 0;
  };

  double p_value = 1;
  double statistic = 0;         // unbiased MMD^2 of the mean of the kernels
  std::vector<Window> windows;  // where several were wanted
  std::vector<Scale> scales;
  std::vector<ColumnChange> columns;                              // same order as the reference
  std::vector<std::string> missing_in_new, missing_in_reference;  // columns that only one file has
  std::uint64_t rows_reference = 0, rows_new = 0;
  std::size_t features = 0, permutations = 0, blocks = 0, block_rows = 0;
  std::string kernel;
  std::vector<std::string> notes;
};

// Two files. Columns meet by name where both have a header, otherwise by place; one that is a number in one file and
// text in the other counts as text in both; one that only one file has is named and left out. Levels of a text are
// those of both files.
Drift drift(const std::string& reference, const std::string& fresh, const DriftOptions& options = {});

// Rows of the same schema. Targets and weights are not looked at. Each is passed over twice, or once where it is small
// enough to be kept; with windows, once more for each.
Drift drift(Rows& reference, Rows& fresh, const DriftOptions& options = {});

// Rows of rounds (Execution::ranks), the first `reference` partitions of which are the reference. They meet: up to 256
// MiB of them, otherwise a draw, which is tested as all would be. Partitions are read with RowsOptions::inputs_only,
// and Missing::mark if missing cells shall tell something.
Drift drift_of_partitions(Rows& rows, std::size_t reference, const DriftOptions& options);

std::string json_text(const Drift& drift);
// One page of HTML with its pictures inside, without scripts or anything from outside.
std::string html_page(const Drift& drift, const std::string& title);

}  // namespace bochner
