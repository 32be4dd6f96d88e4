// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace bochner {

namespace number_detail {

// Powers of ten that are exact: 10^22 < 2^53 * 2^22 and 10^10 < 2^24 * 2^10.
inline constexpr double kTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Any number by std::from_chars; null when its magnitude is beyond T.
template <class T>
const char* parse_hard(const char* begin, const char* end, T& value, char point);

}  // namespace number_detail

// Parses the decimal number at p, rounded to nearest, and returns the first character behind it; null when there is
// none or when it is too large for T. Grammar: [+-] digits [. digits] [e [+-] digits], either side of the point may be
// empty; `point` may be a comma instead. Never reads past the first character that cannot belong to a number, so the
// text needs a newline at its end.
//
// Clinger's fast path (PLDI 1990): m <= 2^53 and 10^|e|, |e| <= 22, are exact doubles, so one multiplication or
// division rounds once. A float is the rounded double rounded again, which differs from rounding once only if the
// double lies half way between two floats; those go to from_chars.
template <class T>
inline const char* parse_number(const char* p, T& value, char point = '.') {
  const char* const begin = p;
  const bool negative = *p == '-';
  p += negative || *p == '+';
  std::uint64_t m = 0;
  const auto take_digits = [&] {
    for (unsigned digit; (digit = static_cast<unsigned char>(*p - '0')) < 10; ++p) m = 10 * m + digit;
  };
  const char* const whole = p;
  take_digits();
  std::int64_t digits = p - whole;
  std::int64_t exponent = 0;
  if (*p == point) {
    const char* const fraction = ++p;
    take_digits();
    exponent = fraction - p;
    digits -= exponent;
  }
  if (digits == 0) return nullptr;
  if ((*p | 0x20) == 'e') {
    const char* q = p + 1;
    const bool down = *q == '-';
    q += down || *q == '+';
    std::int64_t e = 0;
    const char* const first = q;
    for (unsigned digit; (digit = static_cast<unsigned char>(*q - '0')) < 10; ++q)
      if (e < 100000) e = 10 * e + digit;
    if (q != first) {
      exponent += down ? -e : e;
      p = q;
    }
  }
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  if (digits <= 19 && m <= kExact && exponent >= -22 && exponent <= 22) {
    double v = static_cast<double>(m);
    if (exponent < 0) v /= number_detail::kTen[-exponent];
    if (exponent > 0) v *= number_detail::kTen[exponent];
    constexpr std::uint64_t kBelowFloat = (std::uint64_t{1} << 29) - 1;
    if (std::is_same_v<T, double> || (std::bit_cast<std::uint64_t>(v) & kBelowFloat) != (kBelowFloat + 1) / 2) {
      value = static_cast<T>(negative ? -v : v);
      return p;
    }
  }
  return number_detail::parse_hard(begin, p, value, point);
}

// parse_number with a constant either way, which is faster than with a variable.
template <class T>
inline const char* parse_decimal(const char* p, T& value, char point) {
  return point == '.' ? parse_number(p, value, '.') : parse_number(p, value, ',');
}

// What a trimmed cell holds.
enum class CellKind { missing, number, special, text };  // special: nan, inf or beyond double

// A text that is not missing: cell_rules.h knows which are.
CellKind classify(std::string_view text, double& value, char point = '.');

// A number as a label: 1, "+1" and "1.0" are all "1".
std::string number_label(double value);

}  // namespace bochner
