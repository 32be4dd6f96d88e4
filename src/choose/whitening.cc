// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "choose/whitening.h"

#include <cmath>
#include <utility>

#include "solve/fixed_order.h"

namespace bochner {

namespace {

// The chosen columns less their means, every row times the root of its share of the weights.
Matrix<double> centred(const Matrix<double>& rows, std::span<const double> weights,
                       const std::vector<std::size_t>& columns) {
  double total = 0;
  for (const double w : weights) total += w;
  Matrix<double> x(rows.rows(), columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    double mean = 0;
    for (std::size_t i = 0; i < x.rows(); ++i) mean += weights[i] / total * rows(i, columns[k]);
    for (std::size_t i = 0; i < x.rows(); ++i) x(i, k) = std::sqrt(weights[i] / total) * (rows(i, columns[k]) - mean);
  }
  return x;
}

}  // namespace

MapPtr whitening(const Matrix<double>& rows, std::span<const double> weights, const std::vector<char>& chosen,
                 Threads& threads) {
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < chosen.size(); ++j)
    if (chosen[j]) columns.push_back(j);
  const std::size_t d = columns.size();
  const Matrix<double> x = centred(rows, weights, columns);
  Matrix<double> C = fixed_order::transposed_product(threads, x, x);
  std::vector<double> deviations(d, 0.0);  // an input without variance in the sample becomes 0
  for (std::size_t k = 0; k < d; ++k) deviations[k] = std::sqrt(C(k, k));
  for (std::size_t k = 0; k < d; ++k)
    for (std::size_t l = 0; l < d; ++l)
      C(k, l) = deviations[k] > 0 && deviations[l] > 0 ? C(k, l) / (deviations[k] * deviations[l]) : 0;
  // P'RP = L L' of the correlations R, as far as pivots exceed the share: W = S^-1 P L^-T.
  std::vector<std::size_t> pivots(d);
  const std::size_t rank = fixed_order::pivoted_factor(C.view(), kToldShare, pivots);
  Matrix<double> W(chosen.size(), chosen.size());
  for (std::size_t j = 0; j < chosen.size(); ++j) W(j, j) = chosen[j] ? 0 : 1;
  if (rank > 0) {
    const Matrix<double> inverse = fixed_order::inverse_lower(MatrixView<const double>{C.data(), rank, rank, d});
    for (std::size_t a = 0; a < rank; ++a)
      for (std::size_t b = 0; b <= a; ++b)
        W(columns[pivots[b]], columns[pivots[a]]) = inverse(a, b) / deviations[pivots[b]];
  }
  return linear(std::move(W), {});
}

double whitening_bytes(std::size_t sampled, std::size_t inputs) {
  const double d = double(inputs);
  return 8 * (2 * double(sampled) * d + 4 * d * d);
}

}  // namespace bochner
