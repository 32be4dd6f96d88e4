// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bochner/learner.h"
#include "bochner/matrix.h"

namespace bochner {

// What a loss sees of the rows. n rows, K outputs.
struct Examples {
  Matrix<double> y;                // n x K: -1 or +1, or a number
  std::vector<double> c;           // n: C times the row's weight; 0 leaves the row out
  std::vector<double> price = {};  // K: what each output multiplies c by; empty: 1

  double cost(std::size_t i, std::size_t k) const { return price.empty() ? c[i] : c[i] * price[k]; }
  double cost_of_all(std::size_t k) const;  // summed over the rows
  std::size_t rows() const { return y.rows(); }
  std::size_t outputs() const { return y.cols(); }
};

// sum_i psi_i(u_i), a convex and once differentiable function of the scores u = z W + b of every row.
// The scores of a row meet in one term when `coupled` (softmax); otherwise each output is a problem of its own.
// Thread-safe: calls look at the rows first .. first + count only, arrays are theirs (count x K).
class Loss {
 public:
  virtual ~Loss() = default;
  virtual bool coupled() const { return false; }

  // value[k] += psi, alpha = -psi'(u), and what curvature() needs of u. value has K entries (coupled: all in the
  // first).
  virtual void evaluate(std::size_t first, std::size_t count, const double* u, double* value, double* alpha,
                        double* state) const = 0;
  // r = psi''(u) q for the rows and outputs named; q and r are rows.size() x outputs.size(), state is of all rows.
  // Here for losses of one score each, whose state is psi'' itself.
  virtual void curvature(std::span<const std::size_t> rows, const Matrix<double>& state,
                         std::span<const std::size_t> outputs, const double* q, double* r) const;
  // The diagonal of psi'', averaged over the outputs: n entries.
  virtual std::vector<double> mean_curvature(const Matrix<double>& state) const;

  // The most that psi'' may sum to over all rows.
  double most_curvature() const { return most_curvature_; }
  bool steep() const { return steep_; }  // psi'' has no bound

 protected:
  // steepest: the largest psi'' where c is 1.
  Loss(const Examples& examples, double steepest, bool steep = false);
  const std::size_t K_;
  const Examples& examples_;

 private:
  double most_curvature_;
  bool steep_;
};

// A learner's loss with its parameter in units of the scores, one per output; empty if the loss has none.
struct LossChoice {
  const LearnerRow& row;
  MarginLoss margin = MarginLoss::linear;
  std::vector<double> parameter = {};

  double parameter_of(std::size_t k) const { return parameter.empty() ? 0 : parameter[k]; }
  bool is_smooth() const { return row.curve && (!row.has_loss || margin == MarginLoss::squared); }
  double power() const { return row.power(parameter_of(0)); }  // needs a row that has one
  bool is_hard() const { return row.learner == Learner::hard_svm; }
  // Grows as the distance of score and target, not as its square.
  bool is_lines() const { return row.lines && !is_smooth(); }
  LossLines lines(std::size_t k) const { return row.lines(parameter_of(k)); }
  double value(std::size_t k, double cost, double target, double score) const;  // one score, one target
};

// A loss of one score each by its row's curve; the softmax of a logistic learner of more than two classes,
// -c log(exp(u_y) / sum_k exp(u_k)), y = +1 marks the class.
std::unique_ptr<Loss> smooth_loss(const Examples& examples, const LossChoice& loss);

// A loss with corners, smoothed about multipliers a (n x K, the alpha of an earlier solution):
//   psi(u) = max_a' { a' (y - u) - penalty(a') - (a' - a)^2 h / (2 c) }
// the augmented Lagrangian of u = z w + b. Its alpha is the maximising a', and where a solves the problem so does
// the minimiser of psi, for any width h > 0.
// hinge: c max(0, 1 - y u), 0 <= y a' <= c.  lines: -c below <= a' <= c above, penalty free |a'|.
// hard: no bound on y a'; c then only sets the scale of h.
std::unique_ptr<Loss> smoothed_loss(const Examples& examples, const LossChoice& loss, const Matrix<double>& a,
                                    double h);

}  // namespace bochner
