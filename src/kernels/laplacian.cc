// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "bochner/kernel_family.h"
#include "random/draw.h"

namespace bochner {

namespace {

double value(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  return std::exp(-absolute_distance(kernel, x, y));
}

// omega_j ~ Cauchy(0, 1), independent: exp(-|D|) is its characteristic function.
void draw(const Kernel&, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
  for (std::size_t j = 0; j < omega.size(); ++j) omega[j] = cauchy_draw(seed, Draw::frequency, index, j);
}

}  // namespace

extern const KernelFamily kLaplacian = {
    .name = "laplacian",
    .has_gamma = true,
    .value = value,
    .draw = draw,
    .law = KernelFamily::Law::any,
    .sigma = [](double gamma) { return 1 / gamma; },
    .norm = KernelFamily::Norm::l1,
    .shape = [](const Kernel&) -> std::optional<KernelShape> { return KernelShape::exponential1; },
};

}  // namespace bochner
