// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bochner/neighbors.h"
#include "options.h"

namespace bochner {

// Which rows a command takes that needs inputs alone; targets are left out like ignored columns.
struct InputWords {
  std::string file, output, missing = "mean";
  std::vector<std::string> targets;
  ColumnWords columns;
  RunOptions run;
  FileOptions format;

  void add(Command& app);  // all but the file and the output
  RowsOptions reading() const;
  // Checks the output's name and opens the file.
  std::unique_ptr<Rows> open(Messages& messages) const;
};

// Whether and how inputs are scaled before they are compared.
struct ScaleWords {
  std::vector<std::string> scales;

  void add(Command& app);
  // Null without --scale; a warning is then said if columns of a table have very different spreads.
  MapPtr chosen(Rows& rows, Metric metric, const Execution& execution, Messages& messages) const;
};

// What `index` and `graph` have in common: which rows, and how near they are.
struct SearchWords : InputWords {
  ScaleWords scale;
  std::string metric = "euclidean", method = "auto", hash;
  double recall = 0.95;
  std::uint64_t seed = 0;

  void add(Command& app);
  IndexOptions options(Messages& messages) const;
};

Metric metric_word(const std::string& word);

// "exact", or the method with what was measured.
std::string search_text(const IndexReport& report, const IndexOptions& options);

// query,rank,row,distance: one line for each neighbour.
void write_neighbors(const std::string& path, const Neighbors& found, int threads);

}  // namespace bochner
