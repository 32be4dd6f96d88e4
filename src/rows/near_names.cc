// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/near_names.h"

#include <algorithm>

#include "bochner/suggest.h"
#include "rows/labels.h"

namespace bochner {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c | 0x20) : c; }

}  // namespace

bool same_letters(const std::string& a, const std::string& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string near_names(const std::string& wanted, const std::vector<std::string>& names) {
  const std::vector<std::string> near = near_words(wanted, names);
  if (near.empty()) return "the columns are " + both_ends(names);
  return "did you mean " + shortened_list(near, 5) + "?";
}

std::string both_ends(const std::vector<std::string>& names) {
  constexpr std::size_t kFirst = 12, kLast = 8;
  if (names.size() <= kFirst + kLast) return shortened_list(names, kFirst + kLast);
  return shortened_list(names, kFirst) + ", " +
         shortened_list({names.end() - std::ptrdiff_t(kLast), names.end()}, kLast);
}

}  // namespace bochner
