// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "bochner/rows.h"
#include "random/draw.h"

namespace bochner {

// y = sines of a projection plus noise; inputs normal.
template <class T>
struct RidgeProblem {
  std::size_t rows, inputs;
  Matrix<T> x;
  Matrix<double> y;
  std::vector<double> weights;
  Schema schema;

  RidgeProblem(std::size_t n, std::size_t d, std::size_t targets = 1) : rows(n), inputs(d), x(n, d), y(n, targets) {
    for (std::size_t i = 0; i < n; ++i) {
      double s = 0;
      for (std::size_t j = 0; j < d; ++j) s += x(i, j) = T(normal(1, Draw::frequency, i, j));
      for (std::size_t k = 0; k < targets; ++k)
        y(i, k) = 100 + 5 * std::sin(s / double(k + 1)) + 0.3 * normal(2, Draw::frequency, i, k);
      weights.push_back(double(1 + i % 3));
    }
    schema.inputs = d;
    schema.targets = targets;
  }

  void make_classes(std::size_t classes) {
    schema.task = Task::classification;
    for (std::size_t c = 0; c < classes; ++c) schema.labels.push_back(std::to_string(c));
    for (std::size_t i = 0; i < rows; ++i) y(i, 0) = double(std::size_t(std::abs(y(i, 0)) * 0.7) % classes);
  }

  std::unique_ptr<Rows> open(bool weighted = false) const {
    return memory_rows<T>(x.view(), y.view(), schema, weighted ? weights.data() : nullptr);
  }
};

}  // namespace bochner
