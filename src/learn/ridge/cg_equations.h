// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "folds/normal_product.h"
#include "learn/ridge/normal_equations.h"
#include "run/feature_store.h"
#include "solve/cholesky.h"

namespace bochner {

// The right-hand side of ridge about the weighted means, for the rows that are not held out.
struct CentredMoments {
  Matrix<double> moment;             // R: features x outputs
  std::vector<double> feature_mean;  // zeros without intercept
  std::vector<double> target_mean;
  std::vector<double> target_squares;  // sum w t^2 about the mean
  double weight = 0;

  CentredMoments(const MomentFold::Moments& sums, bool intercept);
};

// Factors of B^T B + lambda n I for the lambdas near those asked for. Keeps the last few.
class SketchFactors {
 public:
  SketchFactors(TiledSymmetric<double> gram, double weight, std::size_t most, Threads& threads);

  // Made when it is first used: a resumed run asks for many whose work is done.
  class Factor {
   public:
    Factor(const SketchFactors& all, double lambda) : all_(all), lambda_(lambda) {}
    double lambda() const { return lambda_; }
    const Cholesky& cholesky();

   private:
    const SketchFactors& all_;
    double lambda_;
    std::optional<Cholesky> cholesky_;
  };
  // The factor of lambda, or that of one at most half a decade off: it costs a few steps where a new one costs D^3 / 3.
  std::shared_ptr<Factor> near(double lambda);
  const TiledSymmetric<double>& gram() const { return gram_; }

 private:
  TiledSymmetric<double> gram_;
  double weight_, least_shift_ = 0;
  std::size_t most_;
  Threads& threads_;
  std::list<std::shared_ptr<Factor>> factors_;
};

struct CgSolution {
  double lambda = 0;
  Matrix<double> weights;  // X: features x outputs, of the coded targets
  Matrix<double> product;  // Z^T W Z X about the means
  Matrix<double> held;     // predictions for the rows that are held out, coded
  std::size_t iterations = 0;
  double gap = 0;  // objective / its minimum - 1, as estimated
  bool solved = false;

  Coefficients head(const CentredMoments& moments) const;
};

// A solution is done when its objective is within the tolerance of the minimum and its mean squared error on the
// held-out rows no longer moves; or, where nothing is held out, within a tenth of the tolerance.
struct CgOptions {
  double tolerance = 1e-4;
  std::size_t most_iterations = 200;
  Matrix<double> held_targets = {};  // coded: held rows x outputs
};

// The equations of the rows that are not held out: their features, which they are, and the right-hand side.
struct CgEquations {
  FeatureStore& cache;
  const KeptRows& rows;
  const CentredMoments& moments;
};

// Solves for several lambdas at once. start: null or where to begin, a solution for the same rows. Passes and
// solutions go to the log of the stream's checkpoint.
std::vector<CgSolution> solve_by_cg(const CgEquations& equations, SketchFactors& factors,
                                    const std::vector<double>& lambdas, const CgSolution* start,
                                    const CgOptions& options);

// A solution for the rows that are not held out as a start for all: its product with all rows needs the held-out ones
// only. all: the moments of all rows.
CgSolution with_held_rows(const CgEquations& rest, const CentredMoments& all, const CgSolution& solution);

}  // namespace bochner
