// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/hadamard_loop.h"
#include "backend/reference/operations.h"

namespace bochner::reference {

template <class T>
void Operations::hadamard(MatrixView<T> x) {
  for (std::size_t i = 0; i < x.rows; ++i) hadamard_loop(x.row(i), x.cols);
}

template void Operations::hadamard(MatrixView<float>);
template void Operations::hadamard(MatrixView<double>);

}  // namespace bochner::reference
