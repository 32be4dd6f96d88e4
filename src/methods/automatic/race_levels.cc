// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <numeric>

#include "methods/automatic/race.h"
#include "random/draw.h"
#include "rows/column_inputs.h"

namespace bochner {

namespace {

constexpr std::size_t kLevelParts = 10;      // parts of the rows, each of which the others tell of
constexpr std::uint64_t kLevelPartDraw = 4;  // the parts' draw among those that split rows

constexpr std::size_t kMostTold = 16;  // targets whose means enter

// The targets whose means enter: of many classes the most frequent.
std::vector<std::size_t> told_targets(const TargetCode& code, std::span<const std::uint64_t> class_rows) {
  std::vector<std::size_t> told(code.columns());
  std::iota(told.begin(), told.end(), std::size_t{0});
  if (told.size() <= kMostTold) return told;
  if (code.task == Task::classification)
    std::stable_sort(told.begin(), told.end(),
                     [&](std::size_t a, std::size_t b) { return class_rows[a] > class_rows[b]; });
  told.resize(kMostTold);
  std::sort(told.begin(), told.end());
  return told;
}

// run(row of the block, its number, its codes: one per coded input)
template <class Run>
void each_code(const Stream& rows, std::span<const std::size_t> inputs, const Run& run) {
  rows.each("levels", [&](const auto& block) {
    std::vector<std::uint32_t> codes(inputs.size());
    for (std::size_t i = 0; i < block.rows; ++i) {
      for (std::size_t j = 0; j < inputs.size(); ++j)
        codes[j] = std::uint32_t(std::max(0.0, double(block.values[i * block.stride + inputs[j]])));
      run(block, i, codes);
    }
  });
}

}  // namespace

std::vector<LevelColumn> level_columns(const Stream& rows, const TargetCode& code,
                                       std::span<const std::uint64_t> class_rows) {
  const std::vector<std::size_t> levels = coded_levels(rows.schema()), told = told_targets(code, class_rows);
  std::vector<std::size_t> inputs;
  std::vector<LevelSums> sums;
  for (std::size_t j = 0; j < levels.size(); ++j) {
    if (levels[j] == 0) continue;
    inputs.push_back(j);
    sums.emplace_back(levels[j], told.size());
  }
  if (inputs.empty()) return {};
  std::vector<double> y(told.size());
  each_code(rows, inputs, [&](const auto& block, std::size_t i, std::span<const std::uint32_t> codes) {
    const double* target = block.targets + i * block.target_count;
    for (std::size_t k = 0; k < told.size(); ++k) y[k] = double(float(code.encode(target, told[k])));
    for (std::size_t j = 0; j < codes.size(); ++j)
      sums[j].add(std::min<std::size_t>(codes[j], sums[j].levels()), y.data(), block.weights ? block.weights[i] : 1.0);
  });
  std::vector<LevelColumn> columns;
  for (std::size_t j = 0; j < inputs.size(); ++j) {
    sums[j].settle();
    columns.push_back(level_column(sums[j], told));
    columns.back().input = inputs[j];
  }
  return columns;
}

std::vector<LevelColumn> with_codes(std::vector<LevelColumn> columns, const Stream& raced, std::size_t count) {
  if (columns.empty()) return columns;
  std::vector<std::size_t> inputs;
  for (LevelColumn& column : columns) {
    inputs.push_back(column.input);
    column.codes.assign(count, 0);
  }
  each_code(raced, inputs, [&](const auto& block, std::size_t i, std::span<const std::uint32_t> codes) {
    for (std::size_t j = 0; j < columns.size(); ++j)
      columns[j].codes[block.first + i] = std::min(codes[j], std::uint32_t(columns[j].column.levels()));
  });
  return columns;
}

// Each fold has inputs of its own, made of the rows that it learns from; a refit has those made of all rows.
void RaceRows::enter_levels(std::span<const LevelColumn> levels, std::uint64_t seed) {
  if (levels.empty()) return;
  std::vector<std::uint32_t> parts;
  for (std::size_t i = 0; i < x_.rows(); ++i) {
    const std::uint64_t kin = kin_.empty() ? i : kin_[i];  // rows that belong together tell nothing of each other
    parts.push_back(std::uint32_t(uniform(seed, Draw::split, kin, kLevelPartDraw) * double(kLevelParts)));
  }
  for (RaceFold& fold : folds_) {
    fold.x = x_;
    for (const LevelColumn& column : levels)
      bochner::enter_levels(column, {y_.view(), weights_, parts, fold.machine.held}, fold.x.view());
    fold.machine.rows.x = std::as_const(fold.x).view();
    fold.machine.all = {std::as_const(x_).view(), std::as_const(y_).view(), weights_, kin_};
  }
  for (const LevelColumn& column : levels) bochner::enter_levels(column, {y_.view(), weights_, parts, {}}, x_.view());
}

std::unique_ptr<Rows> RaceRows::encoded(const FlowRows& rows, const Schema& of_file) const {
  Schema schema;
  schema.inputs = rows.x.cols;
  schema.task = of_file.task;
  schema.labels = of_file.labels;
  schema.targets = targets_.cols();
  return memory_rows<float>(rows.x, targets_.view(), schema, rows.weights.empty() ? nullptr : rows.weights.data());
}

}  // namespace bochner
