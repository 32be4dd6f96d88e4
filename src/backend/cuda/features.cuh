// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/cuda/numbers.h"

// Rows become digits: z = map(x) as backend/cpu/fourier.cc finds it, times the root of the row's weight, made whole.
// The high digits lie in one plane and the low ones in another.
namespace bochner::cuda {

// Where digits go: bricks of 128 features x 128 rows, a feature's rows in 128 bytes, whose groups of 16 are in the
// order that keeps the tensor cores' reads of 8 features apart (the 128-byte swizzle of wgmma). A side of products
// takes a brick as it lies.
constexpr int kBrick = 128, kBrickBytes = kBrick * kBrick;
struct Digits {
  std::int8_t* bytes;
  std::size_t bricks_high, bricks_wide, first;  // of features, of rows; the row from which on to write, whole bricks

  __device__ std::int8_t* at(int plane, std::size_t feature, int row) const {
    const std::size_t brick = (plane * bricks_high + feature / kBrick) * bricks_wide + (first + row) / kBrick;
    const int sixteen = (row % kBrick / 16) ^ int(feature % 8);
    return bytes + brick * kBrickBytes + feature % kBrick * kBrick + sixteen * 16 + row % 16;
  }
};

struct Rows {
  const float* x;  // rows x inputs
  const float* roots;
  const unsigned char* may_overflow;
  int rows, padded;  // padded: with rows of zeros behind, whole bricks
};

struct Frequencies {
  const float *panels, *phase;  // backend/fourier_weights.h
  int inputs, frequencies;
  float scale;
  TurnsCoefficients turns;
};

// Whether angles of a row may overflow though its inputs are finite: the map says what such an angle counts as.
__global__ void find_overflow(const float* x, int rows, int inputs, unsigned safe, unsigned char* may_overflow) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= rows) return;
  unsigned most = 0;
  for (int j = 0; j < inputs; ++j) most = max(most, __float_as_uint(x[std::size_t(i) * inputs + j]) & 0x7fffffffu);
  may_overflow[i] = most > safe && most < 0x7f800000u;
}

constexpr int kTileRows = 128, kTileFrequencies = 64, kTileInputs = 32, kThreads = 256;
constexpr int kRowsEach = 8, kFrequenciesEach = 4;

// A thread has 8 rows and 4 frequencies: one sum each, from the phase on, input after input.
__device__ inline void sum_turns(const Frequencies& w, const Rows& rows, int row0, int f0, int tx, int ty,
                                 float (&sum)[kRowsEach][kFrequenciesEach]) {
  __shared__ float xs[kTileInputs][kTileRows + 4];
  __shared__ float ws[kTileInputs][kTileFrequencies];
#pragma unroll
  for (int f = 0; f < kFrequenciesEach; ++f) {
    const int at = f0 + ty * kFrequenciesEach + f;
    const float start = w.phase && at < w.frequencies ? w.phase[at] : 0;
#pragma unroll
    for (int r = 0; r < kRowsEach; ++r) sum[r][f] = start;
  }
  for (int k0 = 0; k0 < w.inputs; k0 += kTileInputs) {
    __syncthreads();
    for (int e = threadIdx.x; e < kTileRows * kTileInputs; e += kThreads) {
      const int r = e / kTileInputs, k = e % kTileInputs;
      const bool there = row0 + r < rows.rows && k0 + k < w.inputs;
      xs[k][r] = there ? rows.x[std::size_t(row0 + r) * w.inputs + k0 + k] : 0;
    }
    for (int e = threadIdx.x; e < kTileInputs * kTileFrequencies; e += kThreads) {
      const int k = e / kTileFrequencies, f = f0 + e % kTileFrequencies;
      const bool there = k0 + k < w.inputs && f < (w.frequencies + 15) / 16 * 16;
      ws[k][e % kTileFrequencies] = there ? w.panels[(std::size_t(f / 16) * w.inputs + k0 + k) * 16 + f % 16] : 0;
    }
    __syncthreads();
    const int inputs = min(kTileInputs, w.inputs - k0);
    for (int k = 0; k < inputs; ++k) {
      float x[kRowsEach], v[kFrequenciesEach];
#pragma unroll
      for (int r = 0; r < kRowsEach; ++r) x[r] = xs[k][tx * kRowsEach + r];
#pragma unroll
      for (int f = 0; f < kFrequenciesEach; ++f) v[f] = ws[k][ty * kFrequenciesEach + f];
#pragma unroll
      for (int r = 0; r < kRowsEach; ++r)
#pragma unroll
        for (int f = 0; f < kFrequenciesEach; ++f) sum[r][f] = fmaf(x[r], v[f], sum[r][f]);
    }
  }
}

// Eight rows of a feature.
template <class Value>
__device__ void write_digits(const Digits& to, std::size_t feature, const Rows& rows, int row0, float per_unit,
                             const Value& value) {
  std::uint32_t high[2] = {0, 0}, low[2] = {0, 0};
#pragma unroll
  for (int r = 0; r < kRowsEach; ++r) {
    const int i = row0 + r;
    float z = value(r);
    if (rows.roots && i < rows.rows) z *= rows.roots[i];
    const std::int32_t q = i < rows.rows ? whole(z, per_unit) : 0;
    high[r / 4] |= std::uint32_t(std::uint8_t(high_of(q))) << (8 * (r % 4));
    low[r / 4] |= std::uint32_t(std::uint8_t(low_of(q))) << (8 * (r % 4));
  }
  *reinterpret_cast<uint2*>(to.at(0, feature, row0)) = make_uint2(high[0], high[1]);
  *reinterpret_cast<uint2*>(to.at(1, feature, row0)) = make_uint2(low[0], low[1]);
}

__global__ void __launch_bounds__(kThreads) fourier_digits(Frequencies w, Rows rows, float per_unit, Digits to) {
  const int row0 = int(blockIdx.x) * kTileRows, f0 = int(blockIdx.y) * kTileFrequencies;
  const int tx = int(threadIdx.x) % 16, ty = int(threadIdx.x) / 16;
  float sum[kRowsEach][kFrequenciesEach];
  sum_turns(w, rows, row0, f0, tx, ty, sum);
  const int mine = row0 + tx * kRowsEach;
  if (mine >= rows.padded) return;
#pragma unroll
  for (int f = 0; f < kFrequenciesEach; ++f) {
    const int at = f0 + ty * kFrequenciesEach + f;
    if (at >= w.frequencies) continue;
    write_digits(to, at, rows, mine, per_unit, [&](int r) {
      const float z = cosine_of_turns(w.turns, sum[r][f]);
      return !isfinite(z) && mine + r < rows.rows && rows.may_overflow[mine + r] ? w.scale : z;
    });
    if (w.phase) continue;
    write_digits(to, w.frequencies + at, rows, mine, per_unit, [&](int r) {
      const float z = sine_of_turns(w.turns, sum[r][f]);
      return !isfinite(z) && mine + r < rows.rows && rows.may_overflow[mine + r] ? 0.0f : z;
    });
  }
}

// Columns of whole numbers behind the features; y: rows x columns.
__global__ void column_digits(const float* y, int columns, int rows, int padded, std::size_t first_feature, Digits to) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= padded) return;
  for (int c = 0; c < columns; ++c) {
    const std::int32_t q = i < rows ? whole(y[std::size_t(i) * columns + c], 1) : 0;
    *to.at(0, first_feature + c, i) = high_of(q);
    *to.at(1, first_feature + c, i) = low_of(q);
  }
}

}  // namespace bochner::cuda
