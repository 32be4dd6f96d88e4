// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "kernels/family.h"

namespace bochner {

namespace {

double value(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  return std::exp(-0.5 * squared_distance(kernel, x, y));
}

// omega ~ N(0, I).
void draw(const Kernel&, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
  draw_normals(seed, index, omega);
}

double second_moment(const Kernel&) { return 1; }
double sigma(double gamma) { return std::sqrt(0.5 / gamma); }

}  // namespace

const KernelFamily kGaussian = {"gaussian", value, draw, second_moment, sigma, KernelFamily::Norm::l2};

}  // namespace bochner
