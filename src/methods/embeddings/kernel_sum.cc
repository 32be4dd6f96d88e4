// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/embeddings/kernel_sum.h"

#include <algorithm>
#include <cmath>

#include "base/lease.h"

namespace bochner {

namespace {

constexpr std::size_t kSlice = 1024;

}  // namespace

template <class T>
Landmarks<T> pack_scaled(const KernelSlope& kernel, const Matrix<T>& x) {
  constexpr std::size_t kPanel = Landmarks<T>::kPanel;
  Landmarks<T> y;
  y.shape = *kernel.shape();
  if (y.shape == KernelShape::rational) y.alpha = T(kernel.kernel().parameter(0));
  y.inputs = x.cols();
  y.count = x.rows();
  y.factor.assign(y.inputs, T(1));
  const std::size_t panels = (y.count + kPanel - 1) / kPanel;
  y.panels.assign(panels * y.inputs * kPanel, T(0));
  y.origin.assign(panels * kPanel, 0.0);
  for (std::size_t i = 0; i < y.count; ++i)
    for (std::size_t j = 0; j < y.inputs; ++j)
      y.panels[i / kPanel * y.inputs * kPanel + j * kPanel + i % kPanel] = x(i, j);
  return y;
}

template Landmarks<float> pack_scaled(const KernelSlope&, const Matrix<float>&);
template Landmarks<double> pack_scaled(const KernelSlope&, const Matrix<double>&);

KernelSum::KernelSum(const Workers& on, const KernelSlope& kernel, Matrix<double> x, std::vector<double> alpha,
                     bool in_float)
    : on_(on), kernel_(kernel), x_(std::move(x)), alpha_(std::move(alpha)), middle_(x_.cols()) {
  for (std::size_t i = 0; i < x_.rows(); ++i)
    for (std::size_t j = 0; j < x_.cols(); ++j) middle_[j] += x_(i, j) / double(x_.rows());
  if (!kernel_.shape() || *kernel_.shape() == KernelShape::squared) return;
  if (in_float)
    pack(floats_);
  else
    pack(doubles_);
}

template <class T>
void KernelSum::pack(std::vector<Slice<T>>& slices) {
  const std::size_t d = inputs();
  for (std::size_t begin = 0; begin < size(); begin += kSlice) {
    const std::size_t count = std::min(kSlice, size() - begin);
    Slice<T> slice{begin, count, {}, Matrix<T>(count, d), Matrix<T>(count, d + 1)};
    for (std::size_t i = 0; i < count; ++i) {
      slice.weighted(i, 0) = T(alpha_[begin + i]);
      for (std::size_t j = 0; j < d; ++j) {
        const double v = x_(begin + i, j) - middle_[j];
        slice.x(i, j) = T(v);
        slice.weighted(i, j + 1) = T(alpha_[begin + i] * v);
      }
    }
    slice.points = pack_scaled(kernel_, slice.x);
    slices.push_back(std::move(slice));
  }
}

// One product gives values and gradients: mu(y) = sum alpha_i k_i, grad mu(y) = sum alpha_i k_i x_i - mu(y) y.
template <class T>
void KernelSum::evaluate_slices(const std::vector<Slice<T>>& slices, MatrixView<const double> at,
                                std::span<double> values, MatrixView<double> gradients) const {
  const std::size_t d = inputs(), width = gradients.data ? d + 1 : 1, n = at.rows;
  Matrix<T> y(n, d);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < d; ++j) y(i, j) = T(at(i, j) - middle_[j]);
  std::vector<Matrix<T>> parts(slices.size());
  on_.threads.run(slices.size(), [&](std::size_t s, int) {
    const Slice<T>& slice = slices[s];
    const Lease<T> k(n * slice.count);
    const MatrixView<T> block{k.data(), n, slice.count, slice.count};
    on_.ops.kernel_block(RowBlock<T>::dense(y.view()), slice.points, block);
    parts[s] = Matrix<T>(n, width);
    on_.ops.multiply(block, MatrixView<const T>{slice.weighted.data(), slice.count, width, d + 1}, T(0),
                     parts[s].view());
  });
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = 0;
    for (const Matrix<T>& part : parts) values[i] += double(part(i, 0));
    for (std::size_t j = 0; j + 1 < width; ++j) {
      double sum = 0;
      for (const Matrix<T>& part : parts) sum += double(part(i, j + 1));
      gradients(i, j) = sum - values[i] * (at(i, j) - middle_[j]);
    }
  }
}

void KernelSum::evaluate_pairs(MatrixView<const double> at, std::span<double> values,
                               MatrixView<double> gradients) const {
  const std::size_t d = inputs();
  on_.threads.run(at.rows, [&](std::size_t j, int) {
    const std::span<const double> y(at.row(j), d);
    double sum = 0;
    if (gradients.data) std::fill_n(gradients.row(j), d, 0.0);
    for (std::size_t i = 0; i < size(); ++i) {
      const std::span<const double> x(&x_(i, 0), d);
      sum += alpha_[i] *
             (gradients.data ? kernel_.add_gradient(y, x, alpha_[i], {gradients.row(j), d}) : kernel_.value(y, x));
    }
    values[j] = sum;
  });
}

void KernelSum::evaluate(MatrixView<const double> at, std::span<double> values, MatrixView<double> gradients) const {
  if (gradients.data && !kernel_.gaussian())
    evaluate_pairs(at, values, gradients);
  else if (!floats_.empty())
    evaluate_slices(floats_, at, values, gradients);
  else if (!doubles_.empty())
    evaluate_slices(doubles_, at, values, gradients);
  else
    evaluate_pairs(at, values, gradients);
}

template <class T>
double KernelSum::norm_of(const std::vector<Slice<T>>& slices) const {
  std::vector<double> sums(slices.size());
  on_.threads.run(slices.size(), [&](std::size_t s, int) {
    const Slice<T>& a = slices[s];
    const Lease<T> memory(a.count * kSlice);
    for (std::size_t t = s; t < slices.size(); ++t) {
      const Slice<T>& b = slices[t];
      const MatrixView<T> k{memory.data(), a.count, b.count, b.count};
      on_.ops.kernel_block(RowBlock<T>::dense(a.x.view()), b.points, k);
      double sum = 0;
      for (std::size_t i = 0; i < a.count; ++i) {
        double row[4] = {};
        for (std::size_t j = 0; j < b.count; ++j) row[j % 4] += alpha_[b.begin + j] * double(k(i, j));
        sum += alpha_[a.begin + i] * ((row[0] + row[2]) + (row[1] + row[3]));
      }
      sums[s] += t == s ? sum : 2 * sum;
    }
  });
  double norm = 0;
  for (const double sum : sums) norm += sum;
  return norm;
}

double KernelSum::squared_norm() const {
  if (!floats_.empty()) return norm_of(floats_);
  if (!doubles_.empty()) return norm_of(doubles_);
  std::vector<double> values(size());
  evaluate_pairs(x_.view(), values, {});
  double norm = 0;
  for (std::size_t i = 0; i < size(); ++i) norm += alpha_[i] * values[i];
  return norm;
}

}  // namespace bochner
