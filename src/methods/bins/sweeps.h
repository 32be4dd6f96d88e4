// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>
#include <vector>

#include "methods/bins/bins.h"

namespace bochner {

// (y - f)^2 / 2, log(1 + exp(-y f)), max(0, 1 - y f) or its square.
enum class GridLoss { squared, logistic, hinge, squared_hinge };
inline bool has_hinge(GridLoss loss) { return loss == GridLoss::hinge || loss == GridLoss::squared_hinge; }

// Minimises  sum_i w_i loss(y_i, f_i) + shift/2 |v|^2,  f_i = intercept + sum_g v_g[bin_g(i)],  one grid at a time
// (squared or logistic, y = -1, +1). A grid puts each row into one bin, so its
// normal matrix is diagonal and the step over all its bins is exact (squared) or one Newton step (logistic):
//   v_c += (G_c - shift v_c) / (H_c + shift),  G_c = sum_{i in c} w_i (y_i - f_i),      H_c = sum w_i          squared
//                                              G_c = sum w_i y_i s(-y_i f_i),           H_c = sum w_i p (1-p)  logistic
// Sums are 64-bit fixed point: threads add them in any order to the same bits.
class GridSweeper {
 public:
  GridSweeper(Threads& threads, const GridTargets& targets, GridLoss loss, std::span<const double> intercept);

  std::size_t outputs() const { return K_; }

  // One step over a grid: columns[i] <= bins.size(), where size() means forgotten; v: bins x outputs.
  // The change of f is applied by the next step, which reads every row anyway: `columns` must live until then.
  void step(const std::uint32_t* columns, const OccupiedBins& bins, double shift, float* v);
  void finish();  // applies the last change

  // One for each row and output, after finish(): residuals y - f (squared) or scores f (logistic). Whoever fits
  // something else to the residuals subtracts it here.
  std::vector<float>& state() { return state_; }

  // sum_i w_i loss(y_i, f_i), after finish().
  double loss() const;
  // w_i (y_i - f_i), or w_i y_i s(-y_i f_i), and its curvature: what pursuit aligns grids with. After finish().
  void slopes(std::vector<float>& slope, std::vector<float>& curvature) const;

 private:
  template <bool kLogistic, bool kOne>
  void pass(const std::uint32_t* columns, std::size_t begin, std::size_t end, std::int64_t* sums);

  Threads& threads_;
  const GridTargets& targets_;
  GridLoss loss_;
  std::size_t n_, K_;
  double per_unit_;                              // fixed point units per 1
  std::vector<float> state_;                     // n x K
  std::vector<std::vector<std::int64_t>> sums_;  // one per thread: G, or G and H, of each bin; zero between steps
  std::vector<float> change_;                    // what the last step added to v
  const std::uint32_t* changed_ = nullptr;       // its columns
};

// Mean code per output, or its log-odds: what a row in no known bin is predicted as.
std::vector<double> grid_intercept(const GridTargets& targets, GridLoss loss);

}  // namespace bochner
