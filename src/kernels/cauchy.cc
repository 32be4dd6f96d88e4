// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "bochner/kernel_family.h"
#include "random/draw.h"

namespace bochner {

namespace {

double value(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  double product = 1;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double delta = (x[j] - y[j]) / kernel.length_scale(j);
    product /= 1 + delta * delta;
  }
  return product;
}

// omega_j ~ Laplace(0, 1), independent.
void draw(const Kernel&, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
  for (std::size_t j = 0; j < omega.size(); ++j) omega[j] = laplace_draw(seed, Draw::frequency, index, j);
}

// 1 / (1 + D^2) = 1 - D^2 + ...: the gaussian's curvature at 0. The distance is L2 for the same reason.

}  // namespace

extern const KernelFamily kCauchy = {
    .name = "cauchy",
    .value = value,
    .draw = draw,
    .law = KernelFamily::Law::any,
    .second_moment = [](const Kernel&) { return 2.0; },
    .sigma = [](double gamma) { return std::sqrt(1 / gamma); },
    .shape = [](const Kernel&) -> std::optional<KernelShape> { return KernelShape::cauchy; },
};

}  // namespace bochner
