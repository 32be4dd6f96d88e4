// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/cuda/products.cuh"

// Products by warps: every GPU from Ampere on. A block has half a tile, 128 x 64, a warp 32 x 32 of it in 96 registers.
namespace bochner::cuda {

constexpr int kMmaThreads = 256, kMmaStages = 2;
constexpr int kHalfBytes = kBrickBytes / 2, kMmaStageBytes = 2 * kBrickBytes + 2 * kHalfBytes;
constexpr int kMmaShared = kMmaStages * kMmaStageBytes;

__device__ inline void copy_async(std::uint32_t to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}
__device__ inline void load_four(std::uint32_t (&r)[4], std::uint32_t from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from));
}
__device__ inline void multiply_add(std::int32_t (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                                    std::uint32_t b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// The byte of a brick where 16 rows of a feature lie.
__device__ inline int place(int feature, int sixteen) { return feature * kBrick + (sixteen ^ (feature & 7)) * 16; }

__global__ void __launch_bounds__(kMmaThreads, 1) add_products_mma(Products of) {
  extern __shared__ __align__(128) unsigned char shared[];
  const int2 tile = tile_place(int(blockIdx.x) / 2);
  const int half = int(blockIdx.x) % 2;
  const int thread = int(threadIdx.x), lane = thread % 32, warp = thread / 32;
  const int warp_row = warp / 2 * 32, warp_col = warp % 2 * 32;
  const auto base = std::uint32_t(__cvta_generic_to_shared(shared));

  const auto fetch = [&](int brick) {
    const std::uint32_t to = base + brick % kMmaStages * kMmaStageBytes;
    for (int plane = 0; plane < 2; ++plane) {
      const std::int8_t* const a = of.brick(plane, tile.x, brick);
      const std::int8_t* const b = of.brick(plane, tile.y, brick) + half * kHalfBytes;
      for (int at = thread * 16; at < kBrickBytes; at += kMmaThreads * 16)
        copy_async(to + plane * kBrickBytes + at, a + at);
      for (int at = thread * 16; at < kHalfBytes; at += kMmaThreads * 16)
        copy_async(to + 2 * kBrickBytes + plane * kHalfBytes + at, b + at);
    }
  };

  std::int32_t high[2][4][4] = {}, mid[2][4][4] = {}, low[2][4][4] = {};
  fetch(0);
  asm volatile("cp.async.commit_group;");
  for (int brick = 0; brick < of.bricks; ++brick) {
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    if (brick + 1 < of.bricks) fetch(brick + 1);
    asm volatile("cp.async.commit_group;");
    const std::uint32_t a0 = base + brick % kMmaStages * kMmaStageBytes, b0 = a0 + 2 * kBrickBytes;
#pragma unroll
    for (int k = 0; k < kBrick / 32; ++k) {
      std::uint32_t a[2][2][4];  // digit, 16 rows of the tile
#pragma unroll
      for (int digit = 0; digit < 2; ++digit)
#pragma unroll
        for (int m = 0; m < 2; ++m)
          load_four(a[digit][m], a0 + digit * kBrickBytes + place(warp_row + m * 16 + lane % 16, k * 2 + lane / 16));
#pragma unroll
      for (int pair = 0; pair < 2; ++pair) {
        std::uint32_t b[2][4];  // digit; two times 8 columns
#pragma unroll
        for (int digit = 0; digit < 2; ++digit)
          load_four(b[digit], b0 + digit * kHalfBytes +
                                  place(warp_col + pair * 16 + lane / 16 * 8 + lane % 8, k * 2 + lane / 8 % 2));
#pragma unroll
        for (int m = 0; m < 2; ++m)
#pragma unroll
          for (int n = 0; n < 2; ++n) {
            multiply_add(high[m][pair * 2 + n], a[0][m], b[0][n * 2], b[0][n * 2 + 1]);
            multiply_add(mid[m][pair * 2 + n], a[0][m], b[1][n * 2], b[1][n * 2 + 1]);
            multiply_add(low[m][pair * 2 + n], a[1][m], b[1][n * 2], b[1][n * 2 + 1]);
            multiply_add(mid[m][pair * 2 + n], a[1][m], b[0][n * 2], b[0][n * 2 + 1]);
          }
      }
    }
    __syncthreads();
  }
  long long* const out = of.sums + std::size_t(blockIdx.x / 2) * kTile * kTile + half * kTile / 2;
#pragma unroll
  for (int m = 0; m < 2; ++m)
#pragma unroll
    for (int n = 0; n < 4; ++n)
#pragma unroll
      for (int lower = 0; lower < 2; ++lower) {
        const int row = warp_row + m * 16 + lower * 8 + lane / 4, col = warp_col + n * 8 + lane % 4 * 2, e = lower * 2;
        add_two(out + row * kTile + col, joined(high[m][n][e], mid[m][n][e], low[m][n][e]),
                joined(high[m][n][e + 1], mid[m][n][e + 1], low[m][n][e + 1]));
      }
}

}  // namespace bochner::cuda
