// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>

#include "backend/reference/operations.h"

namespace bochner::reference {

template <class T>
void Operations::project(MatrixView<const T> z, MatrixView<const Computed<T>> v, MatrixView<Computed<T>> u) {
  for (std::size_t i = 0; i < z.rows; ++i)
    for (std::size_t k = 0; k < v.rows; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < z.cols; ++j) sum += double(z(i, j)) * double(v(k, j));
      u(i, k) = Computed<T>(sum);
    }
}

template <class T>
void Operations::add_combined(MatrixView<const T> z, MatrixView<const Computed<T>> u, MatrixView<Computed<T>> sum) {
  for (std::size_t i = 0; i < z.rows; ++i)
    for (std::size_t k = 0; k < u.cols; ++k)
      for (std::size_t j = 0; j < z.cols; ++j) sum(k, j) += u(i, k) * Computed<T>(z(i, j));
}

template <class T>
void Operations::project(std::span<const T* const> z, MatrixView<const double> v, MatrixView<double> u) {
  for (std::size_t i = 0; i < u.rows; ++i)
    for (std::size_t k = 0; k < v.rows; ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < v.cols; ++j) sum += double(z[i][j]) * v(k, j);
      u(i, k) = sum;
    }
}

template <class T>
void Operations::add_combined(std::span<const T* const> z, MatrixView<const double> u, MatrixView<double> sum) {
  for (std::size_t i = 0; i < u.rows; ++i)
    for (std::size_t k = 0; k < u.cols; ++k)
      for (std::size_t j = 0; j < sum.cols; ++j) sum(k, j) += u(i, k) * double(z[i][j]);
}

template <class T>
void Operations::scatter(std::span<const T* const> z, const std::uint32_t* to, const float* factor,
                         MatrixView<float> sum) {
  for (std::size_t r = 0; r < z.size(); ++r)
    for (std::size_t j = 0; j < sum.cols; ++j) sum(to[r], j) += factor[r] * float(z[r][j]);
}

void Operations::project_and_widen(MatrixView<const std::int16_t> z, MatrixView<const float> v, MatrixView<float> u,
                                   MatrixView<float> wide) {
  project(z, v, u);
  for (std::size_t i = 0; i < z.rows; ++i)
    for (std::size_t j = 0; j < z.cols; ++j) wide(i, j) = float(z(i, j));
}

void Operations::to_fixed(MatrixView<const float> z, float per_unit, MatrixView<std::int16_t> q) {
  for (std::size_t i = 0; i < z.rows; ++i)
    for (std::size_t j = 0; j < z.cols; ++j)
      q(i, j) = std::int16_t(std::clamp(std::nearbyint(z(i, j) * per_unit), -32768.0f, 32767.0f));
}

#define BOCHNER_KEPT(T)                                                                                                \
  template void Operations::project(MatrixView<const T>, MatrixView<const Computed<T>>, MatrixView<Computed<T>>);      \
  template void Operations::add_combined(MatrixView<const T>, MatrixView<const Computed<T>>, MatrixView<Computed<T>>); \
  template void Operations::project(std::span<const T* const>, MatrixView<const double>, MatrixView<double>);          \
  template void Operations::add_combined(std::span<const T* const>, MatrixView<const double>, MatrixView<double>);     \
  template void Operations::scatter(std::span<const T* const>, const std::uint32_t*, const float*, MatrixView<float>)
BOCHNER_KEPT(std::int16_t);
BOCHNER_KEPT(float);
BOCHNER_KEPT(double);
#undef BOCHNER_KEPT

}  // namespace bochner::reference
