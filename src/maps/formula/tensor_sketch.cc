// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// TensorSketch (Pham & Pagh, KDD 2013): count sketches C_k of u = (sqrt(g) x, sqrt(c)), k = 1 ... p, convolved
//   z = IFFT(FFT(C_1 u) ... FFT(C_p u)),  E z(x).z(y) = (g x.y + c)^p
// D features, a power of two; buckets and signs of each sketch and input are independent.

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>

#include "maps/formula/formula.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kLanes = 8;

struct Lanes {
  double value[kLanes];
};

// kLanes transforms at once, values in bit-reversed order in and in order out. Forward: exp(-2 pi i / D).
class Transforms {
 public:
  explicit Transforms(std::size_t size) : size_(size), cosine_(size / 2 + 1), sine_(size / 2 + 1) {
    for (std::size_t k = 0; k < size / 2; ++k) {
      cosine_[k] = std::cos(2 * std::numbers::pi * double(k) / double(size));
      sine_[k] = std::sin(2 * std::numbers::pi * double(k) / double(size));
    }
  }

  void run(Lanes* re, Lanes* im, bool forward) const {
    for (std::size_t half = 1; half < size_; half *= 2)
      for (std::size_t begin = 0; begin < size_; begin += 2 * half)
        for (std::size_t k = 0; k < half; ++k) {
          const double c = cosine_[k * (size_ / 2 / half)], s = (forward ? -1 : 1) * sine_[k * (size_ / 2 / half)];
          butterfly(re[begin + k], im[begin + k], re[begin + half + k], im[begin + half + k], c, s);
        }
  }

 private:
  // (a, b) -> (a + w b, a - w b), w = c + i s.
  static void butterfly(Lanes& ar, Lanes& ai, Lanes& br, Lanes& bi, double c, double s) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double tr = c * br.value[l] - s * bi.value[l], ti = c * bi.value[l] + s * br.value[l];
      br.value[l] = ar.value[l] - tr;
      bi.value[l] = ai.value[l] - ti;
      ar.value[l] += tr;
      ai.value[l] += ti;
    }
  }

  std::size_t size_;
  std::vector<double> cosine_, sine_;
};

std::size_t reversed(std::size_t i, std::size_t size) {
  std::size_t result = 0;
  for (std::size_t bit = 1; bit < size; bit *= 2) result = 2 * result + (i & bit ? 1 : 0);
  return result;
}

std::size_t degree_of(const FormulaOptions& options) { return std::size_t(options.numbers[0]); }

std::size_t tensor_features(const FormulaOptions&, std::size_t asked) { return std::bit_ceil(asked ? asked : 1024); }

// sign * (1 + the bucket's place in bit-reversed order), for sketch k and input j; the last input is the constant.
std::vector<double> draw_tensor(const FormulaOptions& options) {
  const std::size_t p = degree_of(options), width = options.inputs + 1;
  std::vector<double> drawn(p * width);
  for (std::size_t k = 0; k < p; ++k)
    for (std::size_t j = 0; j < width; ++j) {
      const std::uint64_t word = bits(options.seed, Draw::sketch, k, j);
      const std::size_t bucket = reversed((word >> 1) % options.features, options.features);
      drawn[k * width + j] = (word & 1 ? 1.0 : -1.0) * double(bucket + 1);
    }
  return drawn;
}

void add_sketch(Lanes* to, const double* drawn, const Matrix<double>& u, std::size_t lane_count) {
  for (std::size_t j = 0; j < u.rows(); ++j) {
    const std::size_t at = std::size_t(std::fabs(drawn[j])) - 1;
    const double sign = drawn[j] < 0 ? -1 : 1;
    for (std::size_t l = 0; l < lane_count; ++l) to[at].value[l] += sign * u(j, l);
  }
}

// The spectra of two real sketches by one transform: F = A + i B has A_k = (F_k + conj F_-k) / 2, B_k = (F_k - conj
// F_-k) / 2i. Their product, times what `product` holds.
void multiply_pair(const std::vector<Lanes>& re, const std::vector<Lanes>& im, bool two, std::vector<Lanes>& pr,
                   std::vector<Lanes>& pi) {
  const std::size_t D = re.size();
  for (std::size_t k = 0; k < D; ++k) {
    const std::size_t m = (D - k) % D;
    for (std::size_t l = 0; l < kLanes; ++l) {
      const std::complex<double> a((re[k].value[l] + re[m].value[l]) / 2, (im[k].value[l] - im[m].value[l]) / 2);
      const std::complex<double> b((im[k].value[l] + im[m].value[l]) / 2, (re[m].value[l] - re[k].value[l]) / 2);
      const double br = two ? b.real() : 1, bi = two ? b.imag() : 0;
      const double cr = a.real() * br - a.imag() * bi, ci = a.real() * bi + a.imag() * br;
      const double dr = pr[k].value[l], di = pi[k].value[l];
      pr[k].value[l] = dr * cr - di * ci;
      pi[k].value[l] = dr * ci + di * cr;
    }
  }
}

void permute(std::vector<Lanes>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t r = reversed(i, values.size());
    if (r > i) std::swap(values[i], values[r]);
  }
}

void write_tensor(const FormulaOptions& options, Numbers drawn, MatrixView<const double> x, MatrixView<double> z) {
  const std::size_t p = degree_of(options), D = options.features, width = options.inputs + 1;
  const double root = std::sqrt(options.numbers[2]), constant = std::sqrt(options.numbers[1]);
  const Transforms transforms(D);
  for (std::size_t begin = 0; begin < x.rows; begin += kLanes) {
    const std::size_t count = std::min(kLanes, x.rows - begin);
    Matrix<double> u(width, kLanes);
    for (std::size_t l = 0; l < count; ++l) {
      for (std::size_t j = 0; j + 1 < width; ++j) u(j, l) = root * x(begin + l, j);
      u(width - 1, l) = constant;
    }
    std::vector<Lanes> pr(D, Lanes{{1, 1, 1, 1, 1, 1, 1, 1}}), pi(D, Lanes{});
    for (std::size_t k = 0; k < p; k += 2) {
      std::vector<Lanes> re(D, Lanes{}), im(D, Lanes{});
      add_sketch(re.data(), &drawn[k * width], u, count);
      if (k + 1 < p) add_sketch(im.data(), &drawn[(k + 1) * width], u, count);
      transforms.run(re.data(), im.data(), true);
      multiply_pair(re, im, k + 1 < p, pr, pi);
    }
    permute(pr);
    permute(pi);
    transforms.run(pr.data(), pi.data(), false);
    for (std::size_t l = 0; l < count; ++l)
      for (std::size_t f = 0; f < D; ++f) z(begin + l, f) = pr[f].value[l] / double(D);
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
    .drawn = [](const FormulaOptions& options) { return options.numbers[0] * double(options.inputs + 1); },
    .write = write_tensor,
    .kernel = polynomial_value,
    .variance = polynomial_variance};

}  // namespace bochner
