// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/written_number.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace bochner {

namespace {

using Form = WrittenNumber::Form;

constexpr std::array<std::string_view, 9> kCurrencies{"$", "€", "£", "¥", "USD", "EUR", "GBP", "CHF", "JPY"};
constexpr std::size_t kLongestUnit = 6;  // bytes

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool is_currency(std::string_view text) {
  return std::find(kCurrencies.begin(), kCurrencies.end(), text) != kCurrencies.end();
}

// Digits in groups of three behind the first: 1,234,567.
bool grouped(std::string_view digits, char separator) {
  std::size_t group = digits.find(separator);
  if (group == digits.npos || group == 0 || group > 3 || digits[0] == '0') return false;
  while (group != digits.npos) {
    const std::size_t next = digits.find(separator, group + 1);
    if ((next == digits.npos ? digits.size() : next) - group != 4) return false;
    group = next;
  }
  return true;
}

// The part of a number that is made of digits and separators, bare of signs, exponents and units.
Form form_of_digits(std::string_view digits, bool& maybe_thousands) {
  const std::size_t commas = std::size_t(std::count(digits.begin(), digits.end(), ','));
  const std::size_t points = std::size_t(std::count(digits.begin(), digits.end(), '.'));
  for (const char separator : {' ', '\''})
    if (digits.find(separator) != digits.npos)
      return grouped(digits.substr(0, digits.find_first_of(",.")), separator) && commas + points <= 1 ? Form::grouped
                                                                                                      : Form::none;
  if (commas + points == 0) return Form::point;
  if (commas == 0 && points == 1) return Form::point;
  if (commas == 1 && points == 0) {
    maybe_thousands = grouped(digits, ',');
    return digits.size() > 1 && is_digit(digits.back()) ? Form::comma : Form::none;
  }
  const std::size_t comma = digits.rfind(','), point = digits.rfind('.');
  if (points == 0) return grouped(digits, ',') ? Form::grouped : Form::none;
  if (commas == 0) return grouped(digits, '.') ? Form::grouped : Form::none;
  if (point > comma) return points == 1 && grouped(digits.substr(0, point), ',') ? Form::grouped : Form::none;
  return commas == 1 && grouped(digits.substr(0, comma), '.') ? Form::grouped : Form::none;
}

}  // namespace

WrittenNumber written_number(std::string_view text) {
  WrittenNumber result;
  const std::size_t first = text.find_first_of("0123456789");
  if (first == text.npos) return result;
  std::size_t begin = first;
  if (begin > 0 && (text[begin - 1] == '.' || text[begin - 1] == ',')) --begin;
  std::string_view before = text.substr(0, begin);
  if (before.ends_with('-') || before.ends_with('+')) before.remove_suffix(1);  // $-5
  before = trimmed(before);
  if (before.starts_with('-') || before.starts_with('+')) before.remove_prefix(1);  // -$5
  before = trimmed(before);
  if (!before.empty() && !is_currency(before)) return result;

  std::size_t end = begin;
  while (end < text.size() &&
         (is_digit(text[end]) || ((text[end] == ',' || text[end] == '.' || text[end] == '\'' || text[end] == ' ') &&
                                  (end == begin || (end + 1 < text.size() && is_digit(text[end + 1]))))))
    ++end;
  const Form digits = form_of_digits(text.substr(begin, end - begin), result.maybe_thousands);
  if (digits == Form::none) return result;
  std::string_view after = text.substr(end);
  if (after.size() > 1 && (after[0] | 0x20) == 'e') {  // an exponent
    std::size_t p = after[1] == '-' || after[1] == '+' ? 2 : 1;
    const std::size_t power = p;
    while (p < after.size() && is_digit(after[p])) ++p;
    if (p > power) after.remove_prefix(p);
  }
  const bool apart = after.starts_with(' ');
  after = trimmed(after);

  result.affix = before.empty() ? after : before;
  if (!before.empty())
    result.form = after.empty() ? Form::currency : Form::none;
  else if (after.empty())
    result.form = digits;
  else if (after == "%")
    result.form = Form::percent;
  else if (is_currency(after))
    result.form = Form::currency;
  else if (after.size() <= kLongestUnit && after.find_first_of("0123456789-:_#,;()") == after.npos)
    result.form = apart ? Form::unit : Form::suffix;
  return result;
}

}  // namespace bochner
