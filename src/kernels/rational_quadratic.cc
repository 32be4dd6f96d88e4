// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "kernels/family.h"
#include "random/draw.h"

namespace bochner {

namespace {

double value(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  return std::exp(-kernel.alpha * std::log1p(squared_distance(kernel, x, y) / (2 * kernel.alpha)));
}

// A scale mixture of gaussian kernels: omega = N(0, I) sqrt(Gamma(alpha) / alpha), one Gamma per frequency vector.
void draw(const Kernel& kernel, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
  draw_normals(seed, index, omega);
  const double factor = std::sqrt(gamma_draw(seed, Draw::radius, kernel.alpha, index) / kernel.alpha);
  for (double& w : omega) w *= factor;
}

double second_moment(const Kernel&) { return 1; }
double sigma(double gamma) { return std::sqrt(0.5 / gamma); }

}  // namespace

const KernelFamily kRationalQuadratic = {"rational-quadratic", value, draw,
                                         second_moment,        sigma, KernelFamily::Norm::l2};

}  // namespace bochner
