// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/directions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "maps/map_rows.h"
#include "solve/fixed_order.h"
#include "solve/subspace.h"

namespace bochner {

namespace {

constexpr std::size_t kKeptDirections = 256;
constexpr std::size_t kDirectionRows = 4096;  // that they come from

}  // namespace

Matrix<double> leading_directions(const Workers& on, MatrixView<const float> x, std::span<const std::uint32_t> rows,
                                  const Matrix<double>& W, std::uint64_t seed) {
  const std::size_t step = (rows.size() + kDirectionRows - 1) / kDirectionRows, d = W.cols();
  Matrix<float> some((rows.size() + step - 1) / step, x.cols), mapped(some.rows(), d);
  for (std::size_t i = 0; i < some.rows(); ++i) std::copy_n(x.row(rows[i * step]), x.cols, &some(i, 0));
  map_rows(on, *linear(W, {}), RowBlock<float>::dense(std::as_const(some).view()), mapped.view());
  Matrix<double> u(mapped.rows(), d);
  std::vector<double> mean(d, 0.0);
  for (std::size_t i = 0; i < u.rows(); ++i)
    for (std::size_t j = 0; j < d; ++j) mean[j] += double(mapped(i, j)) / double(u.rows());
  for (std::size_t i = 0; i < u.rows(); ++i)
    for (std::size_t j = 0; j < d; ++j) u(i, j) = double(mapped(i, j)) - mean[j];
  const Matrix<double> C = fixed_order::transposed_product(on.threads, u, u);
  const auto times = [&](const Matrix<double>& q) { return fixed_order::product(on.threads, C, q); };
  Matrix<double> leading = leading_subspace(on.threads, times, d, kKeptDirections, std::min(u.rows(), d), seed);
  if (leading.cols() == 0) {  // those rows are all equal: any directions will do
    leading = Matrix<double>(d, std::min(kKeptDirections, d));
    for (std::size_t k = 0; k < leading.cols(); ++k) leading(k, k) = 1;
  }
  return fixed_order::product(on.threads, W, leading);
}

}  // namespace bochner
