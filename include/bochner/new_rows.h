// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Model model = Model::load("cars.model");
//   const auto rows = open_rows("new.csv", model.schema());
//   NewRows watched(*rows, model);
//   model.predict(watched);
//   for (const std::string& line : watched.warnings()) std::puts(line.c_str());  // unknown levels, numbers far outside

#include <string>
#include <vector>

#include "bochner/model.h"

namespace bochner {

// Rows on their way to a model, and in what they differ from those it was trained on. A pass-through of rows that were
// read by the model's schema. Like any Rows for one thread at a time.
class NewRows final : public Rows {
 public:
  NewRows(Rows& rows, const Model& model);

  const Schema& schema() const override { return rows_.schema(); }
  void rewind() override;
  bool next(std::size_t max_rows, RowBlock<float>& block) override { return look_at_next(max_rows, block); }
  bool next(std::size_t max_rows, RowBlock<double>& block) override { return look_at_next(max_rows, block); }
  std::optional<std::size_t> size() const override { return rows_.size(); }
  double fraction_read() const override { return rows_.fraction_read(); }
  std::size_t memory_bytes(std::size_t element_bytes) const override { return rows_.memory_bytes(element_bytes); }
  CellCounts counts() const override { return rows_.counts(); }

  // What a person should know of the pass that has just ended, a line each.
  std::vector<std::string> warnings() const;

 private:
  template <class T>
  bool look_at_next(std::size_t max_rows, RowBlock<T>& block);

  Rows& rows_;
  const Model& model_;
  std::vector<std::size_t> watched_;           // inputs whose range is known
  std::vector<double> low_, high_;             // one per input: its range, widened by its width on both sides
  std::vector<std::uint64_t> outside_;         // rows, of each input
  std::uint64_t seen_ = 0, rows_outside_ = 0;  // counts of this pass
};

}  // namespace bochner
