// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "learn/newton/newton.h"

namespace bochner {

// Where an earlier problem left off.
struct Multipliers {
  Matrix<double> a;  // n x K: w = sum_i a_i z_i at the solution
  double h = 0.25;   // width of the smoothed corner
};

struct DualitySolution {
  std::vector<double> primal, dual;  // one per output: the optimum lies between
  bool converged = false;
  bool separable = true;  // hard: false where no margin was found
};

// min 1/2 |w|^2 + sum_i c_i loss(y_i, z_i w + b) for a nonsmooth loss, by the augmented Lagrangian: each round
// minimises the loss smoothed about the multipliers of the last, and takes the alpha there as the next.
// Rockafellar 1976; for these losses Li, Sun & Toh 2018. Ends when primal and dual objective meet within
// `tolerance` of the primal: a certificate, whatever went on before.
class AugmentedLagrangian {
 public:
  AugmentedLagrangian(Newton& newton, const Design& z, const Examples& examples, LossChoice loss);

  DualitySolution solve(double tolerance, int most_steps, Iterate& at, Multipliers& multipliers,
                        const Newton::Watch& watch = {});

 private:
  void begin(Multipliers& multipliers);
  // The objectives of output k at a round's end; whether it may still close the gap.
  bool judge(const Iterate& at, const Matrix<double>& a, const Matrix<double>& Zt_a, std::size_t k);
  double primal(const Iterate& at, std::size_t k);  // and the scale of w that has it
  double dual(const Matrix<double>& a, const double* Zt_a, std::size_t k) const;
  void balance(Matrix<double>& a, std::size_t k) const;
  double most(std::size_t i, std::size_t k, bool positive) const;  // that a multiplier of this sign may be

  Newton& newton_;
  const Design& z_;
  const Examples& examples_;
  LossChoice loss_;
  double longest_ = 0, narrowest_ = 0;  // row; h
  std::vector<double> floor_, gap_, scale_;
  DualitySolution solution_;
};

}  // namespace bochner
