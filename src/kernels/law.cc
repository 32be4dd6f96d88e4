// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "kernels/law.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "kernels/family.h"
#include "random/draw.h"

namespace bochner {

// Heavy-tailed laws reach 1e30 once in a lifetime, but a float must hold the product with the inputs.
constexpr double kLargestFrequency = 1e30;

const KernelFamily& family_of(const Kernel& kernel) {
  switch (kernel.family) {
    case Kernel::Family::gaussian:
      return kGaussian;
    case Kernel::Family::laplacian:
      return kLaplacian;
    case Kernel::Family::cauchy:
      return kCauchy;
    case Kernel::Family::matern:
      return kMatern;
    case Kernel::Family::rational_quadratic:
      return kRationalQuadratic;
    case Kernel::Family::laplacian2:
      return kLaplacian2;
  }
  throw std::invalid_argument("kernel: unknown family");
}

void draw_normals(std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
  for (std::size_t j = 0; j < omega.size(); ++j) omega[j] = normal(seed, Draw::frequency, index, j);
}

void draw_frequency(const Kernel& kernel, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
  family_of(kernel).draw(kernel, seed, index, omega);
  for (std::size_t j = 0; j < omega.size(); ++j)
    omega[j] = std::clamp(omega[j] / kernel.length_scale(j), -kLargestFrequency, kLargestFrequency);
}

double kernel_value(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  require(x.size() == y.size(), "kernel value: points of {} and {} inputs", x.size(), y.size());
  check_kernel(kernel, x.size());
  return family_of(kernel).value(kernel, x, y);
}

double frequency_second_moment(const Kernel& kernel, std::size_t inputs) {
  check_kernel(kernel, inputs);
  double sum = 0;
  for (std::size_t j = 0; j < inputs; ++j) sum += 1 / (kernel.length_scale(j) * kernel.length_scale(j));
  return family_of(kernel).second_moment(kernel) * sum;
}

void check_kernel(const Kernel& kernel, std::size_t inputs) {
  const char* name = family_of(kernel).name;
  const std::size_t count = kernel.length_scales.size();
  require(count == 1 || count == inputs, "kernel {}: {} length scales, expected 1 or one for each of {} inputs", name,
          count, inputs);
  for (const double scale : kernel.length_scales)
    require(std::isfinite(scale) && scale > 0, "kernel {}: length scale {}, expected a positive number", name, scale);
  if (kernel.family == Kernel::Family::matern)
    require(kernel.nu >= 0.25 && kernel.nu <= 50,
            "kernel matern: nu = {}, expected 0.25 to 50 (0.5 is laplacian2, infinity is gaussian)", kernel.nu);
  if (kernel.family == Kernel::Family::rational_quadratic)
    require(kernel.alpha >= 1e-3 && kernel.alpha <= 1e6,
            "kernel rational-quadratic: alpha = {}, expected 0.001 to 1e6 (infinity is gaussian)", kernel.alpha);
}

}  // namespace bochner
