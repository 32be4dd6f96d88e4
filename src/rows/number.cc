// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace bochner {

namespace number_detail {

namespace {

// Whether a number that from_chars calls out of range is too large (rather than too small): the power of ten of its
// first digit that is not zero.
bool too_large(const char* begin, const char* end) {
  std::int64_t power = 0;
  bool seen = false, point = false;
  const char* p = begin;
  for (; p < end && (*p | 0x20) != 'e'; ++p) {
    if (*p == '.') {
      point = true;
    } else {
      seen = seen || (*p >= '1' && *p <= '9');
      if (seen && !point) ++power;
      if (!seen && point) --power;
    }
  }
  if (p < end) {
    ++p;
    const bool down = *p == '-';
    p += down || *p == '+';
    std::int64_t e = 0;
    for (; p < end; ++p)
      if (e < 1000000000) e = 10 * e + (*p - '0');
    power += down ? -e : e;
  }
  return power > 0;
}

}  // namespace

template <class T>
const char* parse_hard(const char* begin, const char* end, T& value, char point) {
  if (point != '.') {
    std::string text(begin, end);
    if (const std::size_t at = text.find(point); at != text.npos) text[at] = '.';
    return parse_hard(text.data(), text.data() + text.size(), value, '.') ? end : nullptr;
  }
  const char* const number = *begin == '+' ? begin + 1 : begin;
  const auto [stop, error] = std::from_chars(number, end, value);
  if (error == std::errc{}) return stop == end ? end : nullptr;
  if (error != std::errc::result_out_of_range) return nullptr;
  const bool negative = *number == '-';
  if (too_large(number + negative, end)) return nullptr;
  value = negative ? -T{0} : T{0};
  return end;
}

template const char* parse_hard(const char*, const char*, float&, char);
template const char* parse_hard(const char*, const char*, double&, char);

}  // namespace number_detail

namespace {

bool same_word(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((text[i] | 0x20) != lower[i]) return false;
  return true;
}

// Whether the text has the grammar of a number, whatever its size.
bool looks_like_number(const char* p, char point) {
  p += *p == '-' || *p == '+';
  bool digits = false;
  const auto take = [&] {
    for (; *p >= '0' && *p <= '9'; ++p) digits = true;
  };
  take();
  if (*p == point) ++p, take();
  if (!digits) return false;
  if ((*p | 0x20) == 'e') {
    ++p;
    p += *p == '-' || *p == '+';
    digits = false;
    take();
  }
  return digits && *p == '\0';
}

}  // namespace

CellKind classify(std::string_view text, double& value, char point) {
  if (text.empty()) return CellKind::text;
  const std::string_view word = text[0] == '-' || text[0] == '+' ? text.substr(1) : text;
  if (word.empty() ||
      !(word[0] == point || (word[0] >= '0' && word[0] <= '9') || (word[0] | 0x20) == 'n' || (word[0] | 0x20) == 'i'))
    return CellKind::text;
  const std::string ended(text);  // parse_number wants a character behind the number
  if (const char* end = parse_number(ended.c_str(), value, point); end == ended.c_str() + ended.size())
    return CellKind::number;
  if (same_word(word, "nan") || same_word(word, "inf") || same_word(word, "infinity")) return CellKind::special;
  return looks_like_number(ended.c_str(), point) ? CellKind::special : CellKind::text;
}

std::string number_label(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

}  // namespace bochner
