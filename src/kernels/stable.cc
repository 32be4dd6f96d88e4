// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// The stable family: k = exp(-|D|_p^q), 0 < q <= p <= 2. It contains exp(-|D|_2^2) (2, 2), the laplacian (1, 1) and
// laplacian2 (2, 1), and, with p = q, products of the same kernel of each input.

#include "kernels/stable.h"

#include <algorithm>
#include <cmath>

#include "base/require.h"
#include "bochner/kernel_family.h"
#include "random/draw.h"
#include "random/elementary.h"

namespace bochner {

namespace {

constexpr KernelParameter kParameters[] = {{"p", 1.5, 0.1, 2}, {"q", 1, 0.05, 2}};

// exp with its argument clamped to the range of portable_exp.
double bounded_exp(double x) { return portable_exp(std::clamp(x, -690.0, 690.0)); }

double value(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  const double p = kernel.parameter(0), q = kernel.parameter(1);
  require(q <= p, "kernel stable: q = {} and p = {}, expected q of at most p: it is no kernel otherwise", q, p);
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += std::pow(std::fabs(x[j] - y[j]) / kernel.length_scale(j), p);
  return std::exp(-std::pow(sum, q / p));
}

// X with E exp(i t X) = exp(-|t|^p). Chambers, Mallows & Stuck, JASA 1976:
//   X = sin(p U) / cos(U)^(1/p) (cos((1 - p) U) / W)^((1 - p) / p),  U ~ U(-pi/2, pi/2),  W ~ Exp(1)
double symmetric_stable(double p, DrawWords words) {
  const double u = word_uniform(words.first) - 0.5, w = -portable_log(word_uniform(words.second));
  const double power = (1 - p) / p * (portable_log(portable_cos_pi((1 - p) * u)) - portable_log(w)) -
                       portable_log(portable_cos_pi(u)) / p;
  return portable_sin_pi(p * u) * bounded_exp(power);
}

// log A with E exp(-s A) = exp(-s^a), 0 < a < 1. Kanter, Annals of Probability 1975:
//   A = sin(a T) / sin(T)^(1/a) (sin((1 - a) T) / W)^((1 - a) / a),  T ~ U(0, pi),  W ~ Exp(1)
double log_positive_stable(double a, DrawWords words) {
  const double t = word_uniform(words.first), w = -portable_log(word_uniform(words.second));
  return portable_log(portable_sin_pi(a * t)) - portable_log(portable_sin_pi(t)) / a +
         (1 - a) / a * (portable_log(portable_sin_pi((1 - a) * t)) - portable_log(w));
}

// omega = A^(1/p) s: E exp(i omega.D) = E exp(-A |D|_p^p) = exp(-|D|_p^q), A positive (q/p)-stable.
void draw(const Kernel& kernel, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
  const double p = kernel.parameter(0), q = kernel.parameter(1);
  const double factor =
      q < p ? bounded_exp(log_positive_stable(q / p, draw_words(seed, Draw::radius, index)) / p) : 1.0;
  for (std::size_t j = 0; j < omega.size(); ++j)
    omega[j] = factor * symmetric_stable(p, draw_words(seed, Draw::stable, index, j));
}

}  // namespace

extern const KernelFamily kStable = {
    .name = "stable",
    .parameters = kParameters,
    .value = value,
    .draw = draw,
    .law = KernelFamily::Law::any,
    .second_moment =
        [](const Kernel& kernel) {
          const bool normal = kernel.parameter(0) == 2 && kernel.parameter(1) == 2;
          return normal ? 2 : std::numeric_limits<double>::infinity();
        },
    .shape = [](const Kernel& kernel) -> std::optional<KernelShape> {
      const double p = kernel.parameter(0), q = kernel.parameter(1);
      if (p == 1 && q == 1) return KernelShape::exponential1;
      if (p == 2 && q == 1) return KernelShape::exponential2;
      if (p == 2) return KernelShape::squared;
      return std::nullopt;
    },
};

Kernel stable(double p, double q) {
  Kernel kernel;
  kernel.family = kStable;
  kernel.parameters = {p, q};
  return kernel;
}

}  // namespace bochner
