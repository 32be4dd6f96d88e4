// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/signs.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "backend/cpu/operations.h"
#include "backend/cpu/targets.h"
#include "base/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/signs.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "backend/cpu/strips-inl.h"

#ifndef BOCHNER_BACKEND_CPU_SIGNS_ONCE_
#define BOCHNER_BACKEND_CPU_SIGNS_ONCE_
namespace bochner::cpu {

constexpr std::size_t kCounters = 64;

// Counters (row, block, 0, Draw::entry) of Philox and their 128 bits each.
struct CounterBatch {
  alignas(64) std::uint32_t row[kCounters] = {}, block[kCounters] = {}, drawn[4 * kCounters];
};

}  // namespace bochner::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The products of the lanes by k, of 64 bits, in halves.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void multiply_wide(D d, V c, V k, V& high, V& low) {
#if HWY_ARCH_ARM_A64
  (void)d;
  const uint32x4_t first = vreinterpretq_u32_u64(vmull_u32(vget_low_u32(c.raw), vget_low_u32(k.raw)));
  const uint32x4_t second = vreinterpretq_u32_u64(vmull_high_u32(c.raw, k.raw));
  high = V(vuzp2q_u32(first, second));
  low = V(vuzp1q_u32(first, second));
#else
  const hn::RepartitionToWide<D> wide;
  const auto even = hn::MulEven(c, k);
  const auto odd = hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(wide, c))), k);
  high = hn::OddEven(hn::BitCast(d, odd), hn::BitCast(d, hn::ShiftRight<32>(even)));
  low = hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
#endif
}

// Philox of random/philox.h, a counter to a lane and several vectors of them at once: each waits for its products.
void draw_batch(std::uint64_t seed, std::size_t count, CounterBatch& batch) {
  const hn::CappedTag<std::uint32_t, 16> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = hn::MaxLanes(decltype(d)()), kVectors = kManyRegisters ? 4 : 2;
  static_assert(kCounters % (kVectors * kLanes) == 0);
  const V k0 = hn::Set(d, 0xD2511F53u), k1 = hn::Set(d, 0xCD9E8D57u);
  for (std::size_t begin = 0; begin < count; begin += kVectors * kLanes) {
    V c[kVectors][4];
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      c[v][0] = hn::LoadU(d, batch.row + begin + v * kLanes);
      c[v][1] = hn::LoadU(d, batch.block + begin + v * kLanes);
      c[v][2] = hn::Zero(d);
      c[v][3] = hn::Set(d, std::uint32_t(Draw::entry));
    });
    std::uint32_t key[2] = {std::uint32_t(seed), std::uint32_t(seed >> 32)};
    for (int round = 0; round < 10; ++round) {
      const V key0 = hn::Set(d, key[0]), key1 = hn::Set(d, key[1]);
      unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
        V high0, low0, high1, low1;
        multiply_wide(d, c[v][0], k0, high0, low0);
        multiply_wide(d, c[v][2], k1, high1, low1);
        c[v][0] = hn::Xor(high1, hn::Xor(c[v][1], key0));
        c[v][1] = low1;
        c[v][2] = hn::Xor(high0, hn::Xor(c[v][3], key1));
        c[v][3] = low0;
      });
      key[0] += 0x9E3779B9u;
      key[1] += 0xBB67AE85u;
    }
    unrolled<kVectors>([&](auto v) BOCHNER_INLINE {
      hn::StoreInterleaved4(c[v][0], c[v][1], c[v][2], c[v][3], d, batch.drawn + 4 * (begin + v * kLanes));
    });
  }
}

// Signs of consecutive columns: each lane shifts its bit of a word up to the sign and gives it to the size. Vectors of
// at most 16 lanes divide a word.
template <class T>
class SignVectors {
 public:
  using D = Tag<T>;
  using U = hn::RebindToUnsigned<D>;
  using Bits = hn::TFromD<U>;

  explicit SignVectors(T size)
      : top_(hn::Set(U(), Bits(1) << (kBits - 1))),
        magnitude_(hn::BitCast(U(), hn::Set(D(), size))),
        up_(hn::Sub(hn::Set(U(), Bits(kBits - 1)), hn::Iota(U(), Bits(0)))) {}

  // The signs of columns j .. j + lanes; j is a multiple of the lanes.
  HWY_INLINE hn::Vec<D> operator()(const std::uint64_t* row, std::size_t j) const {
    const auto word = hn::Set(U(), Bits(row[j / 64] >> (j % 64)));
    return hn::BitCast(D(), hn::Xor(magnitude_, hn::And(top_, hn::Shl(word, up_))));
  }

 private:
  static constexpr std::size_t kBits = 8 * sizeof(T);

  hn::Vec<U> top_, magnitude_, up_;
};

// The last columns of a row go through a buffer.
template <class T>
void expand(const SignBits& bits, T size, MatrixView<T> r) {
  const SignVectors<T> signs(size);
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < r.rows; ++i) {
    const std::uint64_t* row = bits.row(i);
    T* out = r.row(i);
    std::size_t j = 0;
    for (; j + lanes <= r.cols; j += lanes) hn::StoreU(signs(row, j), d, out + j);
    if (j == r.cols) continue;
    HWY_ALIGN T last[16];
    hn::StoreU(signs(row, j), d, last);
    for (std::size_t l = 0; j < r.cols; ++j, ++l) out[j] = last[l];
  }
}

// The strips that pack_strips() makes of the same matrix.
template <class T>
void pack_signs(const SignVectors<T>& signs, const SignBits& bits, const StripPart& part, T* HWY_RESTRICT packed) {
  const Tag<T> d;
  constexpr std::size_t kLanes = hn::MaxLanes(Tag<T>()), kStrip = Strip<T>::kB;
  for (std::size_t first = 0; first < part.depth; first += kPackedTogether) {
    const std::size_t end = HWY_MIN(part.depth, first + kPackedTogether);
    for (std::size_t begin = 0; begin < part.cols; begin += kStrip) {
      const std::size_t count = HWY_MIN(kStrip, part.cols - begin);
      T* HWY_RESTRICT to = packed + begin * part.depth + first * kStrip;
      for (std::size_t k = first; k < end; ++k, to += kStrip) {
        const std::uint64_t* row = bits.row(part.row + k);
        unrolled<Strip<T>::kVectors>([&](auto v) BOCHNER_INLINE {
          if (v * kLanes < count) hn::StoreU(signs(row, part.column + begin + v * kLanes), d, to + v * kLanes);
        });
        if (count < kStrip) std::fill(to + count, to + kStrip, T(0));
      }
    }
  }
}

template <class T>
void multiply(MatrixView<const T> x, const SignBits& bits, T size, bool add, MatrixView<T> z) {
  thread_local AlignedVector<T> packed;
  const SignVectors<T> signs(size);
  multiply_by_strips<T>(
      x, [&](const StripPart& part, T* strips) { pack_signs<T>(signs, bits, part, strips); }, add, z, packed);
}

void expand_float(const SignBits& bits, float size, MatrixView<float> r) { expand(bits, size, r); }
void expand_double(const SignBits& bits, double size, MatrixView<double> r) { expand(bits, size, r); }
void multiply_float(MatrixView<const float> x, const SignBits& bits, float size, bool add, MatrixView<float> z) {
  multiply<float>(x, bits, size, add, z);
}
void multiply_double(MatrixView<const double> x, const SignBits& bits, double size, bool add, MatrixView<double> z) {
  multiply<double>(x, bits, size, add, z);
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::cpu {

namespace {

HWY_EXPORT(draw_batch);
HWY_EXPORT(expand_float);
HWY_EXPORT(expand_double);
HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);

void draw_counters(std::uint64_t seed, std::size_t count, CounterBatch& batch) {
  HWY_DYNAMIC_DISPATCH(draw_batch)(seed, count, batch);
}
void multiply_float_signs(MatrixView<const float> x, const SignBits& bits, float size, bool add, MatrixView<float> z) {
  HWY_DYNAMIC_DISPATCH(multiply_float)(x, bits, size, add, z);
}
void multiply_double_signs(MatrixView<const double> x, const SignBits& bits, double size, bool add,
                           MatrixView<double> z) {
  HWY_DYNAMIC_DISPATCH(multiply_double)(x, bits, size, add, z);
}

}  // namespace

void Operations::sign_bits(std::uint64_t seed, std::uint64_t row, std::size_t rows, std::size_t first,
                           std::size_t words, std::uint64_t* bits) {
  draw_sign_bits(seed, DrawnRows{nullptr, std::size_t(row), rows}, first, words, bits);
}

template <>
void Operations::expand_signs(const std::uint64_t* bits, std::size_t words, float size, MatrixView<float> r) {
  HWY_DYNAMIC_DISPATCH(expand_float)({bits, words}, size, r);
}
template <>
void Operations::expand_signs(const std::uint64_t* bits, std::size_t words, double size, MatrixView<double> r) {
  HWY_DYNAMIC_DISPATCH(expand_double)({bits, words}, size, r);
}

}  // namespace bochner::cpu

namespace bochner {

// Row after row. Where rows have an odd number of words, the second word of a row's last block is written over by the
// next row's first.
void draw_sign_bits(std::uint64_t seed, const DrawnRows& rows, std::size_t first, std::size_t words,
                    std::uint64_t* bits) {
  cpu::CounterBatch batch;
  const std::uint64_t* const end = bits + rows.count * words;
  const std::size_t blocks = (words + 1) / 2, left = 2 * blocks - words;
  std::uint64_t* to = bits;
  for (std::size_t row = 0, block = 0; row < rows.count && words > 0;) {
    const std::size_t begin = block;
    std::size_t count = 0;
    for (; count < cpu::kCounters && row < rows.count; ++row, block = 0) {
      const std::size_t most = std::min(blocks - block, cpu::kCounters - count);
      const auto input = std::uint32_t(rows[row]);
      for (std::size_t b = 0; b < most; ++b, ++count) {
        batch.row[count] = input;
        batch.block[count] = std::uint32_t(first / 2 + block + b);
      }
      block += most;
      if (block < blocks) break;  // the batch is full
    }
    cpu::draw_counters(seed, count, batch);
    if (left == 0) {
      std::memcpy(to, batch.drawn, 16 * count);
      to += 2 * count;
      continue;
    }
    for (std::size_t c = 0, b = begin; c < count; ++c) {
      std::memcpy(to, batch.drawn + 4 * c, end - to > 1 ? 16 : 8);
      to += 2;
      if (++b == blocks) b = 0, to -= left;
    }
  }
}

namespace {

template <class T>
void multiply_formed(const Backend& on, MatrixView<const T> x, const SignBits& bits, T size, bool add,
                     MatrixView<T> z) {
  Matrix<T> r(x.cols, z.cols);
  on.expand_signs(bits.bits, bits.words, size, r.view());
  on.multiply(x, MatrixView<const T>(r.view()), T(add ? 1 : 0), z);
}

}  // namespace

void multiply_signs(const Backend& on, MatrixView<const float> x, const SignBits& bits, float size, bool add,
                    MatrixView<float> z) {
  if (&on != &cpu_backend()) return multiply_formed(on, x, bits, size, add, z);
  cpu::multiply_float_signs(x, bits, size, add, z);
}
void multiply_signs(const Backend& on, MatrixView<const double> x, const SignBits& bits, double size, bool add,
                    MatrixView<double> z) {
  if (&on != &cpu_backend()) return multiply_formed(on, x, bits, size, add, z);
  cpu::multiply_double_signs(x, bits, size, add, z);
}

}  // namespace bochner
#endif
