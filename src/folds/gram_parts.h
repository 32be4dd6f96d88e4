// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <bit>
#include <cmath>
#include <vector>

#include "backend/whole.h"
#include "backend/workers.h"
#include "base/aligned.h"
#include "bochner/matrix.h"
#include "folds/target_code.h"

// What both sorts of products of GramFold need.
namespace bochner {

// Fixed point: value * 2^33 / bound as an integer. |value| <= bound * rows stays below 2^63 for 2^30 rows.
inline double per_unit(double bound) { return std::ldexp(1.0, 33) / bound; }

// Coded targets and the constant 1, times w: rows x (columns + 1).
template <class T>
Matrix<double> weighted_targets(const RowBlock<T>& z, const TargetCode& code, double weight_bound) {
  Matrix<double> t(z.rows, code.columns() + 1);
  for (std::size_t i = 0; i < z.rows; ++i) {
    const double w = z.weights ? z.weights[i] / weight_bound : 1.0;
    for (std::size_t k = 0; k < code.columns(); ++k) t(i, k) = w * code.encode(z.targets + i * z.target_count, k);
    t(i, code.columns()) = w;
  }
  return t;
}

// sqrt(w) z, t having w in its last column; a copy only where weights make it differ from z.
template <class T>
MatrixView<const T> root_weighted(const Workers& on, const RowBlock<T>& z, const Matrix<double>& t,
                                  AlignedVector<T>& scaled) {
  const MatrixView<const T> rows{z.values, z.rows, z.cols, z.stride};
  if (!z.weights) return rows;
  scaled.resize(z.rows * z.cols);
  on.threads.run(z.rows, [&](std::size_t i, int) {
    const T root = T(std::sqrt(t(i, t.cols() - 1)));
    for (std::size_t j = 0; j < z.cols; ++j) scaled[i * z.cols + j] = root * rows(i, j);
  });
  return {scaled.data(), z.rows, z.cols, z.cols};
}

// The nearest integer, ties to even, for |value| < 2^51: the addition leaves no room for digits after the point.
inline std::int64_t to_integer(double value) {
  constexpr double kShift = 3.0 * (std::int64_t{1} << 51);
  return std::bit_cast<std::int64_t>(value + kShift) - std::bit_cast<std::int64_t>(kShift);
}

// w y y^T of each row; t has w y, and w in its last column.
void add_targets(const Matrix<double>& t, int sign, Matrix<std::int64_t>& sums);

// Coded targets as whole numbers: t = sum_d digit_d / unit_d, each digit at most kMostWhole in size. Classes, |t| <= 1,
// take two digits, 29 bits. Numbers take three: 34 bits for |t| <= 1, and room up to 1024 for parts whose targets lie
// outside of the range that was surveyed.
struct TargetDigits {
  explicit TargetDigits(Task task)
      : count(task == Task::classification ? 2 : 3), most(task == Task::classification ? 1 : 1024) {}
  static constexpr double kBase = 2.0 * kMostWhole;

  double unit(std::size_t digit) const { return digit == 0 ? kMostWhole / most : kBase * unit(digit - 1); }

  std::size_t count;
  double most;  // the largest |t|
};

}  // namespace bochner
