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
  std::size_t rows = 0;  // rows that a pass yields
};

// Reads the whole file once (twice where a column mixes numbers and text) and learns what its columns hold.
CsvScan scan_csv(const CsvLayout& layout, const RowsOptions& options, const ChunkSizes& sizes);

}  // namespace bochner
