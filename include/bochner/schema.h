// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("people.csv", {.targets = {"income"}});
//   for (const std::string& name : rows->schema().input_names()) std::puts(name.c_str());  // "age", "job=clerk", ...

#include <cstddef>
#include <string>
#include <vector>

namespace bochner {

enum class Task { regression, classification };

// What to do with a missing cell (empty, `?`, `NA`, `NaN`, `null`, ...; see RowsOptions::missing_values).
//   mean   a number is replaced by the mean of training; in a text column it is a level of its own, ""
//   error  refuse the file
//   drop   leave the row out, also where its target or weight is missing
//   mark   as mean, and a column of numbers or dates with missing cells has a second input that is 1 for those cells
//          (Column::marked). A schema then says `mean`, and its columns which of them are marked.
// Without `drop` a missing target or weight is an error. Prediction drops no row: there `drop` acts as `mean`.
enum class Missing { mean, error, drop, mark };

// One column of the file, as training saw it.
struct Column {
  enum class Kind { numeric, category, target, weight, ignored };
  // How dates are written. Year first (2024-03-31, with or without a time) is understood in every column of dates.
  enum class Dates { none, year_first, day_first, month_first };

  std::string name = {};  // the header's, or "x<index>"
  Kind kind = Kind::numeric;
  // category: one indicator input per level; other levels give zeros. numeric: texts of many levels for the automatic
  // machine (RowsOptions::max_levels); the input is the place of the cell's level in this list, from 1; 0: not in it.
  std::vector<std::string> levels = {};
  double fill = 0;            // numeric: stands for a missing cell (the mean of training)
  Dates dates = Dates::none;  // numeric: the cells are dates, taken as days since 1970-01-01 UTC
  bool identifier = false;    // ignored since nearly every row has a text of its own
  bool marked = false;        // numeric: a second input is 1 if the cell is missing, otherwise 0
  bool mixed = false;         // numeric: training had words among the numbers; they count as missing

  std::size_t inputs() const;  // inputs that the cells become: 0 for targets, weights and ignored columns
  bool operator==(const Column&) const = default;
};

// How cells become inputs and targets. Learned in training, saved in the model, applied to new files
// by column name where both have a header, by position otherwise.
struct Schema {
  std::vector<Column> columns = {};  // file order; empty for sparse and for unnamed in-memory rows
  bool header = false;               // the columns' names come from the file
  std::size_t inputs = 0;            // inputs after encoding
  bool sparse = false;               // svmlight: rows come as CSR
  int index_base = 1;                // svmlight: the first index, 0 or 1
  Task task = Task::regression;
  std::vector<std::string> labels = {};  // classification: label of class 0, 1, ...
  std::size_t targets = 0;               // target columns in a block: 0 when the file has none
  Missing missing = Missing::mean;
  std::vector<std::string> missing_values = {};  // texts that mean a missing cell, besides the usual ones
  bool usual_missing = true;                     // whether the usual ones do
  char decimal = '.';                            // csv: between the whole and the rest of a number
  std::size_t max_levels = 256;                  // the most levels a text column may have as inputs
  // Subtracted from the inputs in double before they are rounded, one per input: large numbers that lie close together
  // keep their differences in float. Empty: nothing. Training finds them; rows read by this schema have lost them.
  std::vector<double> offsets = {};

  std::vector<std::string> input_names() const;   // "age", "age is missing", "job=clerk", ...
  std::vector<std::string> target_names() const;  // "price"; "target0" where the file has no names
  bool operator==(const Schema&) const = default;
};

}  // namespace bochner
