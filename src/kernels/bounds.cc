// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/require.h"
#include "kernels/law.h"

namespace bochner {

namespace {

using Form = FourierOptions::Form;

void check_epsilon(double epsilon) {
  require(epsilon > 0 && epsilon < 2, "bounds: epsilon = {}, expected more than 0 and less than 2", epsilon);
}
void check_delta(double delta) {
  require(delta > 0 && delta < 1, "bounds: delta = {}, expected between 0 and 1", delta);
}
void check_set(std::size_t inputs, double diameter) {
  require(inputs > 0, "bounds: no inputs, expected at least 1");
  require(diameter > 0 && std::isfinite(diameter), "bounds: diameter = {}, expected a positive number", diameter);
}

std::size_t whole(double count) {
  require(count < 0x1p53, "bounds: {:.3g} features would be needed; raise epsilon", count);
  return std::size_t(std::max(1.0, std::ceil(count)));
}

double frequencies(Form form, std::size_t features) {
  const bool pairs = form == Form::cossin;
  require(features > 0 && (!pairs || features % 2 == 0), "bounds: {} features, expected a positive{} number", features,
          pairs ? " even" : "");
  return pairs ? double(features / 2) : double(features);
}
std::size_t outputs(Form form, double frequencies) {
  return form == Form::cossin ? 2 * whole(frequencies) : whole(frequencies);
}

// The epsilon > 0 where log_probability, which falls with epsilon, has come down to log(delta).
template <class LogProbability>
double smallest_epsilon(const LogProbability& log_probability, double delta) {
  double low = 0, high = 1;
  while (log_probability(high) > std::log(delta)) low = high, high *= 2;
  for (int step = 0; step < 100; ++step) {
    const double middle = 0.5 * (low + high);
    (log_probability(middle) > std::log(delta) ? low : high) = middle;
  }
  return high;
}

// Pr <= 2 exp(-F eps^2 / pointwise_divisor).
double pointwise_divisor(Form form) { return form == Form::cossin ? 2 : 4; }

// Pr <= 2^8 (sigma_p l / eps)^2 exp(-F eps^2 / divisor).
struct Uniform {
  double size;     // sigma_p l
  double divisor;  // 4 (d + 2) or 16 (d + 1)

  Uniform(Form form, const Kernel& kernel, std::size_t inputs, double diameter) {
    check_set(inputs, diameter);
    const double moment = frequency_second_moment(kernel, inputs);
    require(std::isfinite(moment),
            "bounds: the frequencies of kernel {} have no second moment, so no uniform bound; use the pointwise one",
            kernel_name(kernel));
    size = std::sqrt(moment) * diameter;
    divisor = form == Form::cossin ? 4 * (double(inputs) + 2) : 16 * (double(inputs) + 1);
  }
  // The exponent 2 is an upper bound of 2d/(d+2) only for a base of at least 1.
  double log_factor(double epsilon) const { return std::log(256.0) + 2 * std::log(std::max(1.0, size / epsilon)); }
};

// Pr <= 36 d P alpha l exp(-(P eps^2 / 8 + ln(eps / L)) / (d + 1)).
struct BinningUniform {
  double d, reach, lipschitz;  // reach: alpha l

  BinningUniform(const Kernel& kernel, std::size_t inputs, double diameter) : d(double(inputs)) {
    check_set(inputs, diameter);
    check_kernel(kernel, inputs);
    require(kernel.family == Kernel::Family::laplacian,
            "bounds: binning has no bound for kernel {}, only for laplacian", kernel_name(kernel));
    // The smallest of several length scales is the safe one.
    lipschitz = 1 / *std::min_element(kernel.length_scales.begin(), kernel.length_scales.end());
    reach = lipschitz * diameter;
  }
  double log_probability(double grids, double epsilon) const {
    return std::log(36 * d * grids * reach) - (grids * epsilon * epsilon / 8 + std::log(epsilon / lipschitz)) / (d + 1);
  }
};

}  // namespace

std::size_t fourier_features_pointwise(Form form, double epsilon, double delta) {
  check_epsilon(epsilon), check_delta(delta);
  return outputs(form, pointwise_divisor(form) * std::log(2 / delta) / (epsilon * epsilon));
}

double fourier_epsilon_pointwise(Form form, std::size_t features, double delta) {
  check_delta(delta);
  return std::sqrt(pointwise_divisor(form) * std::log(2 / delta) / frequencies(form, features));
}

std::size_t fourier_features_uniform(Form form, const Kernel& kernel, std::size_t inputs, double diameter,
                                     double epsilon, double delta) {
  check_epsilon(epsilon), check_delta(delta);
  const Uniform bound(form, kernel, inputs, diameter);
  return outputs(form, bound.divisor * (bound.log_factor(epsilon) - std::log(delta)) / (epsilon * epsilon));
}

double fourier_epsilon_uniform(Form form, const Kernel& kernel, std::size_t inputs, double diameter,
                               std::size_t features, double delta) {
  check_delta(delta);
  const Uniform bound(form, kernel, inputs, diameter);
  const double F = frequencies(form, features);
  return smallest_epsilon([&](double e) { return bound.log_factor(e) - F * e * e / bound.divisor; }, delta);
}

std::size_t binning_grids_pointwise(double epsilon, double delta) {
  check_epsilon(epsilon), check_delta(delta);
  return whole(std::log(2 / delta) / (2 * epsilon * epsilon));
}

double binning_epsilon_pointwise(std::size_t grids, double delta) {
  check_delta(delta);
  require(grids > 0, "bounds: no grids, expected at least 1");
  return std::sqrt(std::log(2 / delta) / (2 * double(grids)));
}

std::size_t binning_grids_uniform(const Kernel& kernel, std::size_t inputs, double diameter, double epsilon,
                                  double delta) {
  check_epsilon(epsilon), check_delta(delta);
  const BinningUniform bound(kernel, inputs, diameter);
  const auto holds = [&](double grids) { return bound.log_probability(grids, epsilon) <= std::log(delta); };
  // P exp(-c P) falls only beyond its peak at 1 / c.
  double low = 8 * (double(inputs) + 1) / (epsilon * epsilon), high = low;
  while (!holds(high)) low = high, high *= 2;
  whole(high);  // refuses what a double cannot count, where halving would not end
  while (high - low > 0.5) (holds(0.5 * (low + high)) ? high : low) = 0.5 * (low + high);
  return holds(std::floor(high)) ? whole(std::floor(high)) : whole(high);
}

double binning_epsilon_uniform(const Kernel& kernel, std::size_t inputs, double diameter, std::size_t grids,
                               double delta) {
  check_delta(delta);
  require(grids > 0, "bounds: no grids, expected at least 1");
  const BinningUniform bound(kernel, inputs, diameter);
  return smallest_epsilon([&](double e) { return bound.log_probability(double(grids), e); }, delta);
}

std::size_t projection_dimension(std::size_t points, double epsilon) {
  require(points > 1, "bounds: {} points, expected at least 2", points);
  require(epsilon > 0 && epsilon < 1, "bounds: epsilon = {}, expected between 0 and 1", epsilon);
  const double k = 4 * std::log(double(points)) / (epsilon * epsilon / 2 - epsilon * epsilon * epsilon / 3);
  require(k < 0x1p53, "bounds: {:.3g} dimensions would be needed; raise epsilon", k);
  return std::size_t(k);
}

namespace {

double projection_gain(double epsilon) { return epsilon * epsilon / 2 - epsilon * epsilon * epsilon / 3; }

// The epsilon below 1 of which `target` is the gain; infinity where there is none.
double epsilon_of_gain(double target) {
  if (target >= projection_gain(1)) return std::numeric_limits<double>::infinity();
  double low = 0, high = 1;  // the gain rises between
  for (int step = 0; step < 100; ++step) {
    const double middle = 0.5 * (low + high);
    (projection_gain(middle) < target ? low : high) = middle;
  }
  return high;
}

void check_projection(double epsilon, double delta) {
  check_delta(delta);
  require(epsilon > 0 && epsilon < 1, "bounds: epsilon = {}, expected between 0 and 1", epsilon);
}

}  // namespace

double projection_epsilon(std::size_t points, std::size_t dimension) {
  require(points > 1, "bounds: {} points, expected at least 2", points);
  require(dimension > 0, "bounds: no dimensions, expected at least 1");
  return epsilon_of_gain(4 * std::log(double(points)) / double(dimension));
}

std::size_t projection_dimension_pointwise(double epsilon, double delta) {
  check_projection(epsilon, delta);
  return whole(std::ceil(2 * std::log(2 / delta) / projection_gain(epsilon)));
}

double projection_epsilon_pointwise(std::size_t dimension, double delta) {
  check_delta(delta);
  require(dimension > 0, "bounds: no dimensions, expected at least 1");
  return epsilon_of_gain(2 * std::log(2 / delta) / double(dimension));
}

std::size_t hashing_dimension_pointwise(double epsilon, double delta) {
  check_projection(epsilon, delta);
  return whole(std::ceil(2 / (epsilon * epsilon * delta)));
}

double hashing_epsilon_pointwise(std::size_t dimension, double delta) {
  check_delta(delta);
  require(dimension > 0, "bounds: no dimensions, expected at least 1");
  return std::sqrt(2 / (double(dimension) * delta));
}

}  // namespace bochner
