// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rows/cell_rules.h"
#include "rows/csv_cell.h"
#include "rows/labels.h"
#include "rows/row_buffer.h"
#include "rows/text_index.h"
#include "rows/text_rows.h"

namespace bochner {

// What to do with one column of a file.
struct CellPlan {
  Column::Kind kind = Column::Kind::ignored;
  std::size_t slot = 0;  // input (the first one of a category) or target
  double fill = 0;
  Column::Dates dates = Column::Dates::none;
  bool marked = false;           // the next input says whether the cell is missing
  bool mixed = false;            // words count as missing cells
  Among among = Among::nothing;  // decides which spellings of a missing cell count
  TextIndex levels;

  bool is_coded() const { return kind == Column::Kind::numeric && levels.size() > 0; }
  bool is_number() const { return kind == Column::Kind::numeric && dates == Column::Dates::none && !is_coded(); }
  bool is_text() const { return kind == Column::Kind::category || is_coded(); }
};

// Where the cells of one row go.
template <class T>
struct RowPlace {
  T* inputs;
  double* targets;
  double& weight;
  RowBuffer<T>& rows;  // counts what is missing or unknown
};

// What the cells of named columns become, by a schema.
class CsvCells {
 public:
  // match[c]: which column of the schema the column names[c] is; kNoColumn: none.
  CsvCells(const Schema& schema, std::vector<std::string> names, const std::vector<std::size_t>& match,
           const RowsOptions& options);

  const CellRules& rules() const { return rules_; }
  const std::vector<CellPlan>& plans() const { return plans_; }
  const std::vector<Among>& among() const { return among_; }
  std::size_t input_columns() const { return input_columns_; }
  bool encoded() const { return encoded_; }  // some inputs are indicators or marks, 0 unless take() says 1

  // A cell of column c. False after a complaint.
  template <class T>
  bool take(std::size_t c, const CsvCell& cell, RowPlace<T> to, Complaint& complaint) const;

 private:
  // Sets the input of a text's level; false if it has none.
  template <class T>
  static bool put_level(const CellPlan& plan, std::string_view text, T* inputs);
  struct FoundCell {
    CellKind kind;
    double value;
  };
  // A cell of a numeric column, whose inputs begin at `input`.
  template <class T>
  bool take_number(std::size_t c, const CsvCell& cell, FoundCell found, T* input, Complaint& complaint) const;
  std::string number_remedy(std::string_view text) const;
  bool take_target(std::size_t c, const CsvCell& cell, double& target, Complaint& complaint) const;

  std::vector<std::string> names_;
  CellRules rules_;
  Task task_;
  Missing missing_;
  std::size_t max_levels_;
  bool lenient_;  // targets may be missing or unknown: NaN
  LabelIndex labels_;
  std::vector<std::string> label_names_;
  std::vector<CellPlan> plans_;
  std::vector<Among> among_;
  std::size_t input_columns_ = 0;
  bool encoded_ = false;
};

}  // namespace bochner
