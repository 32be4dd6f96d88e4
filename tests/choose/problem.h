// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>

#include "bochner/rows.h"
#include "folds/survey.h"
#include "random/draw.h"
#include "run/stream.h"

namespace bochner {

// Rows in memory and a look over them: y = sin(2 x_0) + x_1^2, the other inputs do nothing.
struct Problem {
  Matrix<double> x, y;
  Schema schema;
  Threads threads{2};

  explicit Problem(std::size_t n, std::size_t d = 4) : x(n, d), y(n, 1) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) x(i, j) = normal(7, Draw::sample, i, j);
      const double second = d > 1 ? x(i, 1) : 0;
      y(i, 0) = std::sin(2 * x(i, 0)) + second * second;
    }
    schema.inputs = d;
    schema.targets = 1;
    schema.task = Task::regression;
  }

  std::unique_ptr<Rows> rows() const { return memory_rows<double>(x.view(), y.view(), schema); }
  Survey survey() {
    const auto all = rows();
    return Stream(*all, nullptr, threads, {}, Precision::float64).fold(Survey(schema, 1), "survey");
  }
};

}  // namespace bochner
