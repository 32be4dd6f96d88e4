// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "backend/workers.h"
#include "base/aligned.h"
#include "bochner/matrix.h"

namespace bochner {

// k(x, z) = exp(-|W'(x - z)|^q) and the lambda it was learnt with.
struct Metric {
  std::vector<double> diagonal;  // the entries of a diagonal W; empty: W is full
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
  std::span<const std::uint64_t> kin = {};  // rows with the same number are not independent; empty: all rows are
};

// One draw of rows: the first are fitted, the rest is scored.
struct FlowBatch {
  std::size_t fitted = 500, scored = 800;
};

struct FlowGradient {
  double loss = 0;             // log of the mean squared error on the scored rows
  std::vector<double> metric;  // derivatives by the log of the diagonal, or by W row after row
  double q = 0, log_lambda = 0;
};

// A step's kernel, kept from step to step: the system clears pages that are asked for anew.
template <class T>
struct FlowRoom {
  AlignedVector<double> kernel;
  AlignedVector<T> entries;
};

// The loss of the kernel ridge fitted on some of the rows drawn, and its gradient: two passes over the rows and one
// Cholesky; nothing is differentiated through it. T: of the kernel's entries; sums are double. Same bits for any number
// of threads and on every machine. K: of the fitted rows a, K_b: of the scored rows b with these, D: the weights.
//   alpha = (K + lambda n D^-1)^-1 y_a,  r = D (y_b - K_b alpha),  rho = 2 r / |D^-1/2 r|^2,
//   beta = (K + lambda n D^-1)^-1 K_b'rho;  d loss / d K_b = -rho alpha',  d loss / d K = beta alpha'.
template <class T>
FlowGradient flow_gradient(const Workers& on, const FlowRows& rows, std::span<const std::uint32_t> drawn,
                           const FlowBatch& batch, const Metric& metric, FlowRoom<T>* room = nullptr);

// The loss alone.
double flow_loss(const Workers& on, const FlowRows& rows, std::span<const std::uint32_t> drawn, const FlowBatch& batch,
                 const Metric& metric);

constexpr std::size_t kGroupsOfStep = 8;

struct FlowPhase {
  std::size_t steps = 80;
  double rate = 0.12;
  FlowBatch batch = {};
  bool full = false;
  std::span<const std::vector<std::uint32_t>> groups = {};  // rows near to each other; none: draws are from all rows
};

// Adam on the metric, the exponent and lambda, with rows drawn afresh for each step. Owhadi & Yoo, Kernel flows, 2019.
// With groups a step draws some of these, each fitted and scored by itself, and the mean of their squared errors falls:
// as dense as all rows are where they lie, they teach what a draw from far and wide cannot.
// tell(step, loss): after each step.
Metric flow(const Workers& on, const FlowRows& rows, Metric start, const FlowPhase& phase, std::uint64_t seed,
            const std::function<void(std::size_t step, double loss)>& tell = {});

// Where the flow begins: all inputs alike, 0.7 over the median distance of rows; q about 1.
Metric flow_start(const FlowRows& rows, std::uint64_t seed);
// The metric that learns nothing: exp(-|x - z|^2 / m^2), m the median distance of rows.
Metric gaussian_of_median_distance(MatrixView<const float> x, std::uint64_t seed);

// The rows of a draw so that the first `fitted` and the others have no kin in common, except for one family at most
// that is cut. Both sides keep the order of the draw.
std::vector<std::uint32_t> parted_by_kin(std::vector<std::uint32_t> drawn, std::size_t fitted,
                                         std::span<const std::uint64_t> kin, std::uint64_t seed, std::size_t step);

// The first `count` of a random order of 0 .. n - 1.
std::vector<std::uint32_t> draw_rows(std::size_t n, std::size_t count, std::uint64_t seed, std::uint64_t draw);

}  // namespace bochner
