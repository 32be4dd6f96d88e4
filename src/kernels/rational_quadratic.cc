// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "bochner/kernel_family.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr KernelParameter kParameters[] = {{"alpha", 1, 1e-3, 1e6, "infinity is gaussian"}};

double value(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  const double alpha = kernel.parameter(0);
  return std::exp(-alpha * std::log1p(squared_distance(kernel, x, y) / (2 * alpha)));
}

// A scale mixture of gaussian kernels: omega = N(0, I) sqrt(Gamma(alpha) / alpha), one Gamma per frequency vector.
void draw(const Kernel& kernel, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
  draw_normals(seed, index, omega);
  const double alpha = kernel.parameter(0);
  const double factor = std::sqrt(gamma_draw(seed, Draw::radius, alpha, index) / alpha);
  for (double& w : omega) w *= factor;
}

}  // namespace

extern const KernelFamily kRationalQuadratic = {
    .name = "rational-quadratic",
    .parameters = kParameters,
    .value = value,
    .draw = draw,
    .law = KernelFamily::Law::radial,
    .second_moment = [](const Kernel&) { return 1.0; },
    .shape = [](const Kernel&) -> std::optional<KernelShape> { return KernelShape::rational; },
};

}  // namespace bochner
