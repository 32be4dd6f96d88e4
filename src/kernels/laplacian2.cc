// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "bochner/kernel_family.h"
#include "random/draw.h"

namespace bochner {

namespace {

double value(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  return std::exp(-std::sqrt(squared_distance(kernel, x, y)));
}

// Multivariate Cauchy: a normal vector over the size of one independent normal.
void draw(const Kernel&, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
  draw_normals(seed, index, omega);
  const double divisor = std::fabs(normal(seed, Draw::radius, index));
  for (double& w : omega) w /= divisor;
}

}  // namespace

extern const KernelFamily kLaplacian2 = {
    .name = "laplacian2",
    .value = value,
    .draw = draw,
    .law = KernelFamily::Law::radial,
    .shape = [](const Kernel&) -> std::optional<KernelShape> { return KernelShape::exponential2; },
};

}  // namespace bochner
