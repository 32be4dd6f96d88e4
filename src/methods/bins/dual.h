// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "bochner/archive.h"
#include "methods/bins/conjugate.h"
#include "methods/bins/sweeps.h"

namespace bochner {

struct GridDualOptions {
  GridLoss loss = GridLoss::hinge;  // or squared_hinge
  double shift = 1;
  double tolerance = 1e-2;  // an output is done once its duality gap is below this share of the objective
  int epochs = 20;          // at most
  std::uint64_t seed = 0;   // for the order of the rows
};

// Minimises  sum_i w_i loss(y_i f_i) + shift/2 |v|^2,  f_i = intercept + sum_g v_g[bin_g(i)],  y = -1 or +1, by dual
// coordinate descent. Hsieh, Chang, Lin, Keerthi & Sundararajan, ICML 2008, Algorithm 1. With c_i = w_i / shift,
//   max over a of  sum_i a_i (1 - y_i intercept) - a_i^2 D_i / 2 - |v|^2 / 2,   v = sum_i a_i y_i (bins of row i),
//   hinge: 0 <= a_i <= c_i, D_i = 0;   squared hinge: 0 <= a_i, D_i = 1 / (2 c_i),
// one row after the other, exactly: the features are 0 and 1, so the curvature of a_i is the row's number of bins +
// D_i. An epoch takes the rows in a drawn order. Outputs have nothing in common and are shared out among the threads;
// each is fitted by one, so the result does not depend on their number.
class GridDual {
 public:
  GridDual(Threads& threads, std::size_t grids, const GridTargets& targets, std::span<const double> intercept,
           const GridDualOptions& options);

  // The bins of all rows, row by row: 4 bytes each. Before anything else, and before load().
  void read(BinSource& source);

  // Some of the rows of the epoch, a fraction of a second's work. False once every output rests or the epochs are over.
  bool advance();
  double fraction() const;  // the share of all epochs that is done

  std::vector<float>& scores();                                  // f, rows x outputs
  void copy_values(std::size_t g, std::vector<float>& v) const;  // bins x outputs

  // After the last advance(), over all outputs: what was minimised over shift, how far above its minimum that is at
  // most, and the loss alone.
  struct Certificate {
    double objective = 0, gap = 0, loss = 0;
  };
  Certificate certificate();
  int epochs() const { return epoch_; }
  bool converged() const { return open_.empty(); }

  void save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  // The sums of the certificate as the rows of an epoch are met: cheap, and too large while a still moves.
  struct Estimate {
    double objective = 0, gap = 0;
  };
  struct Row {
    double c, D;
  };

  Row row(std::size_t i) const;
  double score(std::size_t i, const float* v) const;
  void add(std::size_t i, std::size_t k, double a, double f, double& objective, double& gap) const;
  void visit(std::size_t k, std::size_t begin, std::size_t end);
  void draw_order();
  void end_epoch();
  void certify(std::size_t k);

  Threads& threads_;
  const GridTargets& targets_;
  std::vector<double> intercept_;
  GridDualOptions options_;
  std::size_t n_, K_, P_, chunk_;
  std::vector<std::size_t> offset_;     // where each grid's cells begin; cell 0 takes what forgotten bins would
  AlignedVector<std::uint32_t> cells_;  // rows x grids
  std::vector<std::uint32_t> known_;    // bins of each row; empty: all P
  std::vector<std::uint32_t> order_;
  std::vector<std::vector<float>> a_, v_;  // one for each output
  std::vector<float> scores_;
  std::vector<Estimate> estimates_;
  std::vector<Certificate> certificates_;
  std::vector<bool> certified_;
  std::vector<std::size_t> open_;  // outputs
  int epoch_ = 0;                  // those done
  std::size_t at_ = 0;             // rows of this one
};

}  // namespace bochner
