// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>
#include <vector>

#include "bochner/schema.h"
#include "rows/column_kind.h"
#include "rows/csv_tally.h"

namespace bochner {

// The lines in which a scan says what it decided. A table of many columns gets the first few of each sort.
class ScanNotes {
 public:
  void decimal_comma(const std::vector<std::string>& columns);
  void columns(const std::vector<ColumnKind>& kinds);
  void repeated(const std::vector<std::string>& names);  // that several inputs have
  void missing(const Schema& schema, const CsvTally& tally);
  void encoding(const Schema& schema);

  std::vector<std::string> lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
};

// What a schema alone tells of its columns: identifiers, dates and the decimal. For trainings that scan no file.
std::vector<std::string> schema_notes(const Schema& schema);

}  // namespace bochner
