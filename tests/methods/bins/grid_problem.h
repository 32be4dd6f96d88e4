// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/backend.h"
#include "bochner/archive.h"
#include "methods/bins/fit.h"
#include "random/draw.h"

namespace bochner {

// Two numbers and an indicator; the sign of a wave decides the class.
struct GridProblem {
  std::size_t n;
  std::vector<float> x;
  GridTargets targets;

  explicit GridProblem(std::size_t n, std::size_t outputs = 1, bool numbers = false) : n(n), x(n * 3) {
    targets.outputs = outputs;
    targets.code.resize(n * outputs);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < 2; ++j) x[i * 3 + j] = float(normal(3, Draw::sample, i, j));
      x[i * 3 + 2] = float(bits(3, Draw::sample, i, 2) & 1);
      for (std::size_t k = 0; k < outputs; ++k) {
        const double wave = std::sin(2 * double(x[i * 3]) + double(k)) + double(x[i * 3 + 2]) - 0.5;
        targets.code[i * outputs + k] = numbers ? float(wave) : wave > 0 ? 1.0f : -1.0f;
      }
    }
  }

  RowBlock<float> block(std::size_t begin, std::size_t count) const {
    RowBlock<float> b;
    b.rows = count;
    b.cols = b.stride = 3;
    b.values = x.data() + begin * 3;
    return b;
  }

  GridRows<float> rows(Threads& threads, std::size_t block_rows = 1 << 20) const {
    GridRows<float> all;
    for (std::size_t i = 0; i < n; i += block_rows) all.add(threads, block(i, std::min(block_rows, n - i)));
    return all;
  }

  Matrix<float> predict(const GridLinear& head) const {
    Matrix<float> y(n, head.outputs());
    head.apply(reference_backend(), block(0, n), y.view());
    return y;
  }
};

inline BinningOptions few_grids() {
  BinningOptions options;
  options.grids = 10;
  options.seed = 5;
  return options;
}

inline GridFitOptions dual(GridLoss loss) {
  GridFitOptions options;
  options.loss = loss;
  options.solver = GridSolver::dual;
  options.passes = 100;
  return options;
}

inline Archive saved(const Map& map) {
  Archive archive;
  map.save(archive);
  return archive;
}

}  // namespace bochner
