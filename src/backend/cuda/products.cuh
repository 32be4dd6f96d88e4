// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/cuda/features.cuh"

// Exact products of digits on the tensor cores: the lower triangle of q q^T, tile after tile,
//   q = 128 h + l:  q q' = 2^14 h h' + 2^7 (h l' + l h') + l l',
// each of the three in int32 over the rows of a launch, at most 131,072, and then added to int64.
namespace bochner::cuda {

constexpr int kTile = kBrick;  // features of a side
constexpr int kMostDepth = 131072;
static_assert(std::int64_t(kMostDepth) * (2 * 127 * 64) < std::int64_t(1) << 31);
static_assert(std::int64_t(kMostDepth) * (127 * 127) < std::int64_t(1) << 31);

// Digits as Digits has them, the first `bricks` of rows; sums: tile after tile of the lower triangle.
struct Products {
  const std::int8_t* digits;
  std::size_t bricks_high, bricks_wide;
  int bricks;
  long long* sums;
  int whole, splits;  // tiles that a block has alone; blocks that share each of the others, by rows

  __device__ const std::int8_t* brick(int plane, int features, int rows) const {
    return digits + ((plane * bricks_high + features) * bricks_wide + rows) * kBrickBytes;
  }
};

// Row and column of tile t of the lower triangle.
__device__ inline int2 tile_place(int t) {
  int row = int((sqrtf(8.0f * float(t) + 1.0f) - 1.0f) / 2.0f);
  while ((row + 1) * (row + 2) / 2 <= t) ++row;
  while (row * (row + 1) / 2 > t) --row;
  return {row, t - row * (row + 1) / 2};
}

__device__ inline long long joined(std::int32_t high, std::int32_t mid, std::int32_t low) {
  return ((long long)high << 14) + ((long long)mid << 7) + low;
}
__device__ inline void add_two(long long* at, long long a, long long b) {
  auto* const both = reinterpret_cast<longlong2*>(at);
  longlong2 sum = *both;
  sum.x += a;
  sum.y += b;
  *both = sum;
}
__device__ inline void add_two_shared(long long* at, long long a, long long b) {
  atomicAdd(reinterpret_cast<unsigned long long*>(at), (unsigned long long)a);
  atomicAdd(reinterpret_cast<unsigned long long*>(at) + 1, (unsigned long long)b);
}

// What a block does: bricks first .. first + count - 1 of a tile.
struct Share {
  int tile, first, count;
  bool alone;

  __device__ Share(const Products& of, int block) : tile(block), first(0), count(of.bricks), alone(true) {
    if (block < of.whole) return;
    const int other = block - of.whole, part = other % of.splits;
    tile = of.whole + other / of.splits;
    first = of.bricks * part / of.splits;
    count = of.bricks * (part + 1) / of.splits - first;
    alone = of.splits == 1;
  }
};
// Blocks come in rounds, one a multiprocessor. The tiles of the last round, which would leave most of them idle, are
// shared by several blocks each: sums of integers may be added in any order.
inline int shared_out(Products& of, int tiles, int processors) {
  of.whole = tiles / processors * processors;
  const int rest = tiles - of.whole;
  of.splits = rest > 0 ? processors / rest : 1;
  return of.whole + rest * of.splits;
}

// Rows first .. of the sums, row after row; entries of tiles above the diagonal are 0.
__global__ void take_rows(const long long* sums, std::size_t first, std::size_t cols, long long* rows) {
  const std::size_t i = first + blockIdx.y, j = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= cols) return;
  const std::size_t I = i / kTile, J = j / kTile;
  rows[blockIdx.y * cols + j] = J > I ? 0 : sums[((I * (I + 1) / 2 + J) * kTile + i % kTile) * kTile + j % kTile];
}

}  // namespace bochner::cuda
