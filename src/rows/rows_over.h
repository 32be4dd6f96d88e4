// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/rows.h"

namespace bochner {

// The rows of another source, each in its place, with something about them changed: next() is what a class of these
// defines.
class RowsOver : public Rows {
 public:
  explicit RowsOver(Rows& rows) : rows_(rows) {}

  const Schema& schema() const override { return rows_.schema(); }
  void rewind() override { rows_.rewind(); }
  std::optional<std::size_t> size() const override { return rows_.size(); }
  double fraction_read() const override { return rows_.fraction_read(); }
  std::size_t memory_bytes(std::size_t element_bytes) const override { return rows_.memory_bytes(element_bytes); }
  std::vector<std::string> notes() const override { return rows_.notes(); }
  CellCounts counts() const override { return rows_.counts(); }
  std::size_t first_row() const override { return rows_.first_row(); }
  bool seek(std::size_t row) override { return rows_.seek(row); }

 protected:
  Rows& rows_;
};

}  // namespace bochner
