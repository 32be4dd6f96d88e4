// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/signs.h"

#include <type_traits>

#include "backend/cpu/operations.h"
#include "backend/cpu/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/signs.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Each lane shifts its bit of the word up to the sign and flips the size by it. Vectors of at most 32 lanes divide a
// word; the last columns of a row go through a buffer.
template <class T>
void expand(const std::uint64_t* bits, std::size_t words, T size, MatrixView<T> r) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr std::size_t kWordBits = 8 * sizeof(T);
  const hn::CappedTag<T, 16> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const std::size_t lanes = hn::Lanes(d);
  const auto top = hn::Set(du, Bits(1) << (kWordBits - 1));
  const auto magnitude = hn::BitCast(du, hn::Set(d, size));
  const auto up = hn::Sub(hn::Set(du, Bits(kWordBits - 1)), hn::Iota(du, Bits(0)));  // lane l: its bit l to the top
  for (std::size_t i = 0; i < r.rows; ++i) {
    const std::uint64_t* row = bits + i * words;
    T* out = r.row(i);
    const auto signs = [&](std::size_t j) {  // of columns j .. j + lanes
      const Bits word = Bits(row[j / 64] >> (j % 64));
      return hn::BitCast(d, hn::Xor(magnitude, hn::And(top, hn::Shl(hn::Set(du, word), up))));
    };
    std::size_t j = 0;
    for (; j + lanes <= r.cols; j += lanes) hn::StoreU(signs(j), d, out + j);
    if (j == r.cols) continue;
    HWY_ALIGN T last[16];
    hn::Store(signs(j), d, last);
    for (std::size_t l = 0; j < r.cols; ++j, ++l) out[j] = last[l];
  }
}

void expand_float(const std::uint64_t* bits, std::size_t words, float size, MatrixView<float> r) {
  expand(bits, words, size, r);
}
void expand_double(const std::uint64_t* bits, std::size_t words, double size, MatrixView<double> r) {
  expand(bits, words, size, r);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

HWY_EXPORT(expand_float);
HWY_EXPORT(expand_double);

// 128 signs for ten rounds of Philox: a small part of what is done with them, and vectors of counters gain little.
void Operations::sign_bits(std::uint64_t seed, std::uint64_t row, std::size_t rows, std::size_t first,
                           std::size_t words, std::uint64_t* bits) {
  for (std::size_t i = 0; i < rows; ++i) draw_sign_bits(seed, row + i, first, words, bits + i * words);
}

template <>
void Operations::expand_signs(const std::uint64_t* bits, std::size_t words, float size, MatrixView<float> r) {
  HWY_DYNAMIC_DISPATCH(expand_float)(bits, words, size, r);
}
template <>
void Operations::expand_signs(const std::uint64_t* bits, std::size_t words, double size, MatrixView<double> r) {
  HWY_DYNAMIC_DISPATCH(expand_double)(bits, words, size, r);
}

}  // namespace bochner::cpu
#endif
