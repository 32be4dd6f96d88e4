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

// Orthogonal random features. Yu, Suresh, Choromanski, Holtmann-Rice, Kumar, NIPS 2016.
// `count` frequencies in blocks of as many as there are inputs: in a block they are orthogonal before the length
// scales, each of the length it was drawn with. Each alone still has the kernel's law, so the features stay unbiased,
// and their variance falls. Only for laws that depend on the length alone.
void draw_orthogonal_frequencies(const Kernel& kernel, std::uint64_t seed, std::size_t count, std::size_t inputs,
                                 std::span<double> omega);
// `count` frequencies by a low-discrepancy sequence, each alone with the kernel's law; for the same laws.
void draw_quasi_frequencies(const Kernel& kernel, std::uint64_t seed, std::size_t count, std::size_t inputs,
                            std::span<double> omega);
bool has_radial_law(const Kernel& kernel);

}  // namespace bochner
