// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/lower_factor.h"

#include <algorithm>
#include <cmath>

namespace bochner {

namespace {

// Sums by four, so that they are not one long chain.
double dot(const double* a, const double* b, std::size_t n) {
  double sum[4] = {};
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4)
    for (std::size_t l = 0; l < 4; ++l) sum[l] += a[k + l] * b[k + l];
  double all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  for (; k < n; ++k) all += a[k] * b[k];
  return all;
}

}  // namespace

std::size_t factor_lower_in_place(MatrixView<double> a) {
  for (std::size_t j = 0; j < a.rows; ++j) {
    for (std::size_t i = 0; i < j; ++i) a(j, i) = (a(j, i) - dot(a.row(j), a.row(i), i)) / a(i, i);
    const double pivot = a(j, j) - dot(a.row(j), a.row(j), j);
    if (!(pivot > 0) || !std::isfinite(pivot)) return j + 1;
    a(j, j) = std::sqrt(pivot);
  }
  return 0;
}

std::vector<double> triangle_of(MatrixView<const double> lower) {
  std::vector<double> triangle;
  triangle.reserve(lower.rows * (lower.rows + 1) / 2);
  for (std::size_t i = 0; i < lower.rows; ++i) triangle.insert(triangle.end(), lower.row(i), lower.row(i) + i + 1);
  return triangle;
}

Matrix<double> lower_from(std::span<const double> triangle, std::size_t size) {
  Matrix<double> lower(size, size);
  for (std::size_t i = 0; i < size; ++i) std::copy_n(triangle.data() + i * (i + 1) / 2, i + 1, &lower(i, 0));
  return lower;
}

// Rows of L^-1 by forward substitution, as combinations of those before.
Matrix<double> inverse_lower(MatrixView<const double> lower) {
  const std::size_t d = lower.rows;
  Matrix<double> inverse(d, d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const double factor = lower(i, k);
      for (std::size_t j = 0; j <= k; ++j) inverse(i, j) -= factor * inverse(k, j);
    }
    inverse(i, i) = 1;
    for (std::size_t j = 0; j <= i; ++j) inverse(i, j) /= lower(i, i);
  }
  return inverse;
}

LowRankInverse::LowRankInverse(MatrixView<const double> F, std::span<const double> P)
    : core(F.cols, F.cols), directions(F.rows, F.cols) {
  const std::size_t d = F.rows, rank = F.cols;
  for (std::size_t a = 0; a < rank; ++a) core(a, a) = 1;
  for (std::size_t j = 0; j < d; ++j) {
    const double scale = 1 / std::sqrt(P[j]);
    for (std::size_t a = 0; a < rank; ++a) directions(j, a) = F(j, a) * scale;
    for (std::size_t a = 0; a < rank; ++a)
      for (std::size_t b = 0; b <= a; ++b) core(a, b) += directions(j, a) * directions(j, b);
  }
  factor_lower_in_place(core.view());  // its eigenvalues are 1 and more
  for (std::size_t j = 0; j < d; ++j)  // a row u of P^-1/2 F becomes C^-1 u
    for (std::size_t a = 0; a < rank; ++a) {
      for (std::size_t b = 0; b < a; ++b) directions(j, a) -= core(a, b) * directions(j, b);
      directions(j, a) /= core(a, a);
    }
}

// (F F^T + P)^-1 F = P^-1 F (I + F^T P^-1 F)^-1 = P^-1/2 D C^-1
Matrix<double> low_rank_regression(MatrixView<const double> F, std::span<const double> P) {
  const LowRankInverse inverse(F, P);
  Matrix<double> B = inverse.directions;
  for (std::size_t j = 0; j < F.rows; ++j) {
    for (std::size_t a = F.cols; a-- > 0;) {  // a row u becomes C^-T u
      for (std::size_t b = a + 1; b < F.cols; ++b) B(j, a) -= inverse.core(b, a) * B(j, b);
      B(j, a) /= inverse.core(a, a);
    }
    for (std::size_t a = 0; a < F.cols; ++a) B(j, a) /= std::sqrt(P[j]);
  }
  return B;
}

}  // namespace bochner
