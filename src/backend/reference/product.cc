// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <cmath>

#include "backend/reference/operations.h"

namespace bochner::reference {

template <class T>
void Operations::add_product(MatrixView<const T> a, MatrixView<const T> b, double per_unit,
                             MatrixView<std::int64_t> sum) {
  for (std::size_t i = 0; i < a.cols; ++i) {
    for (std::size_t j = 0; j < b.cols; ++j) {
      double product = 0;
      for (std::size_t k = 0; k < a.rows; ++k) product += double(a(k, i)) * double(b(k, j));
      sum(i, j) += std::llrint(per_unit * product);
    }
  }
}

void Operations::add_product(MatrixView<const float> a, MatrixView<const float> b, MatrixView<double> sum) {
  for (std::size_t k = 0; k < a.rows; ++k)
    for (std::size_t i = 0; i < a.cols; ++i)
      for (std::size_t j = 0; j < b.cols; ++j) sum(i, j) += double(a(k, i)) * double(b(k, j));
}

template void Operations::add_product(MatrixView<const float>, MatrixView<const float>, double,
                                      MatrixView<std::int64_t>);
template void Operations::add_product(MatrixView<const double>, MatrixView<const double>, double,
                                      MatrixView<std::int64_t>);

}  // namespace bochner::reference
