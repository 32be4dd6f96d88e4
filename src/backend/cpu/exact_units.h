// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>

#include "backend/exact_product.h"

namespace bochner::cpu {

// The ways to it, each with a layout of its own.
extern const ExactProduct kExactAmx;      // x86: tiles of 16 x 64 by 64 x 16 digits
extern const ExactProduct kExactVnni;     // x86, AVX-512: 16 sums of two whole numbers' products, or of four digits'
extern const ExactProduct kExactI8mm;     // Arm: 2 x 8 by 8 x 2 digits
extern const ExactProduct kExactDotprod;  // Arm: 4 sums of four digits' products
extern const ExactProduct kExactVectors;  // everywhere: products of 16 bits, by Highway
extern const ExactProduct kExactAmxInCode, kExactVnniInCode;

// The units of this build, the fastest first.
std::span<const ExactProduct* const> exact_units();

// Whether a small product is that of plain loops. A processor, or what emulates it, that gets an instruction wrong is
// found out before it spoils a model.
bool multiplies_exactly(const ExactProduct& unit);

// The fastest of those that may be used (target_choice.h) and do.
const ExactProduct& exact_unit();

}  // namespace bochner::cpu
