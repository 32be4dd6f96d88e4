// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bochner/kernel.h"

namespace bochner {

// Writes frequency `index` of the kernel's law into omega (one entry per input): a pure function of the seed.
void draw_frequency(const Kernel& kernel, std::uint64_t seed, std::uint64_t index, std::span<double> omega);

// Throws std::invalid_argument unless the kernel's numbers make sense for this many inputs.
void check_kernel(const Kernel& kernel, std::size_t inputs);

}  // namespace bochner
