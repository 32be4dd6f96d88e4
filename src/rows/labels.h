// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bochner/schema.h"
#include "rows/text_index.h"

namespace bochner {

inline constexpr std::size_t kFewKinds = 20;  // whole numbers of at most so many kinds are classes by default
inline constexpr std::size_t kMostClasses = 65536;

// The distinct numbers of a target, up to a limit.
class TargetKinds {
 public:
  // none: enough to decide the task.
  explicit TargetKinds(std::optional<Task> task = {}) {
    most_ = !task ? kFewKinds : *task == Task::classification ? kMostClasses : 0;
  }
  void add(double value) { add(value, 1); }
  void merge(const TargetKinds& other);

  bool too_many() const { return too_many_; }
  // Few whole numbers that are no counts.
  bool look_like_classes() const { return whole_ && !too_many_ && kinds_.size() <= kFewKinds && !look_like_counts(); }
  // Whole numbers from 0 up, more than classes mostly are, of which there are the more the nearer they are to one above
  // 0, and hardly any of the largest: the shape of a law of counts, and seldom of codes.
  bool look_like_counts() const;
  std::vector<std::string> labels() const;  // sorted by number
  // A note that the target's numbers look like counts, where nobody says what they are; none where they do not.
  std::vector<std::string> notes(const std::string& target) const;

 private:
  std::size_t most_;
  bool whole_ = true;
  bool too_many_ = false;
  std::vector<double> kinds_;        // ascending
  std::vector<std::uint64_t> rows_;  // rows of each kind
  void add(double value, std::uint64_t rows);
};

// The class of a label: by number where all labels are numbers, by text otherwise.
class LabelIndex {
 public:
  LabelIndex() = default;
  explicit LabelIndex(const std::vector<std::string>& labels);

  static constexpr int kUnknown = -1;
  bool numeric() const { return numeric_; }
  int find(double number) const;
  int find(std::string_view text) const;

 private:
  bool numeric_ = false;
  std::vector<std::pair<double, int>> numbers_;  // ascending
  TextIndex texts_;
};

// Foreign text fit for a message: one line, at most 40 characters.
std::string shown(std::string_view text);
// "a, b, c, ..." for messages.
std::string shortened_list(const std::vector<std::string>& items, std::size_t most = 10);

}  // namespace bochner
