// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   static const KernelFamily sinc = {
//       .name = "sinc",  // prod_j sin(D_j) / D_j, whose frequencies are uniform in [-1, 1]
//       .value =
//           [](const Kernel& k, std::span<const double> x, std::span<const double> y) {
//             double product = 1;
//             for (std::size_t j = 0; j < x.size(); ++j) {
//               const double delta = (x[j] - y[j]) / k.length_scale(j);
//               if (delta != 0) product *= std::sin(delta) / delta;
//             }
//             return product;
//           },
//       .draw =
//           [](const Kernel&, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
//             for (std::size_t j = 0; j < omega.size(); ++j) omega[j] = 2 * draw_uniform(seed, index, j) - 1;
//           },
//       .law = KernelFamily::Law::any};
//   register_kernel(sinc);
//   const MapPtr map = fourier(3, {.kernel = parse_kernel("sinc:sigma=2"), .features = 100});

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bochner/kernel.h"

namespace bochner {

// One kernel is one row. The kernels of the library are rows (src/kernels/), and a program adds its own:
//
//   double value(const Kernel& k, std::span<const double> x, std::span<const double> y) {
//     return std::exp(-0.5 * squared_distance(k, x, y));
//   }
//   void draw(const Kernel&, std::uint64_t seed, std::uint64_t index, std::span<double> omega) {
//     draw_normals(seed, index, omega);
//   }
//   const KernelFamily kMine = {.name = "mine", .value = value, .draw = draw, .law = KernelFamily::Law::radial,
//                               .second_moment = [](const Kernel&) { return 1.0; }};
//   register_kernel(kMine);                        // then parse_kernel("mine:sigma=2"), --kernel mine, model files
//   TrainOptions options{.kernel = {.family = kMine}};

struct KernelParameter {
  const char* name;
  double initial, low, high;
  const char* limits = "";  // what the kernel is elsewhere, for the message: "infinity is gaussian"
};

// The kernels of many pairs that a backend forms by itself, D = x - y, each input divided by its length scale.
enum class KernelShape : std::uint8_t {
  squared,       // |D|_2^2 itself; value() is then taken at the distance: for kernels of |D|_2 alone
  gaussian,      // exp(-|D|_2^2 / 2)
  exponential2,  // exp(-|D|_2)
  matern32,      // (1 + a) exp(-a), a = sqrt(3) |D|_2
  matern52,      // (1 + a + a^2 / 3) exp(-a), a = sqrt(5) |D|_2
  rational,      // (1 + |D|_2^2 / (2 alpha))^-alpha, alpha the first parameter
  exponential1,  // exp(-|D|_1)
  cauchy,        // prod_j 1 / (1 + D_j^2)
};

// `unit` below means all length scales 1. Functions are called by several threads at once.
struct KernelFamily {
  const char* name = "";        // letters, digits and '-'
  const char* alias = nullptr;  // read, never printed
  std::span<const KernelParameter> parameters = {};
  bool has_gamma = false;  // gamma= may be given in place of sigma=

  // k(x - y), the length scales applied; k(0) = 1.
  double (*value)(const Kernel& kernel, std::span<const double> x, std::span<const double> y) = nullptr;

  // Frequency `index` of the unit law: a pure function of its arguments. Without one: no Fourier features.
  void (*draw)(const Kernel& kernel, std::uint64_t seed, std::uint64_t index, std::span<double> omega) = nullptr;
  // radial: the law depends on |omega|_2 alone, so directions may be made orthogonal. any: it may not.
  enum class Law { none, any, radial } law = Law::none;
  // E omega_j^2 of the unit law, infinite where there is none: no uniform bound then.
  double (*second_moment)(const Kernel& kernel) = [](const Kernel&) { return std::numeric_limits<double>::infinity(); };

  // The sigma that gives exp(-gamma |x - y|^2) or, for the laplacian, exp(-gamma |x - y|_1); for the other
  // kernels the one that decays on that scale.
  double (*sigma)(double gamma) = [](double gamma) { return std::sqrt(0.5 / gamma); };
  // The distance the kernel is a function of (for the cauchy: to first order), for the median bandwidth.
  enum class Norm { l1, l2 } norm = Norm::l2;
  // The backend's shape for this kernel. None: value() of each pair, for Nystroem and checks.
  std::optional<KernelShape> (*shape)(const Kernel& kernel) = [](const Kernel&) -> std::optional<KernelShape> {
    return std::nullopt;
  };
};

// Makes the row known by its name to parse_kernel, to the command's words and to model files. The row must live as
// long as the program. Throws std::invalid_argument where its name is taken or a field makes no sense. Thread-safe.
void register_kernel(const KernelFamily& row);
void register_kernel(const KernelFamily&& row) = delete;  // a temporary does not live that long

// The rows of the library, then those registered, in their order. Thread-safe.
std::vector<const KernelFamily*> kernel_families();

// "gaussian, laplacian, cauchy, matern[:nu=1.5], ...": for a list of what may be given.
std::string kernel_names();

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

// Draws for a row's law, independent of each other: the same numbers on every thread and machine.
void draw_normals(std::uint64_t seed, std::uint64_t index, std::span<double> omega);  // independent N(0, 1)
double draw_uniform(std::uint64_t seed, std::uint64_t index, std::size_t input);      // (0, 1), one per input
double draw_gamma(std::uint64_t seed, std::uint64_t index, double shape);             // Gamma(shape, 1), one per index

}  // namespace bochner
