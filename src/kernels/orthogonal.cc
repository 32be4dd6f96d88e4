// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>
#include <vector>

#include "base/require.h"
#include "bochner/kernel_family.h"
#include "kernels/law.h"

namespace bochner {

namespace {

double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) sum += a[j] * b[j];
  return sum;
}

}  // namespace

bool has_radial_law(const Kernel& kernel) { return kernel.family->law == KernelFamily::Law::radial; }

void draw_orthogonal_frequencies(const Kernel& kernel, std::uint64_t seed, std::size_t count, std::size_t inputs,
                                 std::span<double> omega) {
  require(has_radial_law(kernel), "fourier map: the frequencies of the {} kernel have no direction to make orthogonal",
          kernel_name(kernel));
  Kernel unit = kernel;
  unit.length_scales = {1.0};
  for (std::size_t begin = 0; begin < count; begin += inputs) {
    const std::size_t rows = std::min(inputs, count - begin);
    std::vector<double> directions(rows * inputs);
    for (std::size_t i = 0; i < rows; ++i) {
      double* q = &directions[i * inputs];
      draw_frequency(unit, seed, begin + i, {q, inputs});
      const double length = std::sqrt(dot(q, q, inputs));
      for (std::size_t k = 0; k < i; ++k) {  // modified Gram-Schmidt
        const double* earlier = &directions[k * inputs];
        const double overlap = dot(q, earlier, inputs);
        for (std::size_t j = 0; j < inputs; ++j) q[j] -= overlap * earlier[j];
      }
      const double left = std::sqrt(dot(q, q, inputs));
      for (std::size_t j = 0; j < inputs; ++j) {
        q[j] /= left;
        omega[(begin + i) * inputs + j] = q[j] * length / kernel.length_scale(j);
      }
    }
  }
}

}  // namespace bochner
