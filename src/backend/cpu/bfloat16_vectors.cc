// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Products of bfloat16 by vector instructions: Arm's BFMMLA and x86's AVX512_BF16. The instruction sets are asked for
// function by function and only called where the processor has them.

#include <hwy/base.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "backend/bfloat16.h"
#include "backend/cpu/bfloat16_units.h"

#if defined(__aarch64__) && defined(__linux__) && defined(__GNUC__)
#include <arm_neon.h>
#include <sys/auxv.h>
#endif
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace bochner::cpu {

namespace {

[[maybe_unused]] bool never() { return false; }

}  // namespace

#if defined(__aarch64__) && defined(__linux__) && defined(__GNUC__)
namespace {

// Columns go in blocks of 8 and rows in groups of 4, as BFMMLA wants its operands: for a block and a group
// 4 pairs of columns, each 2 columns x 4 rows. One block of 8 columns and one group is a cache line.
constexpr std::size_t kBlock = 8, kGroup = 4, kLine = kBlock * kGroup;
constexpr std::size_t kDepth = kBfloat16Depth / kGroup;
constexpr std::size_t kNarrow = 16;  // blocks that stay in the second cache

std::size_t groups_of(std::size_t rows) { return (rows + kGroup - 1) / kGroup; }
std::size_t blocks_of(std::size_t cols) { return (cols + kBlock - 1) / kBlock; }

std::size_t bytes(std::size_t rows, std::size_t cols) {
  return blocks_of(cols) * groups_of(rows) * kLine * sizeof(Bfloat16);
}

void pack(MatrixView<const float> x, std::byte* packed) {
  const std::size_t groups = groups_of(x.rows);
  std::memset(packed, 0, bytes(x.rows, x.cols));
  for (std::size_t first = 0; first < x.cols; first += kBlock, packed += groups * kLine * sizeof(Bfloat16)) {
    const std::size_t width = std::min(kBlock, x.cols - first);
    for (std::size_t i = 0; i < x.rows; ++i) {
      const float* row = x.row(i) + first;
      Bfloat16* line = reinterpret_cast<Bfloat16*>(packed) + i / kGroup * kLine + i % kGroup;
      for (std::size_t j = 0; j < width; ++j) line[j * kGroup] = to_bfloat16(row[j]);
    }
  }
}

// sum += a b for 2 x 4 by 4 x 2. Clang has the intrinsic only where all of a file may use it; GCC keeps the sums in
// registers only with it.
#ifdef __clang__
#define BOCHNER_BFMMLA __attribute__((target("bf16")))
BOCHNER_BFMMLA inline void add_small(float32x4_t& sum, uint16x8_t a, uint16x8_t b) {
  asm("bfmmla %0.4s, %1.8h, %2.8h" : "+w"(sum) : "w"(a), "w"(b));
}
#else
#define BOCHNER_BFMMLA __attribute__((target("arch=armv8.2-a+bf16")))
BOCHNER_BFMMLA inline void add_small(float32x4_t& sum, uint16x8_t a, uint16x8_t b) {
  sum = vbfmmlaq_f32(sum, vreinterpretq_bf16_u16(a), vreinterpretq_bf16_u16(b));
}
#endif

// c = a^T b for two blocks of columns over `groups` groups of rows.
BOCHNER_BFMMLA void multiply_blocks(const Bfloat16* a, const Bfloat16* b, std::size_t groups, float* c) {
  float32x4_t sum[4][4];
  for (auto& row : sum)
    for (auto& s : row) s = vdupq_n_f32(0);
  for (std::size_t g = 0; g < groups; ++g, a += kLine, b += kLine) {
    uint16x8_t left[4], right[4];
    for (std::size_t p = 0; p < 4; ++p) {
      left[p] = vld1q_u16(a + 8 * p);
      right[p] = vld1q_u16(b + 8 * p);
    }
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t q = 0; q < 4; ++q) add_small(sum[p][q], left[p], right[q]);
  }
  for (std::size_t p = 0; p < 4; ++p)
    for (std::size_t q = 0; q < 4; ++q) {
      vst1_f32(c + 2 * p * kBlock + 2 * q, vget_low_f32(sum[p][q]));
      vst1_f32(c + (2 * p + 1) * kBlock + 2 * q, vget_high_f32(sum[p][q]));
    }
}

void add_product(const std::byte* a, const std::byte* b, std::size_t rows, MatrixView<double> sum) {
  const std::size_t groups = groups_of(rows), blocks_a = blocks_of(sum.rows), blocks_b = blocks_of(sum.cols);
  const auto at = [&](const std::byte* packed, std::size_t block, std::size_t group) {
    return reinterpret_cast<const Bfloat16*>(packed) + (block * groups + group) * kLine;
  };
  float product[kBlock * kBlock];
  for (std::size_t depth = 0; depth < groups; depth += kDepth)
    for (std::size_t narrow = 0; narrow < blocks_b; narrow += kNarrow)
      for (std::size_t p = 0; p < blocks_a; ++p)
        for (std::size_t q = narrow; q < std::min(blocks_b, narrow + kNarrow); ++q) {
          multiply_blocks(at(a, p, depth), at(b, q, depth), std::min(kDepth, groups - depth), product);
          const std::size_t height = std::min(kBlock, sum.rows - p * kBlock);
          const std::size_t width = std::min(kBlock, sum.cols - q * kBlock);
          for (std::size_t i = 0; i < height; ++i)
            for (std::size_t j = 0; j < width; ++j)
              sum(p * kBlock + i, q * kBlock + j) += double(product[i * kBlock + j]);
        }
}

bool has_bfmmla() {
  constexpr unsigned long kBf16 = 1ul << 14;  // HWCAP2_BF16
  return getauxval(AT_HWCAP2) & kBf16;
}

}  // namespace

const Bfloat16Unit kBfmmla = {"bf16", has_bfmmla, bytes, pack, add_product};
const Bfloat16Unit kAvx512Bf16 = {"bf16", never, bytes, pack, add_product};

#elif defined(__x86_64__) && defined(__linux__) && defined(__GNUC__)
namespace {

// Panels of 16 columns; for each pair of rows 16 columns x 2 rows, a register. The same layout serves the left side,
// whose pairs are read one by one into all lanes.
constexpr std::size_t kPanel = 16, kPair = 2 * kPanel;
constexpr std::size_t kDepth = kBfloat16Depth / 2;
constexpr std::size_t kLeft = 8, kRight = 3;  // 8 columns x 3 panels: 24 of 32 registers, 11 loads for 24 products

std::size_t pairs_of(std::size_t rows) { return (rows + 1) / 2; }
std::size_t panels_of(std::size_t cols) { return (cols + kPanel - 1) / kPanel; }

std::size_t bytes(std::size_t rows, std::size_t cols) {
  return panels_of(cols) * pairs_of(rows) * kPair * sizeof(Bfloat16);
}

void pack(MatrixView<const float> x, std::byte* packed) {
  const std::size_t pairs = pairs_of(x.rows);
  std::memset(packed, 0, bytes(x.rows, x.cols));
  for (std::size_t first = 0; first < x.cols; first += kPanel, packed += pairs * kPair * sizeof(Bfloat16)) {
    const std::size_t width = std::min(kPanel, x.cols - first);
    for (std::size_t i = 0; i < x.rows; ++i) {
      const float* row = x.row(i) + first;
      Bfloat16* to = reinterpret_cast<Bfloat16*>(packed) + i / 2 * kPair + i % 2;
      for (std::size_t j = 0; j < width; ++j) to[2 * j] = to_bfloat16(row[j]);
    }
  }
}

HWY_PUSH_ATTRIBUTES("avx512f,avx512bw,avx512vl,avx512bf16")

#include "backend/cpu/unrolled-inl.h"

// c = a^T b for kLeft columns of one panel of a and kPanels panels of b, `stride` numbers apart, over `pairs` pairs.
template <std::size_t kPanels>
void multiply_panels(const Bfloat16* a, const Bfloat16* b, std::size_t stride, std::size_t pairs, float* c) {
  __m512 sum[kLeft][kPanels];
  const auto each = [](const auto& step) BOCHNER_INLINE {
    unrolled<kLeft>([&](auto i) BOCHNER_INLINE { unrolled<kPanels>([&](auto q) BOCHNER_INLINE { step(i, q); }); });
  };
  each([&](auto i, auto q) BOCHNER_INLINE { sum[i][q] = _mm512_setzero_ps(); });
  for (std::size_t k = 0; k < pairs; ++k, a += kPair, b += kPair) {
    __m512i right[kPanels];
    unrolled<kPanels>([&](auto q) BOCHNER_INLINE { right[q] = _mm512_loadu_si512(b + q * stride); });
    unrolled<kLeft>([&](auto i) BOCHNER_INLINE {
      std::int32_t pair;
      std::memcpy(&pair, a + 2 * i, sizeof pair);
      const __m512i left = _mm512_set1_epi32(pair);
      unrolled<kPanels>(
          [&](auto q) BOCHNER_INLINE { sum[i][q] = _mm512_dpbf16_ps(sum[i][q], __m512bh(left), __m512bh(right[q])); });
    });
  }
  each([&](auto i, auto q) BOCHNER_INLINE { _mm512_storeu_ps(c + (i * kPanels + q) * kPanel, sum[i][q]); });
}

HWY_POP_ATTRIBUTES

template <std::size_t kPanels>
void add_panels(const Bfloat16* a, const Bfloat16* b, std::size_t stride, std::size_t pairs, MatrixView<double> sum) {
  alignas(64) float product[kLeft * kPanels * kPanel];
  multiply_panels<kPanels>(a, b, stride, pairs, product);
  const std::size_t width = std::min(kPanels * kPanel, sum.cols);
  for (std::size_t i = 0; i < std::min(kLeft, sum.rows); ++i)
    for (std::size_t j = 0; j < width; ++j) sum(i, j) += double(product[i * kPanels * kPanel + j]);
}

void add_product(const std::byte* a, const std::byte* b, std::size_t rows, MatrixView<double> sum) {
  const std::size_t pairs = pairs_of(rows), panels = panels_of(sum.cols), stride = pairs * kPair;
  const auto* left = reinterpret_cast<const Bfloat16*>(a);
  const auto* right = reinterpret_cast<const Bfloat16*>(b);
  for (std::size_t begin = 0; begin < pairs; begin += kDepth) {
    const std::size_t depth = std::min(kDepth, pairs - begin);
    for (std::size_t q = 0; q < panels; q += kRight)
      for (std::size_t i = 0; i < sum.rows; i += kLeft) {
        const Bfloat16* from_a = left + i / kPanel * stride + begin * kPair + 2 * (i % kPanel);
        const Bfloat16* from_b = right + q * stride + begin * kPair;
        const MatrixView<double> to{&sum(i, q * kPanel), sum.rows - i, sum.cols - q * kPanel, sum.stride};
        if (panels - q >= 3)
          add_panels<3>(from_a, from_b, stride, depth, to);
        else if (panels - q == 2)
          add_panels<2>(from_a, from_b, stride, depth, to);
        else
          add_panels<1>(from_a, from_b, stride, depth, to);
      }
  }
}

// The processor has it, and the system saves the registers.
bool has_avx512_bf16() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl"))
    return false;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1u << 5);
}

}  // namespace

const Bfloat16Unit kBfmmla = {"bf16", never, bytes, pack, add_product};
const Bfloat16Unit kAvx512Bf16 = {"bf16", has_avx512_bf16, bytes, pack, add_product};

#else

const Bfloat16Unit kBfmmla = {"bf16", never, nullptr, nullptr, nullptr};
const Bfloat16Unit kAvx512Bf16 = {"bf16", never, nullptr, nullptr, nullptr};

#endif

}  // namespace bochner::cpu
