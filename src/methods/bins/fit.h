// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bochner/archive.h"
#include "bochner/execution.h"
#include "methods/bins/grid_linear.h"
#include "methods/bins/sweeps.h"

namespace bochner {

// Sweeps take one grid after the other, exactly: any loss, grids chosen by pursuit, a joint block. Conjugate gradients
// take all grids at once: the squared loss in fewer passes. Dual coordinate descent takes one row after the other: both
// hinges, and no other loss.
enum class GridSolver { sweeps, conjugate, dual };

constexpr int kGridSteps = 8;        // steps of conjugate gradients
constexpr double kGridLambda = 0.2;  // where nothing is given and a search begins

class DrawnBins;

struct GridFitOptions {
  GridLoss loss = GridLoss::squared;
  GridSolver solver = GridSolver::sweeps;
  double lambda = 0.1;      // penalty lambda/2 |w|^2 on the coefficients of sqrt(1/P) features: in all, not per row
  int passes = 5;           // sweeps over the grids, steps of conjugate gradients, or epochs over the rows at most
  double tolerance = 1e-2;  // dual: of the objective; the epochs end there
  std::size_t pursuit = 1;  // draws a grid is chosen from, by its alignment with what is left to explain
  std::shared_ptr<DrawnBins> drawn = {};  // what several fits of these rows and grids keep for each other, or null
  std::size_t memory = 0;  // bytes for the bins of rows; what does not fit is binned again every pass, or refused
                           // (dual). 0: half of the free
  bool head = true;        // false: a trial, of which only the state is wanted
  ProgressFunction progress = {};
  Checkpoint* checkpoint = nullptr;  // none: nothing is saved
  std::string step = "sweeps";       // the name of this fit there: of several, each has its own
};

struct GridFit {
  std::shared_ptr<const GridLinear> head;  // null where none was wanted
  std::vector<double> loss;                // training loss after each pass; dual: after the last
  std::vector<float> state;                // rows x outputs: residuals (squared loss) or scores (the others)
  // Dual: sum of the loss over lambda + |w|^2 / 2, how far above its minimum that is at most, and the epochs it took.
  double objective = 0, gap = 0;
  int epochs = 0;
  bool converged = true;
};

// Something that is learnt together with the grids: it has a step before every sweep and after the last.
class JointBlock {
 public:
  virtual ~JointBlock() = default;
  // Minimises the objective over its own coefficients and takes the change of f out of the residuals: rows x outputs.
  virtual void step(std::vector<float>& residuals) = 0;
  // Where it stands between two steps.
  virtual void save(Archive& archive) const = 0;
  virtual void load(const Archive& archive) = 0;
};

// A linear head on the random bins of the rows. With a joint block, sweeps and the squared loss only: they end early
// where another one would no longer change the loss.
template <class T>
GridFit fit_grids(Threads& threads, const GridRows<T>& rows, const GridTargets& targets, const BinningOptions& binning,
                  const GridFitOptions& options, JointBlock* joint = nullptr);

}  // namespace bochner
