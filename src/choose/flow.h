// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "backend/workers.h"
#include "bochner/matrix.h"

namespace bochner {

// k(x, z) = exp(-|W'(x - z)|^q) and the lambda it was learnt with.
struct Metric {
  std::vector<double> diagonal;  // of a diagonal W; empty: W is full
  Matrix<double> full;           // inputs x inputs
  double q = 1;
  double lambda = 1e-3;

  std::size_t inputs() const { return diagonal.empty() ? full.rows() : diagonal.size(); }
  Matrix<double> matrix() const;  // W
};

// Rows that a metric is learnt from, all in memory. weights: one per row; empty: all 1.
struct FlowRows {
  MatrixView<const float> x;
  MatrixView<const double> y;  // codes of the targets
  std::span<const double> weights = {};
};

// One draw of rows: the first `landmarks` of the first `fitted` rows are landmarks, the rest is scored.
struct FlowBatch {
  std::size_t fitted = 1500, landmarks = 750, scored = 1500;
};

struct FlowGradient {
  double loss = 0;             // log of the mean squared error on the scored rows
  std::vector<double> metric;  // by log of the diagonal, or by W row after row
  double q = 0, log_lambda = 0;
};

// The loss of the Nystroem ridge fitted on the rows `batch`, and its gradient: two passes over the rows and one
// Cholesky; nothing is differentiated through it. T: of the kernel's entries; sums are double. Same bits for any number
// of threads.
//   A = K_a'D K_a + lambda n K_M + 1e-8 n I,  alpha = A^-1 K_a'D y_a,  e = D (y_a - K_a alpha),  r = D (y_b - K_b
//   alpha) rho = 2 r / |D^-1/2 r|^2,  beta = A^-1 K_b'rho d loss / d K: -rho alpha' on scored rows, -e beta' + D K_a
//   beta alpha' on fitted ones, + lambda n beta alpha' on landmarks. D: the weights.
template <class T>
FlowGradient flow_gradient(const Workers& on, const FlowRows& rows, std::span<const std::uint32_t> drawn,
                           const FlowBatch& batch, const Metric& metric);

struct FlowPhase {
  std::size_t steps = 80;
  double rate = 0.12;
  FlowBatch batch = {};
  bool full = false;
};

// Adam on the metric, the exponent and lambda, with rows drawn afresh for each step. Owhadi & Yoo, Kernel flows, 2019.
// tell(step, loss): after each step.
Metric flow(const Workers& on, const FlowRows& rows, Metric start, const FlowPhase& phase, std::uint64_t seed,
            const std::function<void(std::size_t step, double loss)>& tell = {});

// Where the flow begins: all inputs alike, 0.7 over the median distance of rows; q about 1.
Metric flow_start(const FlowRows& rows, std::uint64_t seed);

// The first `count` of a random order of 0 .. n - 1.
std::vector<std::uint32_t> draw_rows(std::size_t n, std::size_t count, std::uint64_t seed, std::uint64_t draw);

}  // namespace bochner
