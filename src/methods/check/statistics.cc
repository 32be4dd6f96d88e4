// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.h"
#include "methods/check/subject.h"
#include "solve/dense.h"

namespace bochner {

namespace {

constexpr std::size_t kBands = 10;
constexpr std::size_t kMostRows = 5000;  // four n x n matrices of double: 800 MB

// |A|_2 of a symmetric matrix, which is overwritten.
double spectral_norm(Matrix<double> A) {
  std::vector<double> values(A.rows());
  symmetric_eigenvalues(A.view(), values);
  return std::max(std::fabs(values.front()), std::fabs(values.back()));
}

// The standard deviation of the mean of independent values, at least two.
double deviation_of_mean(const std::vector<double>& values) {
  const double count = double(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double spread = 0;
  for (const double value : values) spread += (value - mean) * (value - mean);
  return std::sqrt(spread / (count - 1) / count);
}

// The errors of the map itself.
void measure_errors(const Matrix<double>& K, const Matrix<double>& G, const Matrix<double>* V,
                    const std::function<std::uint64_t(std::size_t)>& row_number, MapCheck& check) {
  check.bands.resize(kBands);
  std::vector<double> expected(kBands);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < K.rows(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double error = G(i, j) - K(i, j), size = std::fabs(error);
      sum += error;
      squares += error * error;
      if (size >= std::fabs(check.worst_error)) {
        check.worst_error = size;
        check.worst_pair = {row_number(j), row_number(i)};
        check.worst_kernel = K(i, j);
        check.worst_estimate = G(i, j);
      }
      const std::size_t b = std::min(kBands - 1, std::size_t(std::max(0.0, K(i, j)) * kBands));
      MapCheck::Band& band = check.bands[b];
      ++band.pairs;
      band.mean_error += error;
      band.rms_error += error * error;
      band.worst_error = std::max(band.worst_error, size);
      if (V) expected[b] += (*V)(i, j);
    }
  check.mean_error = sum / double(check.pairs);
  check.rms_error = std::sqrt(squares / double(check.pairs));
  for (std::size_t b = 0; b < kBands; ++b) {
    MapCheck::Band& band = check.bands[b];
    band.low = double(b) / kBands;
    band.high = double(b + 1) / kBands;
    if (band.pairs == 0) continue;
    band.mean_error /= double(band.pairs);
    band.rms_error = std::sqrt(band.rms_error / double(band.pairs));
    if (V) band.expected_rms = std::sqrt(expected[b] / double(band.pairs));
  }
  std::erase_if(check.bands, [](const MapCheck::Band& band) { return band.pairs == 0; });
}

void measure_spectrum(const Matrix<double>& K, const Matrix<double>& G, MapCheck& check) {
  const std::size_t n = K.rows();
  Matrix<double> E(n, n);
  double trace = 0, missing = 0;
  for (std::size_t i = 0; i < n; ++i) {
    trace += K(i, i);
    missing += K(i, i) - G(i, i);
    for (std::size_t j = 0; j <= i; ++j) E(i, j) = E(j, i) = G(i, j) - K(i, j);
  }
  check.trace_error = missing / trace;
  check.spectral_error = spectral_norm(E) / spectral_norm(K);

  // L^-1 E L^-T with L L^T = K + mu I has the eigenvalues of (K + mu I)^-1/2 E (K + mu I)^-1/2.
  Matrix<double> L = K;
  for (std::size_t i = 0; i < n; ++i) L(i, i) += check.lambda / check.weight * double(n);
  require(factor_lower(L.view()) == 0, "check: the kernel's matrix is singular; raise lambda (now {:g})", check.lambda);
  solve_lower(L.view(), E.view());
  solve_right_transposed(L.view(), E.view());
  check.ridge_error = spectral_norm(std::move(E));
}

std::vector<MapCheck::Bound> named(const ErrorBounds& bounds, double delta) {
  std::vector<MapCheck::Bound> named;
  const double surely = 1 - delta;
  if (bounds.one_pair) named.push_back({"one pair", *bounds.one_pair, surely});
  if (bounds.these_pairs && bounds.always)
    named.push_back({"these pairs, always: the largest k(x, x) - z(x).z(x)", *bounds.these_pairs});
  if (bounds.these_pairs && !bounds.always) named.push_back({"these pairs", *bounds.these_pairs, surely});
  if (bounds.as_far_apart) named.push_back({"all pairs as far apart", *bounds.as_far_apart, surely});
  return named;
}

// Bias and variance over several draws. G: the estimate of the first, overwritten.
void measure_draws(const CheckSubject& subject, MatrixView<const float> x, Threads& threads, const Matrix<double>& K,
                   Matrix<double>& G, MapCheck& check) {
  const std::size_t n = x.rows;
  // Above the diagonal of S the sums of a pair's errors over draws, below it those of their squares.
  Matrix<double> S(n, n);
  std::vector<double> means, mean_squares;  // one for each draw
  for (std::size_t draw = 0; draw < check.draws; ++draw) {
    if (draw > 0) subject.estimate(x, draw, threads, G.view());
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double error = G(i, j) - K(i, j);
        S(j, i) += error;
        S(i, j) += error * error;
        sum += error;
        squares += error * error;
      }
    means.push_back(sum / double(check.pairs));
    mean_squares.push_back(squares / double(check.pairs));
  }
  const double count = double(check.draws);
  double variance = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) variance += (S(i, j) - S(j, i) * S(j, i) / count) / (count - 1);
  check.variance = variance / double(check.pairs);
  check.variance_deviation = deviation_of_mean(mean_squares);
  check.bias = std::accumulate(means.begin(), means.end(), 0.0) / count;
  check.bias_deviation = deviation_of_mean(means);
}

}  // namespace

MapCheck check_subject_on(const CheckSubject& subject, MatrixView<const float> x,
                          const std::function<std::uint64_t(std::size_t)>& row_number, const CheckOptions& options,
                          Threads& threads) {
  const std::size_t n = x.rows;
  require(n >= 2, "check: found {} rows, expected at least 2", n);
  require(n <= kMostRows, "check: a sample of {} rows, expected at most {}", n, kMostRows);
  require(options.draws >= 1, "check: found no draws, expected at least 1");
  MapCheck check;
  check.map = subject.map();
  check.kernel = subject.kernel();
  check.rows = n;
  check.features = subject.features();
  check.pairs = std::uint64_t(n) * (n - 1) / 2;
  check.lambda = options.lambda.value_or(1e-3);
  require(check.lambda > 0 && std::isfinite(check.lambda), "check: lambda = {}, expected a positive number",
          check.lambda);
  check.weight = subject.weight();
  check.one_sided = subject.one_sided();
  check.draws = subject.random() ? options.draws : 1;
  check.notes = subject.notes();

  if (subject.projects()) {
    check.bounds = named(subject.bounds(x, check.pairs, options.delta, threads), options.delta);
    check_distortion(subject, x, row_number, threads, check);
    return check;
  }
  Matrix<double> K(n, n), G(n, n), V(n, n);
  subject.exact(x, threads, K.view());
  const bool has_variance = subject.random() && subject.variance(x, threads, V.view());
  subject.estimate(x, 0, threads, G.view());
  measure_errors(K, G, has_variance && subject.unbiased() ? &V : nullptr, row_number, check);
  measure_spectrum(K, G, check);
  check.bounds = named(subject.bounds(x, check.pairs, options.delta, threads), options.delta);
  if (has_variance) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) sum += V(i, j);
    check.expected_variance = sum / double(check.pairs);
  }
  if (check.draws < 2) return check;

  measure_draws(subject, x, threads, K, G, check);
  return check;
}

}  // namespace bochner
