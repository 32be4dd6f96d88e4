// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>

#include "base/option.h"
#include "base/require.h"
#include "bochner/matrix.h"

namespace bochner {

// Error::Kind::data where a prediction is not finite. first: the number of the first row.
inline void check_finite(MatrixView<const double> predictions, std::size_t first) {
  for (std::size_t i = 0; i < predictions.rows; ++i)
    for (std::size_t k = 0; k < predictions.cols; ++k)
      if (!std::isfinite(predictions(i, k)))
        fail(Error::Kind::data,
             "row {}: its prediction is not finite: an input is too large for the model; correct it, or train with {}",
             first + i, Option::double_precision);
}

}  // namespace bochner
