// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>
#include <limits>

#include "bochner/kernel_family.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr KernelParameter kParameters[] = {{"nu", 1.5, 0.25, 50, "0.5 is laplacian2, infinity is gaussian"}};

// k = 2^(1-nu) / Gamma(nu) a^nu K_nu(a), a = sqrt(2 nu) |D|. Rasmussen & Williams 2006, eq. 4.14.
double value(const Kernel& kernel, std::span<const double> x, std::span<const double> y) {
  const double nu = kernel.parameter(0);
  const double a = std::sqrt(2 * nu * squared_distance(kernel, x, y));
  if (nu == 0.5) return std::exp(-a);
  if (nu == 1.5) return (1 + a) * std::exp(-a);
  if (nu == 2.5) return (1 + a + a * a / 3) * std::exp(-a);
  if (a > 700) return 0;  // K underflows
  const double bessel = a > 0 ? std::cyl_bessel_k(nu, a) : std::numeric_limits<double>::infinity();
  // K overflows only for an a so small that two terms of the series are exact to double.
  if (!std::isfinite(bessel)) return nu > 1 ? 1 - a * a / (4 * (nu - 1)) : 1;
  int sign = 0;  // local: std::lgamma writes the sign to a variable that all threads share
  return std::exp((1 - nu) * std::log(2.0) - lgamma_r(nu, &sign) + nu * std::log(a) + std::log(bessel));
}

// Student's t with 2 nu degrees of freedom: omega = N(0, I) sqrt(2 nu / chi^2_{2 nu}), one chi^2 = 2 Gamma(nu)
// per frequency vector.
void draw(const Kernel& kernel, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
  draw_normals(seed, index, omega);
  const double nu = kernel.parameter(0);
  const double factor = std::sqrt(nu / gamma_draw(seed, Draw::radius, nu, index));
  for (double& w : omega) w *= factor;
}

double second_moment(const Kernel& kernel) {
  const double nu = kernel.parameter(0);
  return nu > 1 ? nu / (nu - 1) : std::numeric_limits<double>::infinity();
}

// Another nu costs a Bessel function for each value, a microsecond.
std::optional<KernelShape> shape(const Kernel& kernel) {
  const double nu = kernel.parameter(0);
  return nu == 0.5   ? KernelShape::exponential2
         : nu == 1.5 ? KernelShape::matern32
         : nu == 2.5 ? KernelShape::matern52
                     : KernelShape::squared;
}

}  // namespace

extern const KernelFamily kMatern = {
    .name = "matern",
    .parameters = kParameters,
    .value = value,
    .draw = draw,
    .law = KernelFamily::Law::radial,
    .second_moment = second_moment,
    .shape = shape,
};

}  // namespace bochner
