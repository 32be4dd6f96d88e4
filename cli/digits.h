// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/matrix.h"
#include "bochner/schema.h"

namespace bochner {

// The founding experiment's data (000, Table 1): digits 0 to 8, pixels / 16 minus the mean of their column.
// The first half of the rows trains, the second tests.
struct Digits {
  Schema schema;
  Matrix<float> pixels;
  Matrix<double> labels;
  std::size_t train_rows = 0;
};
Digits load_digits();

}  // namespace bochner
