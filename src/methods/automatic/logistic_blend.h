// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bochner/matrix.h"

namespace bochner {

// Scores of classes by several machines, each rows x columns (of two classes one column), and the rows' classes.
struct ClassScores {
  std::vector<const Matrix<double>*> machines;
  std::vector<std::size_t> labels;
  std::vector<double> weights;  // empty: all 1

  std::size_t columns() const { return machines[0]->cols(); }
  double weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }
};

// p = softmax(sum_j weights_j scores_j + shift); of two classes the first has the score 0.
struct LogisticBlend {
  std::vector<double> weights;  // one per model, none below 0
  std::vector<double> shift;    // one per column; all 0 if there are very many
};

// The blend of least log-loss on the rows listed, by projected Newton steps from weights that are all alike.
LogisticBlend logistic_blend(const ClassScores& scores, std::span<const std::size_t> rows);

// The log-loss, summed over the rows listed.
double log_loss(const ClassScores& scores, std::span<const std::size_t> rows, const LogisticBlend& blend);

}  // namespace bochner
