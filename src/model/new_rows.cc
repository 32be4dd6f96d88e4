// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/new_rows.h"

#include <algorithm>
#include <limits>

#include "base/require.h"
#include "rows/labels.h"

namespace bochner {

namespace {

constexpr double kManyMore = 2,
                 kFewCells = 0.05;  // missing cells: so many times the share of training, and so much more

}  // namespace

NewRows::NewRows(Rows& rows, const Model& model) : rows_(rows), model_(model) {
  const auto& ranges = model.report().input_ranges;
  if (ranges.size() != rows.schema().inputs || rows.schema().offsets != model.schema().offsets) return;
  const double everything = std::numeric_limits<double>::infinity();
  low_.assign(ranges.size(), -everything);
  high_.assign(ranges.size(), everything);
  outside_.assign(ranges.size(), 0);
  for (std::size_t j = 0; j < ranges.size(); ++j) {
    const auto [low, high] = ranges[j];
    if (!(high > low)) continue;  // constants are left out, whatever they become
    low_[j] = low - (high - low);
    high_[j] = high + (high - low);
    watched_.push_back(j);
  }
}

void NewRows::rewind() {
  rows_.rewind();
  seen_ = rows_outside_ = 0;
  std::fill(outside_.begin(), outside_.end(), 0);
}

template <class T>
bool NewRows::look_at_next(std::size_t max_rows, RowBlock<T>& block) {
  if (!rows_.next(max_rows, block)) return false;
  seen_ += block.rows;
  if (watched_.empty()) return true;
  for (std::size_t i = 0; i < block.rows; ++i) {
    bool any = false;
    const auto look = [&](std::size_t input, double value) {
      const bool beyond = value < low_[input] || value > high_[input];
      outside_[input] += beyond;
      any |= beyond;
    };
    if (block.sparse())
      for (std::size_t p = block.offsets[i]; p < block.offsets[i + 1]; ++p)
        look(block.columns[p], double(block.values[p]));
    else
      for (const std::size_t j : watched_) look(j, double(block.values[i * block.stride + j]));
    rows_outside_ += any;
  }
  return true;
}

std::vector<std::string> NewRows::warnings() const {
  std::vector<std::string> lines;
  const CellCounts cells = rows_.counts();
  if (cells.unknown_rows > 0)
    lines.push_back(fmt::format("{} of {} rows have levels never seen in training: {}{}", cells.unknown_rows, seen_,
                                shown(cells.unknown), cells.unknown_rows > 1 ? ", ..." : ""));
  if (rows_outside_ > 0) {
    const auto most = std::max_element(outside_.begin(), outside_.end());
    const auto inputs = std::count_if(outside_.begin(), outside_.end(), [](std::uint64_t n) { return n > 0; });
    lines.push_back(
        fmt::format("{} of {} rows lie outside the training range of {}{} by more than its width", rows_outside_, seen_,
                    shown(model_.schema().input_names()[std::size_t(most - outside_.begin())]),
                    inputs > 1 ? fmt::format(" or {} other input{}", inputs - 1, inputs > 2 ? "s" : "") : ""));
  }
  if (cells.cells > 0) {
    const double share = double(cells.missing) / double(cells.cells), before = model_.report().missing_share;
    if (share > kManyMore * before && share > before + kFewCells)
      lines.push_back(
          fmt::format("{:.1f} % of the inputs are missing, {:.1f} % were in training", 100 * share, 100 * before));
  }
  return lines;
}

template bool NewRows::look_at_next(std::size_t, RowBlock<float>&);
template bool NewRows::look_at_next(std::size_t, RowBlock<double>&);

}  // namespace bochner
