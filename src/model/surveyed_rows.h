// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <vector>

#include "bochner/rows.h"
#include "choose/offsets.h"
#include "folds/survey.h"
#include "run/stream.h"

namespace bochner {

// Rows as the passes of a training see them: in memory where they are kept, less offsets where rounding would lose what
// tells them apart, their weights about 1; and what one look over them told.
class SurveyedRows {
 public:
  // rows: numbered from 0. rows, threads and execution must outlive it.
  SurveyedRows(Rows& rows, std::uint64_t seed, Precision precision, Threads& threads, const Execution& execution);

  void keep_in_memory();  // takes effect now; several passes over rows that fit are best made there
  bool kept() const { return cached_ != nullptr; }
  // The look, and from here on the rows lose the offsets that it found. checkpoint: keeps the survey where another look
  // would mean another reading of the file; may be null.
  void look_over(Checkpoint* checkpoint = nullptr, Saved saved = Saved::values);
  // Targets far from zero lose an offset from here on, one per target; empty: none does.
  std::vector<double> shift_targets();
  void weigh_classes(const std::vector<double>& weights);  // one per class; none: as they are
  // Only how weights compare matters. About 1 they suit every penalty, search and float behind.
  void choose_unit_of_weights();

  Rows& rows() const { return *current_; }
  const Schema& schema() const { return current_->schema(); }
  const Survey& survey() const { return survey_; }
  void forget_sample() { survey_.forget_sample(); }
  // The range of each input, for warnings about new rows; it includes the zeros of sparse rows. Empty: too many to
  // keep.
  std::vector<std::pair<double, double>> input_ranges() const;

 private:
  Survey settled_survey(Saved saved);
  void cache(Rows& rows);
  void shift(const std::vector<double>& offsets);
  Survey survey_of(const Stream& stream) const;

  Rows& source_;
  std::uint64_t seed_;
  Precision precision_;
  Threads& threads_;
  const Execution& execution_;
  Rows* current_;
  std::unique_ptr<Rows> shifted_, cached_, less_targets_, weighted_, in_unit_;
  Survey survey_;
};

}  // namespace bochner
