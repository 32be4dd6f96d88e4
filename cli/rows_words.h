// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bochner/model.h"
#include "feature_words.h"
#include "options.h"

namespace bochner {

// What commands that learn from rows without a target have in common: which rows, and where the model goes.
struct RowsWords {
  std::string file, output, missing = "mean", precision = "float", weights;
  std::vector<std::string> targets;
  ColumnWords columns;
  std::uint64_t seed = 0;
  bool json = false;
  RunOptions run;
  FileOptions format;

  void add(Command& app);
  // Checks the output's name and opens the file; targets are left out like ignored columns.
  std::unique_ptr<Rows> open() const;
  bool double_precision() const;
  // Saves the model; with --json, prints what it holds.
  void save(const Model& model) const;

 protected:
  friend struct MappedWords;
  void add_file(Command& app);
  void add_columns(Command& app, const std::string& target_help);
  RowsOptions reading() const;
};

// The same for commands that learn from features of the rows: how they become features besides.
struct MappedWords : FeatureWords {
  // What the command does with --target.
  enum class Targets { none, optional, required };

  RowsWords rows;  // its seed and precision are not used
  std::string task;
  Targets kind = Targets::none;
  bool takes_weights = true;     // set it before add()
  bool missing_targets = false;  // rows without one may stay

  MappedWords() { map = "none"; }
  // target_help: of --target; empty: a column that is no input.
  void add(Command& app, Targets targets = Targets::none, const std::string& target_help = "");
  // Checks the words and the output's name, and opens the file.
  std::unique_ptr<Rows> open() const;
  FeatureOptions options(Messages& messages) const;
};

// Saves rows -> map as a model that `transform` applies, and says so in a line. report: what the command knows beside
// the rows, inputs and outputs.
void save_map_model(const RowsWords& words, const Rows& rows, const MapPtr& map, Report report, Messages& messages);

}  // namespace bochner
