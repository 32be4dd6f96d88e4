// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/labels.h"

#include <algorithm>
#include <cmath>

#include "bochner/visible_text.h"
#include "rows/number.h"

namespace bochner {

void TargetKinds::add(double value) {
  if (too_many_) return;
  if (value != std::floor(value)) whole_ = false;
  const auto at = std::lower_bound(kinds_.begin(), kinds_.end(), value);
  if (at != kinds_.end() && *at == value) return;
  if (kinds_.size() == most_) {
    too_many_ = true;
    return;
  }
  kinds_.insert(at, value == 0 ? 0.0 : value);
}

void TargetKinds::merge(const TargetKinds& other) {
  for (const double value : other.kinds_) add(value);
  whole_ = whole_ && other.whole_;
  too_many_ = too_many_ || other.too_many_;
}

std::vector<std::string> TargetKinds::labels() const {
  std::vector<std::string> labels;
  for (const double value : kinds_) labels.push_back(number_label(value));
  return labels;
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
