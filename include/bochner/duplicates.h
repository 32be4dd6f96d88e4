// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("letters.svm", {.inputs_only = true});
//   for (const Duplicate& each : find_duplicates(*rows, {.threshold = 0.8}))
//     std::printf("%s of %s: %g\n", std::to_string(each.row).c_str(), std::to_string(each.of).c_str(),
//     each.similarity);

#include <cstdint>
#include <optional>
#include <vector>

#include "bochner/execution.h"
#include "bochner/neighbors.h"
#include "bochner/rows.h"

namespace bochner {

struct DuplicateOptions {
  // Similarity is Jaccard's of the inputs that are not 0, or the cosine. None: Jaccard's for sparse rows; dense rows
  // are duplicates if all their inputs are equal, as double.
  std::optional<Metric> metric = {};
  std::optional<double> threshold = {};  // similarity from which rows are duplicates; above 0, at most 1; none: 0.8
  bool pairs = false;  // all pairs; otherwise, for each row that has some, the most similar earlier one
  Execution execution = {};
  // Cells that must be equal too, as the reader of the rows keeps them (RowsOptions::kept): texts that are no input of
  // their own. With dense rows and no metric.
  KeptCells* cells = nullptr;
};

struct Duplicate {
  std::uint64_t row = 0, of = 0;  // `of` < row
  double similarity = 0;

  bool operator==(const Duplicate&) const = default;
};

// All of them, none is missed, in order of row, then of the other. Rows that are all 0 are duplicates of each other.
std::vector<Duplicate> find_duplicates(Rows& rows, const DuplicateOptions& options = {});

// Groups that duplicates make of rows, each of two or more.
std::size_t duplicate_groups(const std::vector<Duplicate>& duplicates);

}  // namespace bochner
