// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// TensorSketch (Pham & Pagh, KDD 2013): count sketches C_k of u = (sqrt(g) x, sqrt(c)), k = 1 ... p, convolved
//   z = IFFT(FFT(C_1 u) ... FFT(C_p u)),  E z(x).z(y) = (g x.y + c)^p
// D features, a power of two; buckets and signs of each sketch and input are independent.

#include <algorithm>
#include <bit>
#include <cmath>

#include "backend/convolve.h"
#include "base/lease.h"
#include "maps/formula/formula.h"
#include "random/draw.h"
#include "random/elementary.h"

namespace bochner {

namespace {

std::size_t degree_of(const FormulaOptions& options) { return std::size_t(options.numbers[0]); }

std::size_t tensor_features(const FormulaOptions&, std::size_t asked) { return std::bit_ceil(asked ? asked : 1024); }

// sign * (1 + the bucket), for sketch k and input j, the last of which is the constant; then the circle of convolve().
std::vector<double> draw_tensor(const FormulaOptions& options) {
  const std::size_t p = degree_of(options), D = options.features, width = options.inputs + 1;
  std::vector<double> drawn;
  for (std::size_t k = 0; k < p; ++k)
    for (std::size_t j = 0; j < width; ++j) {
      const std::uint64_t word = bits(options.seed, Draw::sketch, k, j);
      drawn.push_back((word & 1 ? 1.0 : -1.0) * double((word >> 1) % D + 1));
    }
  for (std::size_t k = 0; k < D / 2; ++k) drawn.push_back(portable_sin_pi(0.5 - 2 * double(k) / double(D)));
  for (std::size_t k = 0; k < D / 2; ++k) drawn.push_back(portable_sin_pi(2 * double(k) / double(D)));
  return drawn;
}

template <class T>
void write_tensor(const FormulaOptions& options, Numbers drawn, MatrixView<const T> x, MatrixView<T> z) {
  constexpr std::size_t kLine = kConvolvedRows<T>;
  const std::size_t p = degree_of(options), D = options.features, width = options.inputs + 1;
  // A factor is half of its sketch, since convolve() doubles it.
  const double root = std::sqrt(options.numbers[2]) / 2, constant = std::sqrt(options.numbers[1]) / 2;
  const T per_feature = T(1 / double(D));
  std::vector<T> rounded;
  const T* turns = numbers_as<T>(drawn.subspan(p * width), rounded);
  const Lease<T> inputs(width * kLine), sketches(p * D * kLine);
  T *const u = inputs.data(), *const factors = sketches.data();
  for (std::size_t begin = 0; begin < x.rows; begin += kLine) {
    const std::size_t count = std::min(kLine, x.rows - begin);
    for (std::size_t l = 0; l < kLine; ++l) {
      const T* row = x.row(begin + std::min(l, count - 1));
      for (std::size_t j = 0; j + 1 < width; ++j) u[j * kLine + l] = T(root * double(row[j]));
      u[(width - 1) * kLine + l] = T(constant);
    }
    std::fill_n(factors, p * D * kLine, T(0));
    for (std::size_t k = 0; k < p; ++k)
      for (std::size_t j = 0; j < width; ++j) {
        const double place = drawn[k * width + j];
        const T sign = place < 0 ? -1 : 1;
        T* to = factors + (k * D + convolved_line(std::size_t(std::fabs(place)) - 1, D)) * kLine;
        for (std::size_t l = 0; l < kLine; ++l) to[l] += sign * u[j * kLine + l];
      }
    convolve(factors, p, D, turns);
    // A few features of each row at a time, so that whole lines are read and written.
    constexpr std::size_t kPairs = kLine / 2;
    for (std::size_t first = 0; first < D; first += kLine)
      for (std::size_t l = 0; l < count; ++l) {
        const T *even = factors + first / 2 * kLine + l, *odd = even + D / 2 * kLine;
        T* to = z.row(begin + l) + first;
        for (std::size_t k = 0; k < std::min(kPairs, D / 2 - first / 2); ++k) {
          to[2 * k] = even[k * kLine] * per_feature;
          to[2 * k + 1] = odd[k * kLine] * per_feature;
        }
        if (D == 1) to[0] = *even;
      }
  }
}

double polynomial_value(const FormulaOptions& options, Numbers x, Numbers y) {
  return std::pow(options.numbers[2] * dot(x, y) + options.numbers[1], options.numbers[0]);
}

// A pair of terms (I, J), (K, L) counts if in each of the p places its inputs pair up: i = j and k = l (s^2, s = u.v),
// i = k and j = l, i != j (b), or i = l and j = k, i != j (c). Their buckets meet with probability 1 / D if only one
// of the last two kinds occurs, 2 / D^2 if both do, for an even D.
double polynomial_variance(const FormulaOptions& options, Numbers x, Numbers y) {
  const double g = options.numbers[2], constant = options.numbers[1], p = options.numbers[0],
               D = double(options.features);
  double fourth = constant * constant;
  for (std::size_t j = 0; j < x.size(); ++j) fourth += g * g * x[j] * x[j] * y[j] * y[j];
  const double s = g * dot(x, y) + constant, s2 = s * s;
  const double b = (g * dot(x, x) + constant) * (g * dot(y, y) + constant) - fourth, c = s2 - fourth;
  const double none = std::pow(s2, p), with_b = std::pow(s2 + b, p), with_c = std::pow(s2 + c, p);
  const double both = std::pow(s2 + b + c, p) - with_b - with_c + none;
  return D < 2 ? (with_b - none) + (with_c - none) + both
               : (with_b - none) / D + (with_c - none) / D + both * 2 / (D * D);
}

}  // namespace

const Formula kPolynomial = {
    .name = "polynomial",
    .parameters = {{"degree", 3, 1, 10, true}, {"offset", 1, 0, 1e12}, {"gamma", 1, 1e-12, 1e12}},
    .random = true,
    .features = tensor_features,
    .draw = draw_tensor,
    .drawn =
        [](const FormulaOptions& options) {
          return options.numbers[0] * double(options.inputs + 1) + double(options.features);
        },
    .write = write_tensor<double>,
    .write_float = write_tensor<float>,
    .kernel = polynomial_value,
    .variance = polynomial_variance};

}  // namespace bochner
