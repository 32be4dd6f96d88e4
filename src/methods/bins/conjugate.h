// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "bochner/archive.h"
#include "methods/bins/bins.h"

namespace bochner {

// The bins of all rows, visited some grids at a time where memory does not hold them all.
class BinSource {
 public:
  virtual ~BinSource() = default;
  virtual std::size_t grids() const = 0;
  // Grids begin .. begin + count - 1; their bins and columns stand while they are visited.
  using Visit = std::function<void(std::size_t begin, std::size_t count)>;
  virtual void each(bool ascending, const Visit& visit) = 0;
  virtual const OccupiedBins& bins(std::size_t g) const = 0;
  virtual const std::uint32_t* columns(std::size_t g) const = 0;  // one for each row; bins.size(): forgotten
};

// Minimises  sum_i w_i (y_i - f_i)^2 / 2 + shift/2 |v|^2,  f_i = intercept + sum_g v_g[bin_g(i)],  by conjugate
// gradients over all grids at once, every output with a step of its own. Not by pcg() of solve/, whose vectors are
// doubles in one piece: here they are floats, four for each of millions of bins, each loop over them updates and sums
// at once, and a checkpoint stands between two steps. The preconditioner is the diagonal, rows in
// the bin plus shift: a bin of few rows then moves as far as one of many. Sums run over rows in order, grid by grid:
// the same bits for any number of threads and any cut into visits.
class GridConjugate {
 public:
  GridConjugate(Threads& threads, BinSource& source, const GridTargets& targets, std::span<const double> intercept,
                double shift);

  void start();                                           // begins at v = 0
  void step(bool last);                                   // after the last there is no other
  double loss() const;                                    // sum_i w_i (y_i - f_i)^2 / 2
  std::vector<float>& residuals() { return residuals_; }  // y - f, rows x outputs
  std::vector<float>& values(std::size_t g) { return grids_[g].value; }
  void keep_values();  // after the last step: what else was held of the bins goes

  // Saves and loads between two steps. The bins are found again by a pass before load().
  void save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  struct OneGrid {
    // Bins x outputs. r: residual of the normal equations, Z^T W (y - f) - shift v. p: direction, with a zero more for
    // forgotten bins. Ap: Z^T W Z p.
    std::vector<float> value, r, p, Ap;
  };

  void gather();  // Zp_: sum_g p_g in each row's bin
  // Ap_g = sums over each bin of w times the rows' numbers
  void scatter(const std::vector<float>& of_rows, bool ascending);
  template <class Work>
  void add_cells(std::size_t g, double* sums, const Work& work) const;
  std::vector<double> over_grids(const std::function<void(std::size_t g, double* sums)>& term);
  // One over the preconditioner's diagonal. A bin without weight or penalty stays where it is.
  float inverse(float mass) const {
    const float diagonal = mass + float(shift_);
    return diagonal > 0 ? 1.0f / diagonal : 0.0f;
  }
  void new_direction(std::vector<double> rz, std::span<const float> beta);

  Threads& threads_;
  BinSource& source_;
  const GridTargets& targets_;
  double shift_;
  std::size_t n_, K_;
  std::vector<float> residuals_, Zp_, weighted_;
  std::vector<OneGrid> grids_;
  std::vector<double> rz_, pp_;            // r.M^-1 r and p.p, one for each output
  std::vector<std::vector<double>> sums_;  // one per thread
};

}  // namespace bochner
