// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "maps/tree_sum.h"
#include "methods/automatic/landmark_ridge.h"

namespace bochner {

struct BoostingOptions {
  std::size_t rounds = 1500, patience = 40;
  double rate = 0.07;
  std::size_t leaves = 31, least_rows = 10;  // leaves of a tree, rows of a leaf
  std::size_t levels = 0;                    // levels of trees that split all leaves of a level alike; 0: no such trees
  double ridge = 1;                          // rows' weight that pulls a leaf to 0
  double row_share = 0.7;                    // that a tree sees
  std::size_t bins = 128;                    // bins of an input, at most 256
  // A squared error on the judged rows that ends it after a quarter of the rounds.
  double hopeless = std::numeric_limits<double>::infinity();
  std::uint64_t seed = 0;
  std::function<void(std::size_t leaves, std::size_t round)> progress = {};
};

struct BoostedTrees {
  std::vector<InputTree> trees;
  std::vector<double> intercept;
  Matrix<double> judged;  // predictions of the rows that stopped it

  MapPtr map(std::size_t inputs) const { return tree_sum(inputs, trees, intercept); }
};

// The rows of a boosting: `fitted` are learnt from and, where there are any, `judged` stop it: as many trees are kept
// as had the least squared error on them. inputs: those that may split.
struct BoostingRows {
  MetricRows rows;
  std::span<const std::uint32_t> fitted, judged, inputs;
};

// Gradient boosting of the squared error (Friedman 2001) by trees over binned inputs that grow where they gain most,
// each from a share of the rows (Friedman 2002), all targets in the leaves of one tree; or by symmetric trees, whose
// leaves of a level all split alike (Prokhorenkova et al. 2018). Sums are double, in the order of the rows: same bits
// for any number of threads.
BoostedTrees boost_trees(const Workers& on, const BoostingRows& data, const BoostingOptions& options);

}  // namespace bochner
