// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "methods/automatic/landmark_ridge.h"
#include "methods/automatic/radial.h"

namespace bochner {

struct LeafOptions {
  std::size_t leaf_rows = 2000, trees = 2;
  std::vector<double> lambdas = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
  std::size_t trial_leaves = 8;  // that choose lambda
  bool own_lambdas = false;      // one per target
  std::uint64_t seed = 0;
};

// Trees of splits over the rows listed in ascending order, near the median and so that leaves are full: leaf_rows at
// most. The first tree
// splits along the top principal direction of a node's rows, the others along C g, C their scatter and g gaussian. No
// coefficients yet.
std::vector<LeafTree> grow_leaves(const Workers& on, MatrixView<const float> u, std::span<const std::uint32_t> rows,
                                  const LeafOptions& options);

// Exact ridge inside each leaf, (K + lambda n D^-1) alpha = y, the mean over the trees; D the weights, n those of the
// leaf. rows.y: what is left over. lambdas: one per target, 0 where nothing is to be added. Leaves that have
// coefficients keep them.
void solve_leaves(const Workers& on, const MetricRows& rows, double q, std::span<const double> lambdas,
                  std::vector<LeafTree>& trees);

// The lambda of least squared error on held-out rows, by some leaves of the first tree: downhill from the middle one.
// One per target: each its own, or the same for all; leaves that were solved with it keep their coefficients.
std::vector<double> choose_leaf_lambdas(const Workers& on, const MetricRows& rows, std::span<const std::uint32_t> held,
                                        double q, LeafTree& tree, const LeafOptions& options);

}  // namespace bochner
