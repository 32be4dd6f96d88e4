// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bochner/rows.h"
#include "rows/columns.h"

namespace bochner {

// What the first rows of a CSV file tell: its delimiter, whether it has a header, and its columns.
struct CsvLayout {
  char delimiter = ',';
  bool header = false;
  ColumnNames names;

  std::size_t columns() const { return names.names.size(); }
  // Where the data begin in the first chunk of the file.
  const char* skip_header(const char* begin) const;
};

// For training. The first line is a header where a column has text there and only numbers below, where an option names
// one of its cells, or, in a file of text alone, where none of its cells comes again below.
CsvLayout csv_layout(const std::string& path, const RowsOptions& options);

// For a model: the first line is a header where it holds a column's name, or text in a column of numbers.
CsvLayout csv_layout(const std::string& path, const RowsOptions& options, const Schema& schema);

}  // namespace bochner
