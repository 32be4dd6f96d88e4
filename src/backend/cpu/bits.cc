// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/bits.h"

#include <bit>
#include <cstring>

#include "backend/cpu/targets.h"
#include "backend/place_point.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/bits.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace bochner::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kPoints = 4;        // met at once
constexpr std::size_t kBlock = 128;       // points whose distances are found before any is looked at
constexpr std::size_t kMostVectors = 31;  // counts of so many bytes fit into a byte

using Bytes = hn::ScalableTag<std::uint8_t>;

HWY_INLINE std::uint32_t sum_of(hn::Vec<Bytes> counts) {
#if HWY_ARCH_ARM_A64
  return vaddlvq_u8(counts.raw);
#else
  const hn::Repartition<std::uint64_t, Bytes> d64;
  return std::uint32_t(hn::GetLane(hn::SumOfLanes(d64, hn::SumsOf8(counts))));
#endif
}

// The words behind the last whole vector.
HWY_INLINE std::uint32_t differing_words(const std::uint8_t* x, const std::uint8_t* y, std::size_t begin,
                                         std::size_t end) {
  std::uint32_t sum = 0;
  for (std::size_t j = begin; j < end; j += 8) {
    std::uint64_t a, b;
    std::memcpy(&a, x + j, 8);
    std::memcpy(&b, y + j, 8);
    sum += std::uint32_t(std::popcount(a ^ b));
  }
  return sum;
}

// The distances of x to `count` points, 1 or kPoints, each of `stride` bytes.
template <std::size_t count>
HWY_INLINE void differing(const std::uint8_t* HWY_RESTRICT x, const std::uint8_t* const* y, std::size_t stride,
                          std::uint32_t* HWY_RESTRICT distances) {
  const Bytes d;
  const std::size_t lanes = hn::Lanes(d), whole = stride / lanes * lanes;
  for (std::size_t p = 0; p < count; ++p) distances[p] = differing_words(x, y[p], whole, stride);
  for (std::size_t begin = 0; begin < whole; begin += kMostVectors * lanes) {
    const std::size_t end = HWY_MIN(whole, begin + kMostVectors * lanes);
    auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (std::size_t j = begin; j < end; j += lanes) {
      const auto a = hn::LoadU(d, x + j);
      sum0 = hn::Add(sum0, hn::PopulationCount(hn::Xor(a, hn::LoadU(d, y[0] + j))));
      if constexpr (count == kPoints) {
        sum1 = hn::Add(sum1, hn::PopulationCount(hn::Xor(a, hn::LoadU(d, y[1] + j))));
        sum2 = hn::Add(sum2, hn::PopulationCount(hn::Xor(a, hn::LoadU(d, y[2] + j))));
        sum3 = hn::Add(sum3, hn::PopulationCount(hn::Xor(a, hn::LoadU(d, y[3] + j))));
      }
    }
    distances[0] += sum_of(sum0);
    if constexpr (count == kPoints) {
      distances[1] += sum_of(sum1);
      distances[2] += sum_of(sum2);
      distances[3] += sum_of(sum3);
    }
  }
}

void distances_of_bits(const std::uint8_t* x, const BitRows& rows, std::span<const std::uint32_t> at,
                       std::uint32_t* distances) {
  std::size_t i = 0;
  for (; i + kPoints <= at.size(); i += kPoints) {
    const std::uint8_t* y[kPoints] = {rows.row(at[i]), rows.row(at[i + 1]), rows.row(at[i + 2]), rows.row(at[i + 3])};
    differing<kPoints>(x, y, rows.stride, distances + i);
  }
  for (; i < at.size(); ++i) {
    const std::uint8_t* y = rows.row(at[i]);
    differing<1>(x, &y, rows.stride, distances + i);
  }
}

void block_of_bits(const std::uint8_t* x, const BitRows& points, std::uint32_t* distances) {
  std::size_t i = 0;
  for (; i + kPoints <= points.rows; i += kPoints) {
    const std::uint8_t* y[kPoints] = {points.row(i), points.row(i + 1), points.row(i + 2), points.row(i + 3)};
    differing<kPoints>(x, y, points.stride, distances + i);
  }
  for (; i < points.rows; ++i) {
    const std::uint8_t* y = points.row(i);
    differing<1>(x, &y, points.stride, distances + i);
  }
}

void nearest_of_bits(const BitRows& x, const BitRows& points, std::uint32_t first, const std::uint32_t* self,
                     const NearestView& best) {
  std::uint32_t distances[kBlock];
  for (std::size_t begin = 0; begin < points.rows; begin += kBlock) {
    const std::size_t count = HWY_MIN(kBlock, points.rows - begin);
    for (std::size_t i = 0; i < x.rows; ++i) {
      block_of_bits(x.row(i), points.slice(begin, count), distances);
      const NearestView to = best.slice(i);
      const float last = to.values[to.keep - 1];
      const std::uint32_t worst = last < 0x1p24f ? std::uint32_t(last) : 1u << 24;
      std::uint32_t least = distances[0];
      for (std::size_t c = 1; c < count; ++c) least = HWY_MIN(least, distances[c]);
      if (least > worst) continue;
      for (std::size_t c = 0; c < count; ++c) {
        const std::uint32_t number = first + std::uint32_t(begin + c);
        if (distances[c] <= worst && !(self && self[i] == number))
          place_point(float(distances[c]), number, to.keep, to.values, to.numbers);
      }
    }
  }
}

}  // namespace bochner::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner {

namespace cpu {
HWY_EXPORT(distances_of_bits);
HWY_EXPORT(nearest_of_bits);
}  // namespace cpu

void pack_bits(const float* x, std::size_t count, std::uint8_t* to) {
  std::memset(to, 0, BitRows::stride_of(count));
  for (std::size_t j = 0; j < count; ++j) to[j / 8] = std::uint8_t(to[j / 8] | (x[j] != 0) << (j % 8));
}

void bit_distances(const std::uint8_t* x, const BitRows& rows, std::span<const std::uint32_t> at,
                   std::uint32_t* distances) {
  using namespace cpu;
  HWY_DYNAMIC_DISPATCH(distances_of_bits)(x, rows, at, distances);
}

void nearest_bits(const BitRows& x, const BitRows& points, std::uint32_t first, const std::uint32_t* self,
                  const NearestView& best) {
  using namespace cpu;
  if (best.keep > 0) HWY_DYNAMIC_DISPATCH(nearest_of_bits)(x, points, first, self, best);
}

}  // namespace bochner
#endif
