// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <span>

#include "bochner/matrix.h"

namespace bochner::cpu {

// What multiplies bfloat16, each with a layout of its own. What the functions do is said in backend/backend.h.
struct Bfloat16Unit {
  const char* name;
  bool (*available)();  // this processor has it and the system grants it
  std::size_t (*bytes)(std::size_t rows, std::size_t cols);
  void (*pack)(MatrixView<const float> x, std::byte* packed);
  void (*add_product)(const std::byte* a, const std::byte* b, std::size_t rows, MatrixView<double> sum);
};

extern const Bfloat16Unit kBfmmla;       // Arm: 2 x 4 by 4 x 2 an instruction
extern const Bfloat16Unit kAvx512Bf16;   // x86: 16 sums of two products an instruction
extern const Bfloat16Unit kAmx;          // x86: tiles of 16 x 32 by 32 x 16
extern const Bfloat16Unit kTilesInCode;  // the loop of kAmx over tiles that are plain arrays: everywhere, for tests

// Rows whose products are summed in float before they go to the double sums.
constexpr std::size_t kBfloat16Depth = 1024;

// The units of this build, the fastest first.
std::span<const Bfloat16Unit* const> bfloat16_units();

// The fastest of those that may be used (target_choice.h); the one in code where there is none.
const Bfloat16Unit& bfloat16_unit();

}  // namespace bochner::cpu
