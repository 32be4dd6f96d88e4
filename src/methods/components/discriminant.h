// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/ridge.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// Linear functions of features that tell targets apart, and what is known of them.
struct Directions {
  Matrix<double> vectors;         // features x r
  std::vector<double> mean;       // one per feature
  std::vector<double> strengths;  // one per direction, descending: ratios or correlations
  LambdaSearch search;            // the search for the penalty, by least squares on rows held or left out
  double lambda = 0;
  bool left_out = false;  // rows were left out; otherwise some were held out
};

// Discriminant directions of classes (Fisher 1936; Rao 1948): with the scatters within classes S_w and between them
// S_b, maximisers of v^T S_b v / v^T (S_w + lambda n I) v, at most classes - 1 of them. Scaled so that
// v^T (S_w / n + lambda I) v = 1. strengths: the ratios.
// The penalty is that of least squares on the classes, whose directions are the same (Hastie, Buja & Tibshirani 1995,
// penalized discriminant analysis).
struct Discriminant : Directions {
  Matrix<double> centres;      // classes x r: the means of the classes, from the mean of all
  std::vector<double> shares;  // each class's share of the weight
};
Discriminant discriminant(const Stream& stream, const Survey& survey, const RidgeOptions& options);

// Canonical correlations of features and targets (Hotelling 1936): pairs of directions a, b with the largest
//   a^T C_xy b   where   a^T (C_xx + lambda I) a = 1,  b^T C_yy b = 1,
// uncorrelated with the pairs before. strengths: the correlations of the rows' coordinates.
struct Canonical : Directions {
  Matrix<double> targets;           // outputs x r: b, in the units of the targets; of classes of their code
  std::vector<double> target_mean;  // likewise
};
Canonical canonical(const Stream& stream, const Survey& survey, const RidgeOptions& options, std::size_t most);

}  // namespace bochner
