// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "random/draw.h"

#include <cmath>
#include <limits>

#include "random/elementary.h"
#include "random/philox.h"

namespace bochner {

namespace {

using Words = DrawWords;

Words words(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j, std::uint64_t k) {
  PhiloxKey key = {std::uint32_t(seed), std::uint32_t(seed >> 32)};
  // The low halves of the coordinates fill the counter. High halves, where there are any, choose another key.
  if (((i | j | k) >> 32) != 0) {
    const PhiloxCounter high = {std::uint32_t(i >> 32), std::uint32_t(j >> 32), std::uint32_t(k >> 32),
                                std::uint32_t(purpose) | 0x80000000u};
    const PhiloxCounter derived = philox(high, key);
    key = {derived[0], derived[1]};
  }
  const PhiloxCounter c = philox({std::uint32_t(i), std::uint32_t(j), std::uint32_t(k), std::uint32_t(purpose)}, key);
  return {c[0] | std::uint64_t{c[1]} << 32, c[2] | std::uint64_t{c[3]} << 32};
}

// (m + 1/2) / 2^52: symmetric about 1/2, never 0, 1/2 or 1, and 1 - u is exact.
double to_uniform(std::uint64_t word) { return (double(word >> 12) + 0.5) * 0x1p-52; }
double to_normal(std::uint64_t word) { return normal_quantile(to_uniform(word)); }
double to_exponential(std::uint64_t word) { return -portable_log(to_uniform(word)); }

}  // namespace

DrawWords draw_words(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j, std::uint64_t k) {
  return words(seed, purpose, i, j, k);
}
double word_uniform(std::uint64_t word) { return to_uniform(word); }
double word_normal(std::uint64_t word) { return to_normal(word); }

std::uint64_t bits(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j, std::uint64_t k) {
  return words(seed, purpose, i, j, k).first;
}

double uniform(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j, std::uint64_t k) {
  return to_uniform(words(seed, purpose, i, j, k).first);
}

double normal(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j, std::uint64_t k) {
  return to_normal(words(seed, purpose, i, j, k).first);
}

double exponential(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j, std::uint64_t k) {
  return to_exponential(words(seed, purpose, i, j, k).first);
}

// The ratio of two independent normals; the second is never 0.
double cauchy_draw(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j) {
  const Words w = words(seed, purpose, i, j, 0);
  return to_normal(w.first) / to_normal(w.second);
}

// An exponential with a random sign.
double laplace_draw(std::uint64_t seed, Draw purpose, std::uint64_t i, std::uint64_t j) {
  const Words w = words(seed, purpose, i, j, 0);
  const double size = to_exponential(w.first);
  return (w.second & 1) != 0 ? -size : size;
}

// Marsaglia & Tsang, "A simple method for generating gamma variables", ACM TOMS 2000. Attempt k reads
// coordinate k, so the draw stays a function of (i, j); about one attempt in twenty is rejected.
double gamma_draw(std::uint64_t seed, Draw purpose, double shape, std::uint64_t i, std::uint64_t j) {
  const double a = shape < 1 ? shape + 1 : shape;
  const double d = a - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  double g = 0;
  for (std::uint64_t k = 1; g == 0; ++k) {
    const Words w = words(seed, purpose, i, j, k);
    const double x = to_normal(w.first);
    const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    if (v <= 0) continue;
    if (portable_log(to_uniform(w.second)) < 0.5 * x * x + d - d * v + d * portable_log(v)) g = d * v;
  }
  if (shape >= 1) return g;
  // Gamma(a) = Gamma(a + 1) U^(1/a), in logarithms: it is far below the smallest double for tiny shapes.
  const double log_g = portable_log(g) - to_exponential(words(seed, purpose, i, j, 0).first) / shape;
  return log_g < -700 ? std::numeric_limits<double>::min() : portable_exp(log_g);
}

}  // namespace bochner
