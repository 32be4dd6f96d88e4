// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/surveyed_rows.h"

#include <algorithm>

#include "choose/offsets.h"
#include "rows/shifted.h"
#include "rows/weighted.h"
#include "run/checkpoint.h"

namespace bochner {

namespace {

constexpr std::size_t kMostRanges = 10000;  // inputs whose ranges a model keeps

}  // namespace

SurveyedRows::SurveyedRows(Rows& rows, std::uint64_t seed, Precision precision, Threads& threads,
                           const Execution& execution)
    : source_(rows),
      seed_(seed),
      precision_(precision),
      threads_(threads),
      execution_(execution),
      current_(&rows),
      survey_(Schema{}, seed) {}  // the rows' own only once there is room for it

void SurveyedRows::keep_in_memory() { cache(source_); }

void SurveyedRows::cache(Rows& rows) {
  cached_.reset();  // the two would take twice the memory
  cached_ = precision_ == Precision::float64 ? cached_rows<double>(rows) : cached_rows<float>(rows);
  current_ = cached_.get();
}

void SurveyedRows::look_over(Checkpoint* checkpoint, Saved saved_digits) {
  const bool keep = checkpoint && !cached_;
  const std::optional<Archive> saved = keep ? checkpoint->take("survey") : std::nullopt;
  survey_ = saved ? Survey::from(*saved) : settled_survey(saved_digits);
  shift(survey_.schema().offsets);
  if (!keep) return;
  Archive result;
  survey_.save(result);
  checkpoint->keep("survey", std::move(result));
}

Survey SurveyedRows::settled_survey(Saved saved) {
  Survey seen = survey_of(Stream(*current_, nullptr, threads_, execution_, precision_));
  if (precision_ == Precision::float64)
    return saved != Saved::values && may_lose_digits(seen) ? seen.shifted(column_offsets(seen, saved)) : seen;
  const auto in_double = [&] { return survey_of(Stream(source_, nullptr, threads_, execution_, Precision::float64)); };
  return settle_offsets(std::move(seen), in_double, saved);
}

void SurveyedRows::shift(const std::vector<double>& offsets) {
  if (offsets == source_.schema().offsets) return;
  current_ = &with_offsets(source_, offsets, shifted_);
  if (cached_) cache(*shifted_);
}

Survey SurveyedRows::survey_of(const Stream& stream) const {
  Survey survey(schema(), seed_);
  if (const auto n = current_->size()) survey.expect(*n);
  survey = stream.fold(std::move(survey), "survey");
  return survey.short_of_rows() ? stream.fold(Survey(schema(), seed_), "survey") : survey;
}

std::vector<double> SurveyedRows::shift_targets() {
  std::vector<double> offsets = precision_ == Precision::float64 ? std::vector<double>() : target_offsets(survey_);
  if (offsets.empty()) return offsets;
  current_ = &with_target_offsets(*current_, offsets, less_targets_);
  survey_.shift_targets(offsets);
  return offsets;
}

void SurveyedRows::weigh_classes(const std::vector<double>& weights) {
  if (weights.empty()) return;
  weighted_ = class_weighted_rows(*current_, weights);
  current_ = weighted_.get();
  survey_ = survey_.reweighted(weights);
}

void SurveyedRows::choose_unit_of_weights() {
  const double unit = survey_.usual_weight();
  if (unit == 1) return;
  in_unit_ = rows_weighed_in(*current_, unit);
  current_ = in_unit_.get();
  survey_.weigh_in(unit);
}

std::vector<std::pair<double, double>> SurveyedRows::input_ranges() const {
  std::vector<std::pair<double, double>> ranges;
  if (schema().inputs > kMostRanges) return ranges;
  for (const Survey::ColumnFacts& facts : survey_.columns())
    ranges.emplace_back(schema().sparse ? std::min(facts.min, 0.0) : facts.min,
                        schema().sparse ? std::max(facts.max, 0.0) : facts.max);
  return ranges;
}

}  // namespace bochner
