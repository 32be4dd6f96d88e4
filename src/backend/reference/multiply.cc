// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/reference/operations.h"

namespace bochner::reference {

template <class T>
void Operations::multiply(MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c) {
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < b.cols; ++j) {
      double sum = beta == T(0) ? 0 : double(beta) * double(c(i, j));
      for (std::size_t k = 0; k < a.cols; ++k) sum += double(a(i, k)) * double(b(k, j));
      c(i, j) = T(sum);
    }
  }
}

template void Operations::multiply(MatrixView<const float>, MatrixView<const float>, float, MatrixView<float>);
template void Operations::multiply(MatrixView<const double>, MatrixView<const double>, double, MatrixView<double>);

}  // namespace bochner::reference
