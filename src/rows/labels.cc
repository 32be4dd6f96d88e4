// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/option.h"
#include "bochner/visible_text.h"
#include "rows/number.h"

namespace bochner {

void TargetKinds::add(double value, std::uint64_t rows) {
  if (too_many_) return;
  if (value != std::floor(value)) whole_ = false;
  const auto at = std::lower_bound(kinds_.begin(), kinds_.end(), value);
  const auto place = at - kinds_.begin();
  if (at != kinds_.end() && *at == value) {
    rows_[std::size_t(place)] += rows;
    return;
  }
  if (kinds_.size() == most_) {
    too_many_ = true;
    return;
  }
  kinds_.insert(at, value == 0 ? 0.0 : value);
  rows_.insert(rows_.begin() + place, rows);
}

void TargetKinds::merge(const TargetKinds& other) {
  for (std::size_t i = 0; i < other.kinds_.size(); ++i) add(other.kinds_[i], other.rows_[i]);
  whole_ = whole_ && other.whole_;
  too_many_ = too_many_ || other.too_many_;
}

bool TargetKinds::look_like_counts() const {
  constexpr std::size_t kFewCounts = 7;
  constexpr double kDoubt = 3, kRare = 0.1;
  if (!whole_ || too_many_ || kinds_.size() < kFewCounts || kinds_[0] != 0 || kinds_.back() > 2 * double(kinds_.size()))
    return false;
  const std::size_t mode = std::size_t(std::max_element(rows_.begin(), rows_.end()) - rows_.begin());
  // Whether there are fewer of one than of another, or as many as chance allows.
  const auto fewer = [&](std::size_t one, std::size_t another, double doubt) {
    const double a = double(rows_[one]), b = double(rows_[another]);
    return a - b <= doubt * std::sqrt(a + b);
  };
  for (std::size_t i = 1; i < rows_.size(); ++i)
    if (!(i <= mode ? fewer(i - 1, i, kDoubt) : fewer(i, i - 1, kDoubt))) return false;
  return mode > 0 && fewer(0, mode, -kDoubt) && double(rows_.back()) <= kRare * double(rows_[mode]);
}

std::vector<std::string> TargetKinds::labels() const {
  std::vector<std::string> labels;
  for (const double value : kinds_) labels.push_back(number_label(value));
  return labels;
}

std::vector<std::string> TargetKinds::notes(const std::string& target) const {
  if (!look_like_counts()) return {};
  return {fmt::format("target {}: whole numbers as frequent as counts are, taken as numbers; {} takes them as classes",
                      target, spelled(Option::task, "classification"))};
}

LabelIndex::LabelIndex(const std::vector<std::string>& labels) : texts_(labels) {
  numeric_ = !labels.empty();
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double value = 0;
    if (classify(labels[i], value) != CellKind::number) numeric_ = false;
    numbers_.emplace_back(value, int(i));
  }
  std::sort(numbers_.begin(), numbers_.end());
}

int LabelIndex::find(double number) const {
  const auto at =
      std::lower_bound(numbers_.begin(), numbers_.end(), number,
                       [](const std::pair<double, int>& entry, double value) { return entry.first < value; });
  return numeric_ && at != numbers_.end() && at->first == number ? at->second : kUnknown;
}

int LabelIndex::find(std::string_view text) const {
  const std::uint32_t found = texts_.find(text);
  return found == TextIndex::kNone ? kUnknown : int(found);
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  if (text.size() <= kMost) return one_line(text);
  std::size_t end = kMost;  // not within a character of UTF-8
  while (end + 4 > kMost && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return one_line(text.substr(0, end)) + "...";
}

std::string shortened_list(const std::vector<std::string>& items, std::size_t most) {
  std::string list;
  for (std::size_t i = 0; i < items.size() && i < most; ++i) list += (i ? ", " : "") + shown(items[i]);
  if (items.size() > most) list += ", ...";
  return list;
}

}  // namespace bochner
