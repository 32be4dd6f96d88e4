// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/suggest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace bochner {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c | 0x20) : c; };
  // Rows i - 2, i - 1 and i of the table of Wagner and Fischer.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = lower(a[i - 1]), y = lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y ? 1 : 0)});
      if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::vector<std::string> near_words(std::string_view typed, const std::vector<std::string>& words) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& word : words) {
    const std::size_t distance = edit_distance(typed, word);
    if (3 * distance <= std::max<std::size_t>(3, std::max(typed.size(), word.size())))
      near.emplace_back(distance, word);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> found;
  for (auto& [distance, word] : near) found.push_back(std::move(word));
  return found;
}

std::string suggestion(std::string_view typed, const std::vector<std::string>& words) {
  const std::vector<std::string> near = near_words(typed, words);
  return near.empty() ? "" : "; did you mean '" + near[0] + "'?";
}

}  // namespace bochner
