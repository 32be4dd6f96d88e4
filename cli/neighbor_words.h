// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bochner/neighbors.h"
#include "options.h"

namespace bochner {

// What `index` and `graph` have in common: which rows, and how near they are.
struct SearchWords {
  std::string file, output, missing = "mean", metric = "euclidean", method = "auto", hash;
  std::vector<std::string> targets;
  double recall = 0.95;
  std::uint64_t seed = 0;
  ColumnWords columns;
  RunOptions run;
  FileOptions format;

  void add(CLI::App& app);
  IndexOptions options(Messages& messages) const;
  // Checks the output's name and opens the file; targets are left out like ignored columns.
  std::unique_ptr<Rows> open(Messages& messages) const;
};

Metric metric_word(const std::string& word);

// "exact", or the method with what was measured.
std::string search_text(const IndexReport& report, const IndexOptions& options);

// query,rank,row,distance: one line for each neighbour.
void write_neighbors(const std::string& path, const Neighbors& found);

}  // namespace bochner
