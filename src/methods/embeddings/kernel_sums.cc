// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/embeddings/kernel_sums.h"

#include <algorithm>
#include <numeric>

#include "base/lease.h"
#include "methods/embeddings/kernel_sum.h"

namespace bochner {

namespace {

constexpr std::size_t kPointSlice = 512;

bool in_backend(const KernelSlope& kernel) { return kernel.shape() && *kernel.shape() != KernelShape::squared; }

}  // namespace

KernelSums::KernelSums(const Workers& on, const KernelSlope& kernel, const Matrix<double>& x,
                       const Matrix<double>& alpha)
    : on_(on), kernel_(kernel), alpha_(alpha), middle_(x.cols()) {
  const std::size_t n = x.rows(), d = x.cols();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) middle_[j] += x(i, j) / double(n);
  for (std::size_t begin = 0; begin < n; begin += kPointSlice) {
    const std::size_t count = std::min(kPointSlice, n - begin);
    Slice slice{begin,
                count,
                {},
                Matrix<double>(count, d + 1),
                Matrix<double>(count, functions()),
                Matrix<double>(functions(), count)};
    Matrix<double> points(count, d);
    for (std::size_t i = 0; i < count; ++i) {
      slice.x(i, 0) = 1;
      for (std::size_t j = 0; j < d; ++j) slice.x(i, j + 1) = points(i, j) = x(begin + i, j) - middle_[j];
      for (std::size_t f = 0; f < functions(); ++f) slice.across(f, i) = slice.alpha(i, f) = alpha(begin + i, f);
    }
    if (in_backend(kernel_)) slice.points = pack_scaled(kernel_, points);
    slices_.push_back(std::move(slice));
  }
}

Matrix<double> KernelSums::less_middle(MatrixView<const double> at) const {
  Matrix<double> y(at.rows, inputs());
  for (std::size_t i = 0; i < at.rows; ++i)
    for (std::size_t j = 0; j < inputs(); ++j) y(i, j) = at(i, j) - middle_[j];
  return y;
}

void KernelSums::kernel_block(MatrixView<const double> rows, const Slice& slice, MatrixView<double> block) const {
  if (in_backend(kernel_)) return on_.ops.kernel_block(RowBlock<double>::dense(rows), slice.points, block);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < slice.count; ++j)
      block(i, j) = kernel_.value({rows.row(i), inputs()}, {&slice.x(j, 1), inputs()});
}

void KernelSums::evaluate(MatrixView<const double> at, MatrixView<double> values) const {
  const Matrix<double> y = less_middle(at);
  std::vector<Matrix<double>> parts(slices_.size());
  on_.threads.run(slices_.size(), [&](std::size_t s, int) {
    const Slice& slice = slices_[s];
    const Lease<double> memory(at.rows * slice.count);
    const MatrixView<double> k{memory.data(), at.rows, slice.count, slice.count};
    kernel_block(y.view(), slice, k);
    parts[s] = Matrix<double>(at.rows, functions());
    on_.ops.multiply(k, slice.alpha.view(), 0.0, parts[s].view());
  });
  for (std::size_t i = 0; i < at.rows; ++i)
    for (std::size_t f = 0; f < functions(); ++f) {
      values(i, f) = 0;
      for (const Matrix<double>& part : parts) values(i, f) += part(i, f);
    }
}

// One product gives the gradients of the gaussian: with w_i = k_i sum_f beta_f alpha_if, sum_i w_i x_i - (sum_i w_i) y.
void KernelSums::gradients(MatrixView<const double> at, MatrixView<const double> beta,
                           MatrixView<double> gradients) const {
  const std::size_t d = inputs(), n = at.rows;
  const Matrix<double> y = less_middle(at);
  std::vector<Matrix<double>> parts(slices_.size());
  on_.threads.run(slices_.size(), [&](std::size_t s, int) {
    const Slice& slice = slices_[s];
    const Lease<double> memory(2 * n * slice.count);
    const MatrixView<double> w{memory.data(), n, slice.count, slice.count};
    const MatrixView<double> k{memory.data() + n * slice.count, n, slice.count, slice.count};
    on_.ops.multiply(beta, slice.across.view(), 0.0, w);
    parts[s] = Matrix<double>(n, d + 1);
    if (kernel_.gaussian()) {
      kernel_block(y.view(), slice, k);
      for (std::size_t i = 0; i < n * slice.count; ++i) w.data[i] *= k.data[i];
      on_.ops.multiply(w, slice.x.view(), 0.0, parts[s].view());
      return;
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < slice.count; ++j)
        kernel_.add_gradient({&y(i, 0), d}, {&slice.x(j, 1), d}, w(i, j), {&parts[s](i, 1), d});
  });
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) {
      gradients(i, j) = 0;
      for (const Matrix<double>& part : parts) gradients(i, j) += part(i, j + 1) - part(i, 0) * y(i, j);
    }
}

double KernelSums::squared_norm() const {
  std::vector<double> sums(slices_.size());
  on_.threads.run(slices_.size(), [&](std::size_t s, int) {
    const Slice& a = slices_[s];
    const MatrixView<const double> rows{&a.x(0, 1), a.count, inputs(), inputs() + 1};
    const Lease<double> memory(a.count * (kPointSlice + functions()));
    const MatrixView<double> values{memory.data() + a.count * kPointSlice, a.count, functions(), functions()};
    for (std::size_t t = s; t < slices_.size(); ++t) {
      const Slice& b = slices_[t];
      const MatrixView<double> k{memory.data(), a.count, b.count, b.count};
      kernel_block(rows, b, k);
      on_.ops.multiply(k, b.alpha.view(), 0.0, values);
      double sum = 0;
      for (std::size_t i = 0; i < a.count; ++i)
        for (std::size_t f = 0; f < functions(); ++f) sum += a.alpha(i, f) * values(i, f);
      sums[s] += t == s ? sum : 2 * sum;
    }
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace bochner
