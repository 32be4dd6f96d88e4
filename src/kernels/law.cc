// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "kernels/law.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "bochner/kernel_family.h"
#include "random/draw.h"

namespace bochner {

// A float must hold the product of a frequency with the inputs; heavy-tailed laws can pass 1e30, though hardly ever do.
constexpr double kLargestFrequency = 1e30;

void draw_normals(std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
  for (std::size_t j = 0; j < omega.size(); ++j) omega[j] = normal(seed, Draw::frequency, index, j);
}

double draw_uniform(std::uint64_t seed, std::uint64_t index, std::size_t input) {
  return uniform(seed, Draw::radius, index, input + 1);  // draw_gamma has 0
}

double draw_gamma(std::uint64_t seed, std::uint64_t index, double shape) {
  return gamma_draw(seed, Draw::radius, shape, index);
}

void draw_frequency(const Kernel& kernel, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
  require(kernel.family->draw, "kernel {}: its row has no law of frequencies, so no Fourier features; use nystroem",
          kernel.family->name);
  kernel.family->draw(kernel, seed, index, omega);
  for (std::size_t j = 0; j < omega.size(); ++j)
    omega[j] = std::clamp(omega[j] / kernel.length_scale(j), -kLargestFrequency, kLargestFrequency);
}

double kernel_value(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  require(x.size() == y.size(), "kernel value: points of {} and {} inputs", x.size(), y.size());
  check_kernel(kernel, x.size());
  return kernel.family->value(kernel, x, y);
}

double frequency_second_moment(const Kernel& kernel, std::size_t inputs) {
  check_kernel(kernel, inputs);
  double sum = 0;
  for (std::size_t j = 0; j < inputs; ++j) sum += 1 / (kernel.length_scale(j) * kernel.length_scale(j));
  return kernel.family->second_moment(kernel) * sum;
}

void check_kernel(const Kernel& kernel, std::size_t inputs) {
  const char* name = kernel.family->name;
  const std::size_t count = kernel.length_scales.size();
  require(count == 1 || count == inputs, "kernel {}: {} length scales, expected 1 or one for each of {} inputs", name,
          count, inputs);
  for (const double scale : kernel.length_scales)
    require(std::isfinite(scale) && scale > 0, "kernel {}: length scale {}, expected a positive number", name, scale);
  const auto& parameters = kernel.family->parameters;
  require(kernel.parameters.size() <= parameters.size(), "kernel {}: {} parameters, expected at most {}", name,
          kernel.parameters.size(), parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& [key, initial, low, high, limits] = parameters[i];
    const double value = kernel.parameter(i);
    require(value >= low && value <= high, "kernel {}: {} = {}, expected {} to {}{}", name, key, value, low, high,
            *limits ? fmt::format(" ({})", limits) : "");
  }
  // A row whose parameters must go together says so where it is evaluated.
  if (parameters.size() > 1) {
    const std::vector<double> origin(count);
    kernel.family->value(kernel, origin, origin);
  }
}

}  // namespace bochner
