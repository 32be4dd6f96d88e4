// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>

#include "bochner/matrix.h"

namespace bochner {

// values[i] = half[at[i]] - x . points(at[i]): what Backend::nearest finds of the same pair, to the bit.
void some_values(const float* x, MatrixView<const float> points, const float* half, std::span<const std::uint32_t> at,
                 float* values);

}  // namespace bochner
