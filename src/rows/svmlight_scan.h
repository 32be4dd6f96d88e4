// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bochner/rows.h"
#include "rows/chunk_reader.h"

namespace bochner {

struct SvmlightScan {
  Schema schema;
  std::size_t rows = 0;
  std::size_t nonzeros = 0;
  std::vector<std::string> notes = {};
};

// Reads the whole file once: dimension, index base, labels.
SvmlightScan scan_svmlight(const std::string& path, const RowsOptions& options, const ChunkSizes& sizes);

}  // namespace bochner
