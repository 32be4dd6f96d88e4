// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

#include "bochner/rows.h"

namespace bochner {

// The times of rows by their cells in a column: numbers as they are, dates as days since 1970-01-01.
class TimeCells {
 public:
  // cells: of one column, which a reader of rows by this schema fills.
  TimeCells(KeptCells& cells, const Schema& schema) : cells_(cells), schema_(schema) {}

  // The time of the next row, which is used up. Error::Kind::data if it is neither; row: its number, for the message.
  double next(std::uint64_t row);

 private:
  KeptCells& cells_;
  const Schema& schema_;
};

}  // namespace bochner
