// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/near_names.h"

#include <algorithm>
#include <numeric>

#include "rows/labels.h"

namespace bochner {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c | 0x20) : c; }

// Letters to insert, delete, change or swap with their neighbour (optimal string alignment), capital letters alike.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, above, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(above);
    above = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = lower(a[i - 1]), y = lower(b[j - 1]);
      row[j] = std::min({row[j - 1] + 1, above[j] + 1, above[j - 1] + (x != y)});
      if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

bool same_letters(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string near_names(const std::string& wanted, const std::vector<std::string>& names) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(wanted, name);
    if (3 * distance <= std::max<std::size_t>(3, std::max(wanted.size(), name.size())))
      near.emplace_back(distance, name);
  }
  if (near.empty()) return "the columns are " + both_ends(names);
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> close;
  for (const auto& entry : near) close.push_back(entry.second);
  return "did you mean " + shortened_list(close, 5) + "?";
}

std::string both_ends(const std::vector<std::string>& names) {
  constexpr std::size_t kFirst = 12, kLast = 8;
  if (names.size() <= kFirst + kLast) return shortened_list(names, kFirst + kLast);
  return shortened_list(names, kFirst) + ", " +
         shortened_list({names.end() - std::ptrdiff_t(kLast), names.end()}, kLast);
}

}  // namespace bochner
