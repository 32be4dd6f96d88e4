// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bochner/online.h"
#include "folds/gram.h"
#include "methods/online/row_marks.h"

namespace bochner {

// The sums that stay with a model, and what was chosen beside its schema and maps.
struct KeptSum {
  bool intercept = true, deviation = false;
  double lambda = 0;
  std::vector<double> class_weights;   // empty: all classes weigh the same
  double weight_unit = 1;              // rows weigh their own weight / this
  std::vector<double> target_offsets;  // targets lose them before they are coded; empty: nothing
  std::vector<Choice> choices;
  std::vector<std::string> words;  // what the command was told that made the choices

  GramFold gram;
  std::vector<std::uint64_t> class_rows;  // classification: rows of each class
  std::optional<RowMarks> marks;

  // The same choices over no rows.
  KeptSum like() const;

  void save_choices(Archive& archive) const;
  void save(Archive& archive) const;  // views of this
  // model: whose sum it is; Error::Kind::model if the two do not go together.
  static KeptSum load(const Archive& archive, const Model& model);
  std::string digest() const;  // SHA-256 of the sums and the marks
};

}  // namespace bochner
