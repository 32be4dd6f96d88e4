// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/cuda/products.cuh"

// Products by groups of four warps, which read the digits where they lie in shared memory: Hopper. Two groups have half
// a tile each, 64 x 128 in 192 registers a thread; one thread of a third fetches bricks for both.
namespace bochner::cuda {

constexpr int kGroup = 128, kWgmmaThreads = 3 * kGroup, kWgmmaStages = 3;
constexpr int kWgmmaStageBytes = 4 * kBrickBytes;  // both digits of both sides
constexpr int kWgmmaShared = kWgmmaStages * kWgmmaStageBytes + 1024 + 2 * kWgmmaStages * 8;

#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)

// Bytes of shared memory in rows of 128, eight of which are swizzled together.
__device__ inline std::uint64_t described(std::uint32_t address) {
  return (std::uint64_t(1) << 62) | (std::uint64_t(1024 >> 4) << 32) | (std::uint64_t(1) << 16) |
         ((address & 0x3ffff) >> 4);
}

__device__ inline void multiply_add_group(std::int32_t (&d)[64], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8\n"
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63},\n"
      "%64, %65, p;\n"
      "}\n"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]), "+r"(d[8]),
        "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]), "+r"(d[16]),
        "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]), "+r"(d[24]),
        "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31]), "+r"(d[32]),
        "+r"(d[33]), "+r"(d[34]), "+r"(d[35]), "+r"(d[36]), "+r"(d[37]), "+r"(d[38]), "+r"(d[39]), "+r"(d[40]),
        "+r"(d[41]), "+r"(d[42]), "+r"(d[43]), "+r"(d[44]), "+r"(d[45]), "+r"(d[46]), "+r"(d[47]), "+r"(d[48]),
        "+r"(d[49]), "+r"(d[50]), "+r"(d[51]), "+r"(d[52]), "+r"(d[53]), "+r"(d[54]), "+r"(d[55]), "+r"(d[56]),
        "+r"(d[57]), "+r"(d[58]), "+r"(d[59]), "+r"(d[60]), "+r"(d[61]), "+r"(d[62]), "+r"(d[63])
      : "l"(a), "l"(b));
}

__device__ inline void wait_for(std::uint32_t barrier, int parity) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      "@!p bra again;\n"
      "}\n" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__device__ inline void fetch_brick(std::uint32_t to, const std::int8_t* from, std::uint32_t barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(kBrickBytes), "r"(barrier)
               : "memory");
}

struct Stages {
  std::uint32_t base, full, empty;

  __device__ explicit Stages(unsigned char* shared) {
    const auto start = std::uint32_t(__cvta_generic_to_shared(shared));
    base = (start + 1023) / 1024 * 1024;
    full = base + kWgmmaStages * kWgmmaStageBytes;
    empty = full + kWgmmaStages * 8;
  }
  __device__ void begin() const {
    for (int s = 0; s < kWgmmaStages; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + s * 8));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(empty + s * 8));
    }
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
};

__device__ inline void fetch_all(const Products& of, const Share& share, const Stages& stages) {
  const int2 tile = tile_place(share.tile);
  for (int step = 0; step < share.count; ++step) {
    const int s = step % kWgmmaStages, round = step / kWgmmaStages, brick = share.first + step;
    if (round > 0) wait_for(stages.empty + s * 8, (round - 1) % 2);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(stages.full + s * 8),
                 "r"(kWgmmaStageBytes)
                 : "memory");
    const std::uint32_t to = stages.base + s * kWgmmaStageBytes;
    for (int plane = 0; plane < 2; ++plane) {
      fetch_brick(to + plane * kBrickBytes, of.brick(plane, tile.x, brick), stages.full + s * 8);
      fetch_brick(to + (2 + plane) * kBrickBytes, of.brick(plane, tile.y, brick), stages.full + s * 8);
    }
  }
}

__device__ inline void multiply_all(const Share& share, const Stages& stages, int group, long long* out) {
  std::int32_t high[64] = {}, mid[64] = {}, low[64] = {};
  for (int step = 0; step < share.count; ++step) {
    const int s = step % kWgmmaStages;
    wait_for(stages.full + s * 8, step / kWgmmaStages % 2);
    const std::uint32_t a = stages.base + s * kWgmmaStageBytes + group * (kBrickBytes / 2);
    const std::uint32_t b = stages.base + s * kWgmmaStageBytes + 2 * kBrickBytes;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int k = 0; k < kBrick; k += 32) {
      const std::uint64_t ah = described(a + k), al = described(a + kBrickBytes + k);
      const std::uint64_t bh = described(b + k), bl = described(b + kBrickBytes + k);
      multiply_add_group(high, ah, bh);
      multiply_add_group(mid, ah, bl);
      multiply_add_group(low, al, bl);
      multiply_add_group(mid, al, bh);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (threadIdx.x % kGroup == 0)
      asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(stages.empty + s * 8) : "memory");
  }
  const int warp = int(threadIdx.x) % kGroup / 32, lane = int(threadIdx.x) % 32;
#pragma unroll
  for (int n = 0; n < 16; ++n)
#pragma unroll
    for (int lower = 0; lower < 2; ++lower) {
      const int row = group * 64 + warp * 16 + lower * 8 + lane / 4, col = n * 8 + lane % 4 * 2, e = n * 4 + lower * 2;
      const long long a = joined(high[e], mid[e], low[e]), b = joined(high[e + 1], mid[e + 1], low[e + 1]);
      share.alone ? add_two(out + row * kTile + col, a, b) : add_two_shared(out + row * kTile + col, a, b);
    }
}

#endif

__global__ void __launch_bounds__(kWgmmaThreads, 1) add_products_wgmma(Products of) {
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ unsigned char shared[];
  const Stages stages(shared);
  const Share share(of, int(blockIdx.x));
  const int group = int(threadIdx.x) / kGroup;
  if (threadIdx.x == 0) stages.begin();
  __syncthreads();
  if (group == 2) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x == 2 * kGroup) fetch_all(of, share, stages);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    multiply_all(share, stages, group, of.sums + std::size_t(share.tile) * kTile * kTile);
  }
#endif
}

}  // namespace bochner::cuda
