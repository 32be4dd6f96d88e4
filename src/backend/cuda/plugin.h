// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>

// What libbochner_cuda.so gives the library: plain functions and numbers, so that two compilers may build the two. A
// function that can fail returns 0 if it did not; error() then says why, of the calling thread.
extern "C" {

constexpr int kBochnerCudaVersion = 2;

// A Fourier map: backend/fourier_weights.h. phase: null for cosines and sines.
struct BochnerCudaFourier {
  std::size_t inputs, frequencies;
  const float *panels, *phase;
  float scale, largest;
};

struct BochnerCuda {
  int version;
  const char* (*error)();
  // "NVIDIA H200, 140 GiB"
  int (*describe)(char* text, std::size_t size);

  // Sums over rows of q(a) q(b)^T, where q has the features of the map, times the root of a row's weight, made whole,
  // and then the columns that come with the rows, which are whole.
  int (*gram_new)(const BochnerCudaFourier* map, std::size_t columns, float per_unit, void** gram);
  // rows x map->inputs, as far apart as `stride`; roots: null for 1; y: rows x columns.
  int (*gram_add)(void* gram, const float* x, std::size_t stride, std::size_t rows, const float* roots, const float* y);
  // Rows first .. first + rows - 1 of the lower triangle of the sums, the first `cols` of each. They stay where they
  // are until the second next call.
  int (*gram_take)(void* gram, std::size_t first, std::size_t rows, std::size_t cols, const std::int64_t** sums);
  void (*gram_delete)(void* gram);
};

// The one symbol of the library.
const BochnerCuda* bochner_cuda();
}
