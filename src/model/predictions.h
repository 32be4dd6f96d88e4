// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>

#include "base/require.h"
#include "bochner/matrix.h"

namespace bochner {

// What a model's maps gave, as double; Error::Kind::data where a number is not finite. first: the first row's number.
template <class T>
void copy_finite(MatrixView<const T> from, std::size_t first, MatrixView<double> to) {
  for (std::size_t i = 0; i < from.rows; ++i)
    for (std::size_t k = 0; k < from.cols; ++k) {
      to(i, k) = double(from(i, k));
      if (!std::isfinite(to(i, k)))
        fail(Error::Kind::data,
             "row {}: its prediction is not finite: an input is too large for the model; correct it, or train with "
             "--precision double",
             first + i);
    }
}

}  // namespace bochner
