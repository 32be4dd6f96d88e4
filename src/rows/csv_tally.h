// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <string>
#include <vector>

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

// What a pass has seen in one column. Parts merge in file order.
struct ColumnTally {
  enum class Mode { skip, numbers, text };  // numbers: count numbers, list the texts; text: list every cell

  Mode mode = Mode::numbers;
  std::size_t numbers = 0;
  std::size_t missing = 0;
  std::size_t texts = 0;
  std::size_t specials = 0;  // nan, inf, too large
  double sum = 0;            // of the numbers
  TextIndex levels;
  std::vector<std::size_t> counts;  // of the levels
  FirstCell first_text, first_special, first_negative;
  bool is_target = false;
  TargetKinds kinds;

  void add_level(std::string_view text);
  void merge(const ColumnTally& part);
  // The most frequent levels (missing cells are the level ""), in the order of their names.
  std::vector<std::string> top_levels(std::size_t most) const;
};

struct CsvTally {
  std::vector<ColumnTally> columns;
  std::size_t rows = 0;
  Complaint complaint;

  void merge(CsvTally& part, const ChunkReader& reader);
};

// Fills an empty tally with the rows of a piece. Under Missing::drop rows with a missing input do not count at all.
void tally_piece(const char* begin, const char* end, const CsvLayout& layout, const std::vector<Column::Kind>& roles,
                 Missing missing, CsvTally& tally);

// For a row with too few or too many cells.
void complain_ragged(const char* row, const CsvLayout& layout, Complaint& complaint);

}  // namespace bochner
