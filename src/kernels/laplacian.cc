// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>
#include <limits>

#include "kernels/family.h"
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

double second_moment(const Kernel&) { return std::numeric_limits<double>::infinity(); }
double sigma(double gamma) { return 1 / gamma; }

}  // namespace

const KernelFamily kLaplacian = {"laplacian", value, draw, second_moment, sigma, KernelFamily::Norm::l1};

}  // namespace bochner
