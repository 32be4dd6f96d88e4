// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "base/require.h"
#include "folds/survey.h"

namespace bochner {

namespace {

// Not inlined: of two side by side g++ 12 makes a pair of vectors on x86-64, and loses the rounding.
__attribute__((noinline)) double nearest_float(double value) { return double(float(value)); }

using Kind = Column::Kind;
constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();

std::vector<std::size_t> places(const std::vector<std::string>& to, const std::vector<std::string>& from) {
  std::unordered_map<std::string, std::size_t> at;
  for (std::size_t i = 0; i < from.size(); ++i) at.emplace(from[i], i);
  std::vector<std::size_t> found;
  for (const std::string& text : to) found.push_back(at.contains(text) ? at[text] : kAbsent);
  return found;
}

// For every input of `to` the input of `from` that holds the same thing, or kAbsent.
std::vector<std::size_t> input_sources(const Schema& from, const Schema& to) {
  std::vector<std::size_t> sources;
  if (to.columns.empty() || to.sparse) {
    for (std::size_t j = 0; j < to.inputs; ++j) sources.push_back(j < from.inputs ? j : kAbsent);
    return sources;
  }
  std::size_t first = 0;  // input of the column in `from`
  for (std::size_t c = 0; c < to.columns.size(); ++c) {
    const Column &before = from.columns[c], &after = to.columns[c];
    const bool given_up = before.kind == Kind::category && after.identifier;  // another part has shown what it is
    require(before.name == after.name && (before.kind == after.kind || given_up),
            "survey: column '{}' is another one now", before.name);
    if (after.kind == Kind::numeric) sources.push_back(first);
    if (after.marked) sources.push_back(before.marked ? first + 1 : kAbsent);
    if (after.kind == Kind::category)
      for (const std::size_t level : places(after.levels, before.levels))
        sources.push_back(level == kAbsent ? kAbsent : first + level);
    first += before.inputs();
  }
  return sources;
}

}  // namespace

Survey Survey::shifted(const std::vector<double>& offsets) const {
  require(offsets.empty() || (offsets.size() == columns_.size() && !schema_.sparse),
          "survey: found {} offsets for {} inputs", offsets.size(), columns_.size());
  Survey survey = *this;
  const auto moved = [&](double value, std::size_t input) {
    return nearest_float(offsets.empty() ? value : value - offsets[input]);
  };
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    ColumnFacts& facts = survey.columns_[j];
    facts.min = moved(facts.min, j);
    facts.max = moved(facts.max, j);
    if (offsets.empty() || offsets[j] == 0) continue;
    facts.nonzero = rows_;  // but for a few that lie at the offset
    facts.indicator = false;
  }
  for (SampledRow& row : survey.sample_)
    for (std::size_t k = 0; k < row.values.size(); ++k)
      row.values[k] = moved(row.values[k], schema_.sparse ? row.columns[k] : k);
  if (!offsets.empty()) {
    survey.schema_.offsets.resize(columns_.size());
    for (std::size_t j = 0; j < columns_.size(); ++j) survey.schema_.offsets[j] += offsets[j];
  }
  return survey;
}

void Survey::shift_targets(const std::vector<double>& offsets) {
  require(offsets.size() == targets_.size() && schema_.task == Task::regression,
          "survey: found {} offsets for {} targets", offsets.size(), targets_.size());
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    if (offsets[k] == 0) continue;
    targets_[k].min -= offsets[k];
    targets_[k].max -= offsets[k];
    targets_[k].nonzero = rows_;
    targets_[k].indicator = false;
  }
  for (SampledRow& row : sample_)
    for (std::size_t k = 0; k < row.targets.size(); ++k) row.targets[k] -= offsets[k];
}

Survey Survey::recoded(const Schema& to) const {
  require(schema_.columns.size() == to.columns.size() && schema_.sparse == to.sparse && schema_.task == to.task &&
              schema_.targets == to.targets,
          "survey: the other schema is of other columns");
  Survey survey(to, seed_, part_);
  survey.rows_ = rows_;
  survey.largest_weight_ = largest_weight_;
  survey.targets_ = targets_;

  const std::vector<std::size_t> sources = input_sources(schema_, to);
  for (std::size_t j = 0; j < sources.size(); ++j)
    if (sources[j] != kAbsent)
      survey.columns_[j] = columns_[sources[j]];
    else if (rows_ > 0 && !to.sparse)
      survey.columns_[j] = {};  // a level these rows do not have: 0 in all of them

  std::vector<double> class_of(schema_.labels.size());  // class before -> class after
  if (to.task == Task::classification) {
    const std::vector<std::size_t> labels = places(schema_.labels, to.labels);
    for (std::size_t c = 0; c < labels.size(); ++c) {
      require(labels[c] != kAbsent || class_rows_[c] == 0, "survey: class '{}' has rows but no place",
              schema_.labels[c]);
      class_of[c] = double(labels[c]);
      if (labels[c] != kAbsent) survey.class_rows_[labels[c]] = class_rows_[c];
    }
    if (rows_ > 0 && !targets_.empty()) {  // targets are class numbers, and those have changed
      ColumnFacts& facts = survey.targets_[0];
      facts = {double(to.labels.size()), 0, 0, true};
      for (std::size_t c = 0; c < to.labels.size(); ++c) {
        if (survey.class_rows_[c] == 0) continue;
        facts.min = std::min(facts.min, double(c));
        facts.max = std::max(facts.max, double(c));
        facts.nonzero += c > 0 ? survey.class_rows_[c] : 0;
        facts.indicator = facts.indicator && c <= 1;
      }
    }
  }

  for (const SampledRow& row : sample_) {
    SampledRow moved = row;
    if (!to.sparse)
      for (moved.values.clear(); const std::size_t source : sources)
        moved.values.push_back(source == kAbsent ? 0.0 : row.values[source]);
    if (to.task == Task::classification)
      for (double& target : moved.targets) target = class_of[std::size_t(target)];
    survey.sample_.push_back(std::move(moved));
  }
  survey.keep_smallest(0);
  return survey;
}

}  // namespace bochner
