// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>
#include <numeric>
#include <span>

#include "bochner/bounds.h"
#include "bochner/drawn.h"
#include "bochner/map.h"
#include "bochner/transform.h"
#include "methods/papers/claims.h"
#include "random/draw.h"

namespace bochner {

namespace {

using Form = FourierOptions::Form;

constexpr std::size_t kPairs = 20, kInputs = 5, kFeatures = 64, kDraws = 300;

// Pairs of points, rows 2 i and 2 i + 1.
Matrix<double> pairs_of_points(std::uint64_t seed) {
  Matrix<double> x(2 * kPairs, kInputs);
  for (std::size_t i = 0; i < kPairs; ++i)
    for (std::size_t j = 0; j < kInputs; ++j) {
      x(2 * i, j) = normal(seed, Draw::sample, 2 * i, j);
      x(2 * i + 1, j) = x(2 * i, j) + 0.7 * normal(seed, Draw::sample, 2 * i + 1, j);
    }
  return x;
}

std::span<const double> row_of(const Matrix<double>& x, std::size_t i) { return {x.data() + i * x.cols(), x.cols()}; }

double doubled_kernel(const Kernel& kernel, const Matrix<double>& x, std::size_t i) {
  std::vector<double> twice(x.cols());
  for (std::size_t j = 0; j < x.cols(); ++j) twice[j] = x(2 * i, j) + 2 * (x(2 * i + 1, j) - x(2 * i, j));
  return kernel_value(kernel, row_of(x, 2 * i), twice);
}

// draws x pairs: z(x).z(y) - k(x, y).
Matrix<double> errors_of(const PapersOptions& papers, const Kernel& kernel, const Matrix<double>& x, Form form) {
  Matrix<double> errors(kDraws, kPairs);
  for (std::size_t s = 0; s < kDraws; ++s) {
    const MapPtr map = fourier(kInputs, {kernel, kFeatures, form, papers.seed + s});
    const Matrix<double> z = transform<double>(map, x.view(), papers.execution);
    for (std::size_t i = 0; i < kPairs; ++i) {
      double product = 0;
      for (std::size_t f = 0; f < kFeatures; ++f) product += z(2 * i, f) * z(2 * i + 1, f);
      errors(s, i) = product - kernel_value(kernel, row_of(x, 2 * i), row_of(x, 2 * i + 1));
    }
  }
  return errors;
}

Found bias(const PapersOptions& papers, Form form) {
  const Matrix<double> x = pairs_of_points(papers.seed);
  const Matrix<double> errors = errors_of(papers, gaussian(1.5), x, form);
  Found found;
  for (std::size_t s = 0; s < kDraws; ++s) {
    double mean = 0;
    for (std::size_t i = 0; i < kPairs; ++i) mean += errors(s, i) / double(kPairs);
    found.values.push_back(mean);
  }
  return found;
}
Found bias_cossin(const PapersOptions& papers) { return bias(papers, Form::cossin); }
Found bias_shifted(const PapersOptions& papers) { return bias(papers, Form::shifted); }

// The variance over draws divided by its closed form, one value per pair.
Found variance(const PapersOptions& papers, Form form) {
  const Kernel kernel = gaussian(1.5);
  const Matrix<double> x = pairs_of_points(papers.seed), errors = errors_of(papers, kernel, x, form);
  Found found{.error = 3 * std::sqrt(2 / double(kDraws))};  // pairs share draws
  for (std::size_t i = 0; i < kPairs; ++i) {
    const double k = kernel_value(kernel, row_of(x, 2 * i), row_of(x, 2 * i + 1)), k2 = doubled_kernel(kernel, x, i);
    const double expected =
        form == Form::cossin ? (1 + k2 - 2 * k * k) / 2 / (kFeatures / 2.0) : (1 + k2 / 2 - k * k) / double(kFeatures);
    std::vector<double> of_pair;
    for (std::size_t s = 0; s < kDraws; ++s) of_pair.push_back(errors(s, i));
    found.values.push_back(deviation_of(of_pair) * deviation_of(of_pair) / expected);
  }
  return found;
}
Found variance_cossin(const PapersOptions& papers) { return variance(papers, Form::cossin); }
Found variance_shifted(const PapersOptions& papers) { return variance(papers, Form::shifted); }

// How often a draw of D features is off by epsilon or more, beside the bound for that.
Found hoeffding(const PapersOptions& papers, Form form, double epsilon) {
  const Matrix<double> errors = errors_of(papers, gaussian(1.5), pairs_of_points(papers.seed), form);
  Found found;
  for (std::size_t i = 0; i < kPairs; ++i) {
    double off = 0;
    for (std::size_t s = 0; s < kDraws; ++s) off += std::fabs(errors(s, i)) >= epsilon ? 1.0 / kDraws : 0.0;
    found.values.push_back(off);
  }
  const double D = form == Form::cossin ? kFeatures / 2.0 : double(kFeatures);
  found.printed = 2 * std::exp(-D * epsilon * epsilon / (form == Form::cossin ? 2 : 4));
  return found;
}
Found hoeffding_cossin(const PapersOptions& papers) { return hoeffding(papers, Form::cossin, 0.4); }
Found hoeffding_shifted(const PapersOptions& papers) { return hoeffding(papers, Form::shifted, 0.4); }

// The bin of each input, one row per point.
Matrix<double> bins_of(const DrawnGrids& grids, std::size_t grid, const Matrix<double>& x) {
  Matrix<double> bins(x.rows(), x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i)
    for (std::size_t j = 0; j < x.cols(); ++j)
      bins(i, j) = std::floor((x(i, j) - grids.shift(grid, j)) * grids.per_pitch(grid, j));
  return bins;
}

bool share_bin(const Matrix<double>& bins, std::size_t a, std::size_t b) {
  for (std::size_t j = 0; j < bins.cols(); ++j)
    if (bins(a, j) != bins(b, j)) return false;
  return true;
}

DrawnGrids grids_of(std::size_t inputs, double sigma, std::size_t count, std::uint64_t seed) {
  std::vector<std::uint64_t> draws(count);
  std::iota(draws.begin(), draws.end(), std::uint64_t(0));
  return drawn_grids(inputs, {.law = {}, .length_scales = {sigma}, .grids = count, .seed = seed}, draws, true);
}

Found bias_bins(const PapersOptions& papers) {
  constexpr std::size_t kGrids = 3000;
  const Kernel kernel = laplacian(3);
  const Matrix<double> x = pairs_of_points(papers.seed);
  const DrawnGrids grids = grids_of(kInputs, 3, kGrids, papers.seed);
  Found found;
  for (std::size_t g = 0; g < kGrids; ++g) {
    const Matrix<double> bins = bins_of(grids, g, x);
    double mean = 0;
    for (std::size_t i = 0; i < kPairs; ++i)
      mean +=
          (double(share_bin(bins, 2 * i, 2 * i + 1)) - kernel_value(kernel, row_of(x, 2 * i), row_of(x, 2 * i + 1))) /
          double(kPairs);
    found.values.push_back(mean);
  }
  return found;
}

// sigma_p^2 by second differences of the kernel at 0.
Found second_moment(const PapersOptions&) {
  constexpr std::size_t d = 64;
  constexpr double kGamma = 0.2, h = 1e-4;
  const Kernel kernel = gaussian(1 / std::sqrt(2 * kGamma));
  const std::vector<double> zero(d);
  double trace = 0;
  for (std::size_t j = 0; j < d; ++j) {
    std::vector<double> step(d);
    step[j] = h;
    trace += 2 * (kernel_value(kernel, step, zero) - 1) / (h * h);
  }
  const double moment = frequency_second_moment(kernel, d);
  return {.values = {moment}, .error = std::fabs(moment + trace) + 1e-9, .printed = 2 * d * kGamma};
}

Found sign_of_trace(const PapersOptions& papers) {
  Found found = second_moment(papers);
  found.printed = -*found.printed;  // the trace itself
  found.error = 0;
  return found;
}

// Frequencies for all pairs within a diameter of 10 of 5 inputs, error 0.1, probability 0.99.
Found uniform_frequencies(const PapersOptions&) {
  constexpr double d = 5, kEpsilon = 0.1, kDelta = 0.01, kDiameter = 10;
  const Kernel kernel = gaussian();
  const double ours = double(fourier_features_uniform(Form::cossin, kernel, 5, kDiameter, kEpsilon, kDelta)) / 2;
  const double sigma2 = frequency_second_moment(kernel, 5);
  const double log_term = std::log(256 * sigma2 * kDiameter * kDiameter / (kEpsilon * kEpsilon) / kDelta);
  return {.values = {ours}, .printed = std::ceil(d * (d + 2) / (kEpsilon * kEpsilon) * log_term)};
}

}  // namespace

std::vector<Claim> map_claims() {
  return {
      {"maps", "003", "Algorithm 1", "E[z(x)'z(y)] - k(x, y) of cosines and sines", 0.0, 0, ClaimKind::same,
       bias_cossin, "20 pairs, 300 draws"},
      {"maps", "000", "section 2.1", "E[z(x)'z(y)] - k(x, y) of shifted cosines", 0.0, 0, ClaimKind::same, bias_shifted,
       "20 pairs, 300 draws"},
      {"maps", "004", "version 1", "variance of cosines and sines beside (1 + k(2D) - 2 k(D)^2) / 2 a frequency", 1.0,
       0, ClaimKind::same, variance_cossin, "20 pairs, 300 draws"},
      {"maps", "004", "version 2", "variance of shifted cosines beside 1 + k(2D) / 2 - k(D)^2 a feature", 1.0, 0,
       ClaimKind::same, variance_shifted, "20 pairs, 300 draws"},
      {"maps", "003", "section 3", "share of draws that are off by 0.4, beside 2 exp(-D e^2 / 2), D = 32", std::nullopt,
       0, ClaimKind::bound, hoeffding_cossin},
      {"maps", "000", "section 2.1", "share of draws that are off by 0.4, beside 2 exp(-D e^2 / 4), D = 64",
       std::nullopt, 0, ClaimKind::bound, hoeffding_shifted},
      {"maps", "000", "section 2.2", "Pr[two points share a bin] - k(x, y) of the laplacian", 0.0, 0, ClaimKind::same,
       bias_bins, "20 pairs, 3000 grids"},
      {"maps", "000", "section 2.1", "sigma_p^2 = 2 d gamma, for d = 64, gamma = 0.2", std::nullopt, 0, ClaimKind::same,
       second_moment, "held against second differences of the kernel at 0"},
      {"slips", "000", "section 2.1", "sigma_p^2 is the trace of the Hessian of k at 0", std::nullopt, 0,
       ClaimKind::slip, sign_of_trace, "it is minus the trace, which is negative"},
      {"slips", "003", "Claim 1", "exponent D e^2 / (d (d + 2)): frequencies for all pairs, d = 5, diameter 10",
       std::nullopt, 0, ClaimKind::slip, uniform_frequencies,
       "the proof has 4 (d + 2); printed is what the document's formula asks for"},
  };
}

}  // namespace bochner
