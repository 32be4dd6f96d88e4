// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bochner/model.h"
#include "options.h"

namespace bochner {

// What commands that learn from rows without a target have in common: which rows, and where the model goes.
struct RowsWords {
  std::string file, output, missing = "mean", precision = "float";
  std::vector<std::string> targets;
  ColumnWords columns;
  std::uint64_t seed = 0;
  RunOptions run;
  FileOptions format;

  void add(CLI::App& app);
  // Checks the output's name and opens the file; targets are left out like ignored columns.
  std::unique_ptr<Rows> open() const;
  bool double_precision() const;
};

// Saves rows -> map as a model that `transform` applies, and says so in a line. report: what the command knows beside
// the rows, inputs and outputs.
void save_map_model(const RowsWords& words, const Rows& rows, const MapPtr& map, Report report, Messages& messages);

}  // namespace bochner
