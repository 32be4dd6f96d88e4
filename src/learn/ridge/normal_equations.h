// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <vector>

#include "base/threads.h"
#include "folds/gram.h"
#include "learn/score.h"
#include "solve/cholesky.h"

namespace bochner {

// A linear head on features: prediction = z W + b, in the units of the targets or of their code.
struct Coefficients {
  Matrix<double> weights;  // features x outputs
  std::vector<double> intercept;
};

// (G + lambda n I) W = R with the intercept eliminated: G and R are about the weighted means when there is one.
// G is made from the sums for each factor, in the memory that becomes the factor: beside the sums there is never
// more than one matrix. The sums must outlive the equations unchanged.
struct NormalEquations {
  const GramFold& sums;
  Matrix<double> moment;             // features x outputs
  std::vector<double> feature_mean;  // zeros without intercept
  std::vector<double> target_mean;
  double weight = 0;  // n, or the sum of the weights
  bool intercept = true;

  NormalEquations(const GramFold& sums, bool has_intercept);

  Cholesky shifted_factor(double shift, Threads& threads) const;  // factor of G + shift I; may have failed
  Cholesky try_factor(double lambda, Threads& threads) const { return shifted_factor(lambda * weight, threads); }
  Cholesky factor(double lambda, Threads& threads) const;  // refuses a lambda too small for the rounding of G
  std::optional<Coefficients> try_solve(double lambda, Threads& threads) const;
  Coefficients solve(const Cholesky& factor) const;
};

// The coefficients in the units of the targets.
Coefficients decode(Coefficients coded, const TargetCode& code);

// Scores the predictions of a decoded head for rows of features that lie in memory.
template <class T>
Scorer score_rows(const Workers& on, const RowBlock<T>& z, const Coefficients& head, Task task);
template <class T>
void score_rows(const Workers& on, const RowBlock<T>& z, const Coefficients& head, Scorer& to);

// The coefficients of several heads side by side, so that one product serves all.
Coefficients stack(const std::vector<Coefficients>& heads);

}  // namespace bochner
