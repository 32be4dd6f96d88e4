// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/cpu/blas.h"
#include "backend/cpu/operations.h"

namespace bochner::cpu {

template <class T>
void multiply(MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c) {
  blas::gemm(blas::Op::plain, blas::Op::plain, T(1), a, b, beta, c);
}

template void multiply(MatrixView<const float>, MatrixView<const float>, float, MatrixView<float>);
template void multiply(MatrixView<const double>, MatrixView<const double>, double, MatrixView<double>);

}  // namespace bochner::cpu
