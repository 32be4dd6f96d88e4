// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/matrix.h"

namespace bochner {

// Steps of Gauss's elimination by rows, each product and each difference rounded by itself and in this order, so that
// the bits are the same on every machine.

// Row k of w, its columns from `first` on: -= u(p, k) row p for p = begin, ..., k - 1.
void subtract_rows(MatrixView<const float> u, MatrixView<float> w, std::size_t begin, std::size_t k, std::size_t first);
void subtract_rows(MatrixView<const double> u, MatrixView<double> w, std::size_t begin, std::size_t k,
                   std::size_t first);

// That of all columns for k = begin, ..., begin + count - 1, after which row k is multiplied by 1 / u(k, k).
void eliminate(MatrixView<const float> u, MatrixView<float> w, std::size_t begin, std::size_t count);
void eliminate(MatrixView<const double> u, MatrixView<double> w, std::size_t begin, std::size_t count);

}  // namespace bochner
