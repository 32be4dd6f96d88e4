// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "bochner/kernel_family.h"

namespace bochner {

namespace {

double value(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  return std::exp(-0.5 * squared_distance(kernel, x, y));
}

// omega ~ N(0, I).
void draw(const Kernel&, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
  draw_normals(seed, index, omega);
}

}  // namespace

extern const KernelFamily kGaussian = {
    .name = "gaussian",
    .alias = "rbf",
    .has_gamma = true,
    .value = value,
    .draw = draw,
    .law = KernelFamily::Law::radial,
    .second_moment = [](const Kernel&) { return 1.0; },
    .shape = [](const Kernel&) -> std::optional<KernelShape> { return KernelShape::gaussian; },
};

}  // namespace bochner
