// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "base/archive.h"
#include "bochner/map.h"

namespace bochner {

// v(z) = constant + square |z|^2 + |R (z - center)|^2, R lower triangular, and 0 where rounding makes it less: what a
// Gaussian process does not know at features z. In double, whatever the rows are.
struct VarianceForm {
  std::size_t inputs = 0;
  double constant = 0, square = 0;
  std::vector<double> center = {};  // as many as inputs, or none where there is no R
  Matrix<double> lower = {};        // R
};
MapPtr variance_map(VarianceForm form);

MapPtr load_variance(const Archive& archive);

}  // namespace bochner
