// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <span>

#include "base/tiled_symmetric.h"
#include "folds/count_sketch.h"
#include "run/feature_store.h"
#include "solve/rough_gram.h"

namespace bochner {

// Features that a pass multiplies and adds back, per second and core.
constexpr double kNumbersPassed = 3e9;

// Buckets per feature. With B = S Z of s = c D rows the eigenvalues of (B^T B)^-1 Z^T Z lie within
// (1 +- 1/sqrt(c))^-2, so that conjugate gradients gain a factor of sqrt(c) per step. B^T B costs c D^3: where D is
// small beside n, steps are what costs, and c is large.
double sketch_ratio(double rows, double features);

// Passes until the gap of the objective has fallen by a factor of 10^4.
double sketched_passes(double ratio);

// What is sketched: Z^T W Z of rows about a mean.
struct SketchOf {
  std::span<const double> weights = {};  // W, one of each row; empty: 1
  std::span<const double> mean = {};     // empty: 0
  bool ones = false;                     // a column of ones stands behind the features
  bool some = false;                     // rows of weight 0 need not be looked at
};

// B^T B of a CountSketch B of all rows: close to Z^T W Z as a preconditioner must be, at c D / n of its cost. Never
// holds more than `panel_bytes` of B, beyond one panel.
TiledSymmetric<double> sketched_gram(FeatureStore& store, const CountSketch::Places& places, const SketchOf& of,
                                     std::size_t panel_bytes, RoughGram::Numbers numbers);

// The least that B takes: one panel.
double sketch_panel_bytes(std::size_t features);

}  // namespace bochner
