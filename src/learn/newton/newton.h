// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "learn/newton/losses.h"
#include "learn/newton/preconditioner.h"
#include "run/logged.h"

namespace bochner {

// Coefficients of K outputs, vectors as Design has them, and the scores they give every row.
struct Iterate {
  Matrix<double> w;  // K x length
  Matrix<double> u;  // n x K
};

// Minimises F(W) = 1/2 |W|^2 + sum_i psi_i(z_i W + b) by Newton's method: the systems by conjugate gradients,
// the step by an exact search along the line, where the scores are a known u + t q. Lin, Weng & Keerthi 2008.
// Losses of one score each are K problems solved side by side, so that a pass over the rows serves them all.
class Newton {
 public:
  // Keeps its preconditioner between calls: what follows is close enough to an earlier point.
  // checkpoint: logs every step; may be null.
  Newton(const Design& z, std::uint64_t seed, Checkpoint* checkpoint = nullptr);

  struct Result {
    std::vector<double> value;  // F, of each output (coupled: all of it in each)
    // F - F* is at most this where there is no intercept (F is strongly convex), and nearly so where there is one.
    std::vector<double> excess;
    Matrix<double> alpha;     // n x K, -psi' at the solution
    Matrix<double> Zt_alpha;  // K x length
    bool converged = false;
  };

  // Until the excess of every output in `outputs` is at most `enough` (one number per output of the loss) or
  // `most_steps` are made. Other outputs stay as they are.
  using Enough = std::function<double(std::size_t output, double value)>;
  using Watch = std::function<void(double fraction)>;  // fraction of the way, in orders of magnitude
  Result minimize(const Loss& loss, Iterate& at, std::span<const std::size_t> outputs, const Enough& enough,
                  int most_steps, const Watch& watch = {});

  int steps() const { return steps_; }        // Newton steps in all
  int products() const { return products_; }  // products with a Hessian in all
  int factors() const { return preconditioner_->factors(); }

 private:
  Result evaluate(const Loss& loss, const Iterate& at, Matrix<double>& state) const;
  Matrix<double> direction(const Loss& loss, const Matrix<double>& state, const Matrix<double>& gradient,
                           std::span<const std::size_t> outputs, double precision);
  Matrix<double> hessian_product(const Loss& loss, const Matrix<double>& state, std::span<const double> d,
                                 const Matrix<double>& p, std::span<const std::size_t> outputs);
  std::vector<double> search(const Loss& loss, const Iterate& at, const Matrix<double>& p, const Matrix<double>& q,
                             std::span<const std::size_t> outputs) const;
  // t and p, and q = Z p, from the log where an earlier run made the step.
  struct Step {
    std::vector<double> t;
    Matrix<double> p, q;
  };
  Step step(const Loss& loss, const Iterate& at, const Matrix<double>& state, const Result& r,
            std::span<const std::size_t> outputs, double precision);
  // Sums over all outputs in each entry where they are coupled.
  void couple(const Loss& loss, std::vector<double>& values) const;

  const Design& z_;
  Threads& threads_;
  Checkpoint* checkpoint_;
  double intercept_penalty_ = 1;  // 0, damped in the Hessian
  std::unique_ptr<Preconditioner> preconditioner_;
  int steps_ = 0, products_ = 0;
};

}  // namespace bochner
