// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/require.h"
#include "bochner/kernel_family.h"
#include "kernels/law.h"
#include "random/draw.h"
#include "random/elementary.h"

namespace bochner {

namespace {

constexpr double kFinest = 0x1p-50;  // digits smaller than this are filled by one uniform

std::vector<std::uint32_t> first_primes(std::size_t count) {
  std::vector<std::uint32_t> primes;
  for (std::uint32_t n = 2; primes.size() < count; ++n)
    if (std::all_of(primes.begin(),
                    std::find_if(primes.begin(), primes.end(), [&](std::uint32_t p) { return p * p > n; }),
                    [&](std::uint32_t p) { return n % p != 0; }))
      primes.push_back(n);
  return primes;
}

// Input j of the randomized Halton sequence: digits of the index in base b, each place through a random permutation of
// its own. Owen, "A randomized Halton algorithm in R", 2017. Every point alone is uniform in (0, 1).
class HaltonInput {
 public:
  HaltonInput(std::uint64_t seed, std::size_t input, std::uint32_t base, std::size_t count)
      : seed_(seed), input_(input), base_(base) {
    double unit = 1;
    for (std::size_t place = 0; unit > kFinest; ++place, unit /= base) {
      // Every point has the digit 0 beyond the digits of the last index: one permuted value will do.
      const bool used = std::pow(double(base), double(place)) < double(count);
      std::vector<std::uint32_t> order(base);
      std::iota(order.begin(), order.end(), 0u);
      for (std::uint32_t i = 0; i + 1 < (used ? base : 2); ++i) {
        const double u = uniform(seed, Draw::pick, input, i, place + 1);
        std::swap(order[i], order[i + std::min(base - 1 - i, std::uint32_t(u * (base - i)))]);
      }
      if (!used) order.resize(1);
      places_.push_back(std::move(order));
    }
  }

  double at(std::uint64_t index) const {
    double value = 0, unit = 1;
    std::uint64_t rest = index;
    for (const std::vector<std::uint32_t>& order : places_) {
      unit /= base_;
      value += unit * order[rest % base_ < order.size() ? rest % base_ : 0];
      rest /= base_;
    }
    value += unit * uniform(seed_, Draw::pick, input_, index, 0);
    return std::clamp(value, 0x1p-53, 1 - 0x1p-53);
  }

 private:
  std::uint64_t seed_;
  std::size_t input_;
  std::uint32_t base_;
  std::vector<std::vector<std::uint32_t>> places_;
};

}  // namespace

// Quasi-Monte Carlo feature maps. Avron, Sindhwani, Yang & Mahoney, JMLR 2016. A law of the length alone takes its
// directions from the sequence, and the gaussian also its lengths.
void draw_quasi_frequencies(const Kernel& kernel, std::uint64_t seed, std::size_t count, std::size_t inputs,
                            std::span<double> omega) {
  require(has_radial_law(kernel), "fourier map: draw=quasi needs a kernel of the L2 distance, found {}",
          kernel_name(kernel));
  const std::vector<std::uint32_t> primes = first_primes(inputs);
  for (std::size_t j = 0; j < inputs; ++j) {
    const HaltonInput input(seed, j, primes[j], count);
    for (std::size_t i = 0; i < count; ++i) omega[i * inputs + j] = normal_quantile(input.at(i));
  }
  Kernel unit = kernel;
  unit.length_scales = {1.0};
  std::vector<double> drawn(inputs);
  const auto length = [&](const double* w) { return std::sqrt(std::inner_product(w, w + inputs, w, 0.0)); };
  for (std::size_t i = 0; i < count; ++i) {
    double* const w = &omega[i * inputs];
    if (kernel.family != Kernel::Family::gaussian) {
      draw_frequency(unit, seed, i, drawn);
      const double factor = length(drawn.data()) / length(w);
      for (std::size_t j = 0; j < inputs; ++j) w[j] *= factor;
    }
    for (std::size_t j = 0; j < inputs; ++j) w[j] /= kernel.length_scale(j);
  }
}

}  // namespace bochner
