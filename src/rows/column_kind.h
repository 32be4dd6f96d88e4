// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <string>

#include "rows/cell_rules.h"
#include "rows/csv_tally.h"
#include "rows/written_number.h"

namespace bochner {

// Levels of a text column that are indicators if the automatic machine is to learn from it; a column of more is coded.
constexpr std::size_t kMostIndicators = 256;
// Inputs that the machine takes.
constexpr std::size_t kMostEncoded = 2000;

// What a column of inputs is, from what a scan has seen in it.
struct ColumnKind {
  Column::Kind kind = Column::Kind::numeric;
  Column::Dates dates = Column::Dates::none;
  double mean = 0;           // for numbers and dates
  bool mixed = false;        // numbers with words among them
  std::string note = {};     // what one might not expect of it
  std::string refusal = {};  // why it cannot be used as it is, with place and remedy; empty: it can
};

// A column is one of
//   numbers      no text in it, but for spellings of missing cells and words that come again, as "other" may
//   dates        every text is one
//   identifiers  nearly every cell has a text of its own: ignored
//   categories   other text, and numbers among text that look like codes
// and refused where it is mostly numbers with text that looks like a mistake, or numbers in a writing that is not read.
// `listed`: the same column with all of its cells as levels, where it has both numbers and text; otherwise the same.
ColumnKind find_kind(const ColumnTally& column, const ColumnTally& listed, const std::string& name,
                     const CellRules& rules, const RowsOptions& options);

// The order in which nearly all texts of the column are dates; none: they are not. `ambiguous`: they are in two.
Column::Dates find_dates(const ColumnTally& column, const RowsOptions& options, bool& ambiguous);

// Numbers written for people: the form that nine of ten text cells have, and what to write instead.
struct WrittenColumn {
  WrittenNumber::Form form = WrittenNumber::Form::none;
  std::string affix = {};
  std::size_t kinds = 0;         // different texts
  bool same = false;             // all of them have that form
  bool maybe_thousands = false;  // comma: every one could be thousands
  std::string remedy() const;    // "write it without '%'"
  bool amount() const { return WrittenNumber{form}.amount(); }
};
std::optional<WrittenColumn> find_written(const ColumnTally& column, const CellRules& rules);

}  // namespace bochner
