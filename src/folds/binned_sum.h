// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/wrapped.h"

namespace bochner {

// A sum of doubles that is the same to the bit in any order and any grouping, with no bound known before.
// Demmel & Nguyen, Fast reproducible floating-point summation, 2013: a number is cut into digits of base 2^32 at fixed
// exponents, which are counted as integers; the four highest places are kept, 96 bits and more below the largest
// addend. Which digits a number has in those places depends on nothing else, so additions commute. 2^31 of them fit.
class BinnedSum {
 public:
  static constexpr int kPlaces = 4;
  static constexpr int kNone = -1000;  // the highest place of a sum of zeros

  void add(double value) {
    if (value == 0) return;
    if (!(std::abs(value) < kMost)) value = std::copysign(kMost, value);  // squares that overflowed
    // value = +-mantissa 2^exponent, the mantissa of 53 bits: by its bits, or where it is subnormal by its logarithm.
    const auto bits = std::bit_cast<std::uint64_t>(value);
    auto mantissa = std::int64_t((bits & ((std::uint64_t(1) << 52) - 1)) | (std::uint64_t(1) << 52));
    int exponent = int(bits >> 52 & 0x7ff) - 1075;
    if (exponent == -1075) {
      mantissa = std::int64_t(std::ldexp(std::frexp(std::abs(value), &exponent), 53));
      exponent -= 53;
    }
    exponent += kShift;  // >= 0 for every double but the smallest, whose lowest bits are zero
    const int place = exponent / 32;
    const unsigned __int128 wide = static_cast<unsigned __int128>(mantissa) << (exponent % 32);
    const std::int64_t sign = value < 0 ? -1 : 1;
    int highest = place + 2;
    while (digit(wide, highest - place) == 0) --highest;
    raise(highest);
    for (int p = place; p <= highest; ++p)
      if (top_ - p < kPlaces) counts_[std::size_t(top_ - p)] += sign * digit(wide, p - place);
  }

  void merge(const BinnedSum& other) {
    if (other.top_ == kNone) return;
    raise(other.top_);
    for (int i = 0; i < kPlaces; ++i) {
      const int at = top_ - other.top_ + i;
      if (at < kPlaces) add_wrapped(counts_[std::size_t(at)], other.counts_[std::size_t(i)]);
    }
  }

  double value() const {
    double sum = 0;
    for (int i = kPlaces - 1; i >= 0; --i)
      sum += std::ldexp(double(counts_[std::size_t(i)]), top_ == kNone ? 0 : 32 * (top_ - i) - kShift);
    return sum;
  }

  // As integers: the place of the first, and how often each.
  int top() const { return top_; }
  const std::array<std::int64_t, kPlaces>& counts() const { return counts_; }
  static BinnedSum from(int top, const std::int64_t* counts) {
    BinnedSum sum;
    sum.top_ = top;
    for (std::size_t i = 0; i < kPlaces; ++i) sum.counts_[i] = counts[i];
    return sum;
  }
  bool operator==(const BinnedSum&) const = default;

 private:
  static constexpr double kMost = 0x1p1000;
  static constexpr int kShift = 1152;  // a multiple of 32 that makes all exponents positive

  static std::int64_t digit(unsigned __int128 wide, int place) {
    return std::int64_t(std::uint32_t(wide >> (32 * place)));
  }
  void raise(int top) {
    if (top <= top_) return;
    const int by = top - top_;
    for (int i = kPlaces - 1; i >= 0; --i)
      counts_[std::size_t(i)] = top_ == kNone || i < by ? 0 : counts_[std::size_t(i - by)];
    top_ = top;
  }

  int top_ = kNone;
  std::array<std::int64_t, kPlaces> counts_ = {};
};

}  // namespace bochner
