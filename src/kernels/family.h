// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bochner/kernel.h"

namespace bochner {

// What a kernel's own file says about it. `unit` means length scale 1.
struct KernelFamily {
  const char* name;
  // k(x - y), the length scales applied.
  double (*value)(const Kernel& kernel, std::span<const double> x, std::span<const double> y);
  // Frequency `index` of the unit law.
  void (*draw)(const Kernel& kernel, std::uint64_t seed, std::uint64_t index, std::span<double> omega);
  // E omega_j^2 of the unit law.
  double (*second_moment)(const Kernel& kernel);
  // The sigma that gives exp(-gamma |x - y|^2) or, for the laplacian, exp(-gamma |x - y|_1); for the other
  // kernels the one that decays on that scale.
  double (*sigma)(double gamma);
  // The distance the kernel is a function of (for the cauchy: to first order).
  enum class Norm { l1, l2 } norm;
};

extern const KernelFamily kGaussian;
extern const KernelFamily kLaplacian;
extern const KernelFamily kCauchy;
extern const KernelFamily kMatern;
extern const KernelFamily kRationalQuadratic;
extern const KernelFamily kLaplacian2;

const KernelFamily& family_of(const Kernel& kernel);

// |(x - y) / length scale|_2^2 and |(x - y) / length scale|_1.
inline double squared_distance(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double delta = (x[j] - y[j]) / kernel.length_scale(j);
    sum += delta * delta;
  }
  return sum;
}
inline double absolute_distance(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += std::fabs(x[j] - y[j]) / kernel.length_scale(j);
  return sum;
}

// omega = independent standard normals, entry j being input j of the frequency.
void draw_normals(std::uint64_t seed, std::uint64_t index, std::span<double> omega);

}  // namespace bochner
