// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "learn/newton/newton.h"

namespace bochner {

// The losses with corners.
struct Corner {
  enum class Kind { hinge, hard, tube };

  Kind kind = Kind::hinge;
  std::vector<double> epsilon;  // tube: one per output
};

// Where an earlier problem left off.
struct Multipliers {
  Matrix<double> a;  // n x K: w = sum_i a_i z_i at the solution
  double h = 0.25;   // width of the smoothed corner
};

struct MarginSolution {
  std::vector<double> primal, dual;  // of each output: the optimum lies between
  bool converged = false;
  bool separable = true;  // hard: false where no margin was found
};

// min 1/2 |w|^2 + sum_i c_i loss(y_i, z_i w + b) for a loss with a corner, by the method of multipliers: each round
// minimises the loss smoothed about the multipliers of the last, and takes the pull there as the next.
// Rockafellar 1976; for these losses Li, Sun & Toh 2018. Ends when primal and dual objective meet within
// `tolerance` of the primal: a certificate, whatever went on before.
MarginSolution solve_margins(Newton& newton, const FeatureRows& z, const Examples& examples, const Corner& corner,
                             double tolerance, int most_steps, Threads& threads, Iterate& at, Multipliers& multipliers,
                             const Newton::Watch& watch = {});

}  // namespace bochner
