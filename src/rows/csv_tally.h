// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "rows/cell_rules.h"
#include "rows/csv_layout.h"
#include "rows/labels.h"
#include "rows/text_index.h"
#include "rows/text_rows.h"

namespace bochner {

// The first cell of some sort in a column: a pointer while its chunk is in memory, a place later.
struct FirstCell {
  const char* at = nullptr;
  std::string place;
  std::string text;

  void note(const char* where, std::string_view what) {
    if (!at) at = where, text = shown(what);
  }
};

// Texts of a column that are dates, by the order of day and month that would make them so.
struct DateTally {
  bool possible = true;  // every text so far is a date in one of the orders
  std::size_t year_first = 0, day_first = 0, month_first = 0;
  double day_first_sum = 0, month_first_sum = 0;  // days since 1970-01-01

  void add(std::string_view text);
  void merge(const DateTally& part);
};

// Numbers of a column.
struct NumberTally {
  double sum = 0, low = HUGE_VAL, high = -HUGE_VAL;

  void add(double value) {
    sum += value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void merge(const NumberTally& part) {
    sum += part.sum;
    low = std::min(low, part.low);
    high = std::max(high, part.high);
  }
};

// What a pass has seen in one column. Parts merge in file order.
struct ColumnTally {
  enum class Mode { skip, numbers, text };  // numbers: count numbers, list the texts; text: list every cell

  Mode mode = Mode::numbers;
  std::size_t numbers = 0;
  std::size_t missing = 0;
  std::size_t doubtful = 0;  // "-" and the like: missing if the column is one of numbers, otherwise levels
  std::size_t texts = 0;
  std::size_t specials = 0;  // nan, inf, too large
  NumberTally values;
  TextIndex levels;
  std::vector<std::size_t> counts;  // one for each level
  FirstCell first_text, first_special, first_negative, first_doubtful;
  DateTally dates;
  bool is_target = false;
  TargetKinds kinds;

  void add_level(std::string_view text, std::size_t count = 1);
  void merge(const ColumnTally& part);
  // The most frequent levels (missing cells are the level ""), in the order of their names.
  std::vector<std::string> top_levels(std::size_t most) const;
  // All levels, the most frequent first, ties in the order of their names.
  std::vector<std::string> ranked_levels() const;
  std::size_t level_count() const { return levels.size() + (missing > 0 ? 1 : 0); }
  // Cells that are levels. Fewer than there are where the texts were too many to list.
  std::size_t listed() const;
};

struct CsvTally {
  std::vector<ColumnTally> columns;
  std::size_t rows = 0;
  std::size_t dropped = 0;        // rows left out since a cell is missing
  std::vector<std::size_t> gaps;  // missing cells by column, in the rows left out
  Complaint complaint;

  void merge(CsvTally& part, const ChunkReader& reader);
};

// How a pass takes the cells.
struct TallyRules {
  CellRules cells;
  std::vector<Column::Kind> roles;
  std::vector<Among> among;  // what the columns hold, as far as known: decides whether "-" is missing
  Missing missing = Missing::mean;
  bool missing_targets = false;  // rows without a target may stay
};

// Fills an empty tally with the rows of a piece. Under Missing::drop rows with a missing cell do not count at all.
void tally_piece(const char* begin, const char* end, const CsvLayout& layout, const TallyRules& rules, CsvTally& tally);

// For a missing cell, where the column's role or the policy forbids it. The remedy is for targets and weights.
enum class MissingRemedy { drop_rows, remove_row };
void complain_missing(const char* at, const std::string& name, Column::Kind role, Missing missing, MissingRemedy remedy,
                      Complaint& complaint);

// For a row with too few or too many cells.
void complain_ragged(const char* row, const CsvLayout& layout, Complaint& complaint);

}  // namespace bochner
