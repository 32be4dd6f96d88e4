// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "solve/rough_gram.h"

#include <algorithm>
#include <bit>

#include "backend/cpu/blas.h"

#if defined(__aarch64__) && defined(__linux__) && defined(__GNUC__)
#define BOCHNER_BFMMLA 1
#include <arm_neon.h>
#include <sys/auxv.h>
#endif

namespace bochner {

namespace {

// Columns go in blocks of 8 and rows in groups of 4, as BFMMLA wants its operands: for a block and a group
// 4 pairs of columns, each 2 columns x 4 rows. One block of 8 columns and one group is a cache line.
constexpr std::size_t kBlock = 8, kGroup = 4, kLine = kBlock * kGroup;
constexpr std::size_t kDepth = 256;  // groups whose products are summed in float
constexpr std::size_t kNarrow = 16;  // blocks that stay in the second cache

bool has_bfmmla() {
#ifdef BOCHNER_BFMMLA
  constexpr unsigned long kBf16 = 1ul << 14;  // HWCAP2_BF16
  return getauxval(AT_HWCAP2) & kBf16;
#else
  return false;
#endif
}

// To the nearest bfloat16, ties to even.
std::uint16_t to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return std::uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

void pack_block(MatrixView<const float> b, std::size_t block, std::size_t groups, std::uint16_t* out) {
  const std::size_t first = block * kBlock, width = std::min(kBlock, b.cols - first);
  std::fill(out, out + groups * kLine, std::uint16_t(0));
  for (std::size_t i = 0; i < b.rows; ++i) {
    const float* row = b.row(i) + first;
    std::uint16_t* line = out + i / kGroup * kLine + i % kGroup;
    for (std::size_t j = 0; j < width; ++j) line[j * kGroup] = to_bfloat16(row[j]);
  }
}

#ifdef BOCHNER_BFMMLA
// c = a^T b for two blocks of columns over `groups` groups of rows.
__attribute__((target("arch=armv8.2-a+bf16"))) void multiply_blocks(const std::uint16_t* a, const std::uint16_t* b,
                                                                    std::size_t groups, float* c) {
  float32x4_t sum[4][4];
  for (auto& row : sum)
    for (auto& s : row) s = vdupq_n_f32(0);
  for (std::size_t g = 0; g < groups; ++g, a += kLine, b += kLine) {
    bfloat16x8_t left[4], right[4];
    for (std::size_t p = 0; p < 4; ++p) {
      left[p] = vreinterpretq_bf16_u16(vld1q_u16(a + 8 * p));
      right[p] = vreinterpretq_bf16_u16(vld1q_u16(b + 8 * p));
    }
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t q = 0; q < 4; ++q) sum[p][q] = vbfmmlaq_f32(sum[p][q], left[p], right[q]);
  }
  for (std::size_t p = 0; p < 4; ++p)
    for (std::size_t q = 0; q < 4; ++q) {
      vst1_f32(c + 2 * p * kBlock + 2 * q, vget_low_f32(sum[p][q]));
      vst1_f32(c + (2 * p + 1) * kBlock + 2 * q, vget_high_f32(sum[p][q]));
    }
}
#else
void multiply_blocks(const std::uint16_t*, const std::uint16_t*, std::size_t, float*) {}
#endif

}  // namespace

RoughGram::RoughGram(bool rounded) : rounded_(rounded && has_bfmmla()) {}

void RoughGram::add(MatrixView<const float> b, TiledSymmetric<double>& g, Threads& threads) {
  if (rounded_) return add_rounded(b, g, threads);
  threads.run(g.tile_count(), [&](std::size_t t, int) {
    thread_local AlignedVector<float> scratch;
    const auto [I, J] = tile_index(g.tile_count() - 1 - t);
    const MatrixView<double> tile = g.block(I, J);
    const auto columns = [&](std::size_t K) {
      return MatrixView<const float>{b.data + K * g.tile(), b.rows, g.extent(K), b.stride};
    };
    scratch.resize(g.tile() * g.tile());
    const MatrixView<float> product{scratch.data(), tile.rows, tile.cols, tile.cols};
    blas::gemm(blas::Op::transposed, blas::Op::plain, 1.0f, columns(I), columns(J), 0.0f, product);
    for (std::size_t i = 0; i < tile.rows; ++i)
      for (std::size_t j = 0; j < tile.cols; ++j) tile(i, j) += double(product(i, j));
  });
}

void RoughGram::add_rounded(MatrixView<const float> b, TiledSymmetric<double>& g, Threads& threads) {
  const std::size_t groups = (b.rows + kGroup - 1) / kGroup, blocks = (g.size() + kBlock - 1) / kBlock;
  const MatrixView<const float> columns{b.data, b.rows, g.size(), b.stride};
  packed_.resize(blocks * groups * kLine);
  const auto packed = [&](std::size_t block, std::size_t group) {
    return packed_.data() + (block * groups + group) * kLine;
  };
  threads.run(blocks, [&](std::size_t block, int) { pack_block(columns, block, groups, packed(block, 0)); });

  const std::size_t tile_blocks = g.tile() / kBlock;
  threads.run(g.tile_count(), [&](std::size_t t, int) {
    const auto [I, J] = tile_index(g.tile_count() - 1 - t);
    const MatrixView<double> tile = g.block(I, J);
    const std::size_t rows = (tile.rows + kBlock - 1) / kBlock, cols = (tile.cols + kBlock - 1) / kBlock;
    float product[kBlock * kBlock];
    for (std::size_t depth = 0; depth < groups; depth += kDepth)
      for (std::size_t narrow = 0; narrow < cols; narrow += kNarrow)
        for (std::size_t p = 0; p < rows; ++p)
          for (std::size_t q = narrow; q < std::min(cols, narrow + kNarrow); ++q) {
            multiply_blocks(packed(I * tile_blocks + p, depth), packed(J * tile_blocks + q, depth),
                            std::min(kDepth, groups - depth), product);
            const std::size_t height = std::min(kBlock, tile.rows - p * kBlock);
            const std::size_t width = std::min(kBlock, tile.cols - q * kBlock);
            for (std::size_t i = 0; i < height; ++i)
              for (std::size_t j = 0; j < width; ++j)
                tile(p * kBlock + i, q * kBlock + j) += double(product[i * kBlock + j]);
          }
  });
}

}  // namespace bochner
