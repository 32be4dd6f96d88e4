// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/reference/operations.h"

namespace bochner::reference {

// Level by level, in T: the order of additions that every backend keeps.
template <class T>
void Operations::hadamard(MatrixView<T> x) {
  for (std::size_t i = 0; i < x.rows; ++i) {
    T* v = x.row(i);
    for (std::size_t h = 1; h < x.cols; h *= 2)
      for (std::size_t begin = 0; begin < x.cols; begin += 2 * h)
        for (std::size_t j = begin; j < begin + h; ++j) {
          const T a = v[j], b = v[j + h];
          v[j] = a + b;
          v[j + h] = a - b;
        }
  }
}

template void Operations::hadamard(MatrixView<float>);
template void Operations::hadamard(MatrixView<double>);

}  // namespace bochner::reference
