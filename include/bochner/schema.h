// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bochner {

enum class Task { regression, classification };

// What to do with a missing cell (empty, `?` or `NA`) of an input.
//   mean   a number is replaced by the mean of training; in a text column it is a level of its own, ""
//   error  refuse the file
//   drop   leave the row out
// A missing target or weight is always an error. Prediction drops no row: there `drop` acts as `mean`.
enum class Missing { mean, error, drop };

// One column of the file, as training saw it.
struct Column {
  enum class Kind { numeric, category, target, weight, ignored };

  std::string name = {};  // from the header, or "x<index>"
  Kind kind = Kind::numeric;
  std::vector<std::string> levels = {};  // category: one indicator input per level; other levels give zeros
  double fill = 0;                       // numeric: stands for a missing cell (the mean of training)

  bool operator==(const Column&) const = default;
};

// How cells become inputs and targets. Learned in training, saved in the model, applied to new files
// by column name where both have a header, by position otherwise.
struct Schema {
  std::vector<Column> columns = {};  // in file order; empty for sparse and for unnamed in-memory rows
  bool header = false;               // the columns' names come from the file
  std::size_t inputs = 0;            // inputs after encoding
  bool sparse = false;               // svmlight: rows come as CSR
  int index_base = 1;                // svmlight: the first index, 0 or 1
  Task task = Task::regression;
  std::vector<std::string> labels = {};  // classification: label of class 0, 1, ...
  std::size_t targets = 0;               // target columns in a block: 0 when the file has none
  Missing missing = Missing::mean;

  std::vector<std::string> input_names() const;  // "age", "job=clerk", ...
  bool operator==(const Schema&) const = default;
};

}  // namespace bochner
