// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("digits.csv", {.targets = {"digit"}, .target_required = false});  // empty: not known
//   const Model model = semi_supervised(*rows);
//   const auto all = open_rows("digits.csv", model.schema(), {.target_required = false});
//   const Matrix<double> scores = model.predict(*all);  // also of the rows without a target

#include <cstddef>
#include <vector>

#include "bochner/feature_options.h"
#include "bochner/learner.h"
#include "bochner/model.h"
#include "bochner/rows.h"

namespace bochner {

struct SemiOptions {
  // How rows become features. Without a number of them: as many as there are rows, 1024 at most.
  FeatureOptions features = {.map = Nystroem{}};
  std::size_t neighbors = 10;  // joined with each row
  // What the graph's penalty may weigh; 0 leaves it out. Empty: 0 and the powers of ten from 0.1 to 100,000. Several:
  // the one by which rows with a target are predicted best, each left out.
  std::vector<double> graph_weights = {};
  LearnerOptions learner = {};  // whose answers are sums of features; of ridge lambdas, intercept and seed count
  // One for each row: whether its target counts. Empty: a target that is NaN does not.
  std::vector<bool> labelled = {};
};

// A machine that learns from rows with a target and from rows without: neighbours shall have like answers, whether
// their targets are known or not. With the features Z of all n rows and the normalised Laplacian L of the graph of
// their neighbours it minimises, over the rows i that have a target,
//   sum_i loss(y_i, z_i w + b) + lambda (|w|^2 + rho D w^T Z^T L Z w / tr(Z^T L Z)),
// rho the graph's weight (Belkin, Niyogi & Sindhwani, JMLR 2006). The penalty is that of the features Z P^-1/2,
// P = I + rho D Z^T L Z / tr(Z^T L Z), and so every learner of the library has it (Sindhwani, Niyogi & Belkin, ICML
// 2005). The model is one of features and a linear head, as that of train(). The head has the figures "graph": the
// weight, the rows with a target, and the edges. The features stay in memory, n D numbers. The same bytes for any
// threads. Calls may run at the same time in several threads, each on rows of its own.
Model semi_supervised(Rows& rows, const SemiOptions& options = {});

}  // namespace bochner
