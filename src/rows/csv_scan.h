// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <string>

#include "bochner/rows.h"
#include "rows/chunk_reader.h"
#include "rows/csv_layout.h"

namespace bochner {

struct CsvScan {
  Schema schema;
  std::size_t rows = 0;                 // rows that a pass yields
  CellCounts counts = {};               // what a pass saw
  std::vector<std::string> notes = {};  // what was decided that one might not expect
};

// Reads the whole file once and learns what its columns hold; again where a column mixes numbers and text, where the
// decimal turns out to be a comma, or where rows are dropped and what is missing depends on what the columns are.
CsvScan scan_csv(const CsvLayout& layout, const RowsOptions& options, const ChunkSizes& sizes);

}  // namespace bochner
