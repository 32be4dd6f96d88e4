// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>

#include "bochner/binning.h"

namespace bochner {

// The pitch of one input of one grid, in length scales: a pure function of its arguments.
double draw_pitch(const PitchLaw& law, std::uint64_t seed, std::uint64_t grid, std::uint64_t input);

}  // namespace bochner
