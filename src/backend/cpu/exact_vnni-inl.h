// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// No guard: included for each sort of vectors of 16 sums, with Vectors (their operations), where functions may use the
// instructions of these.

#include "backend/cpu/unrolled-inl.h"

// Layout of a group of 4 rows, for two panels of 16 columns: 2 pairs of rows x 32 columns of whole numbers, then 4 rows
// x 32 columns of high digits, and the same of high digits + 128, without a sign. The numbers themselves are summed
// without regard to overflow, which leaves the sum modulo 2^32; 2^14 times the sum of the high digits' products is less
// than 2^31 away from the sum (backend/whole.h) and says which one it is.
struct VnniKernel {
  static constexpr std::size_t kPanel = 16, kLeft = 4, kRight = 2 * kPanel, kGroup = 4;
  static constexpr std::size_t kPair = 4 * kRight, kDigits = 2 * kPair, kUnsigned = 3 * kPair, kUnit = 4 * kPair;
  static constexpr std::size_t kStep = 4 * kLeft, kDepth = 256;

  static void multiply(const std::byte* a, const std::byte* b, std::size_t groups, std::int64_t* c,
                       std::size_t stride) {
    using V = Vectors::V;
    Vectors::Sums sum[kLeft][2], high[kLeft][2], offset[2] = {Vectors::zero(), Vectors::zero()};
    unrolled<2 * kLeft>([&](auto i) BOCHNER_INLINE { sum[i / 2][i % 2] = high[i / 2][i % 2] = Vectors::zero(); });
    const V all_128 = Vectors::all(std::int32_t(0x80808080));
    for (std::size_t g = 0; g < groups; ++g, a += kUnit, b += kUnit) {
      unrolled<2>([&](auto k) BOCHNER_INLINE {
        const V right[2] = {Vectors::load(b + k * kPair), Vectors::load(b + k * kPair + kPair / 2)};
        unrolled<kLeft>([&](auto i) BOCHNER_INLINE {
          const V left = Vectors::all(Vectors::four_bytes(a + k * kPair + 4 * i));
          unrolled<2>([&](auto q) BOCHNER_INLINE { sum[i][q] = Vectors::add_words(sum[i][q], left, right[q]); });
        });
      });
      const V right[2] = {Vectors::load(b + kDigits), Vectors::load(b + kDigits + kPair / 2)};
      unrolled<kLeft>([&](auto i) BOCHNER_INLINE {
        const V left = Vectors::all(Vectors::four_bytes(a + kUnsigned + 4 * i));
        unrolled<2>([&](auto q) BOCHNER_INLINE { high[i][q] = Vectors::add_bytes(high[i][q], left, right[q]); });
      });
      unrolled<2>([&](auto q) BOCHNER_INLINE { offset[q] = Vectors::add_bytes(offset[q], all_128, right[q]); });
    }
    unrolled<2 * kLeft>([&](auto i) BOCHNER_INLINE {
      constexpr std::size_t kRow = i / 2, kHalf = i % 2;
      Vectors::add_wide(Vectors::subtract(high[kRow][kHalf], offset[kHalf]), sum[kRow][kHalf],
                        c + kRow * stride + kHalf * kPanel);
    });
  }

  static void put(MatrixView<const float> x, float per_unit, std::byte* unit) {
    std::int16_t q[kGroup][kRight];
    whole_group(x, per_unit, q);
    auto* words = reinterpret_cast<std::int16_t*>(unit);
    auto* digits = reinterpret_cast<std::int8_t*>(unit + kDigits);
    auto* shifted = reinterpret_cast<std::uint8_t*>(unit + kUnsigned);
    for (std::size_t k = 0; k < kGroup; ++k)
      for (std::size_t j = 0; j < kRight; ++j) {
        words[(k / 2 * kRight + j) * 2 + k % 2] = q[k][j];
        digits[4 * j + k] = std::int8_t(high_digit(q[k][j]));
        shifted[4 * j + k] = std::uint8_t(high_digit(q[k][j]) + 128);
      }
  }
};
