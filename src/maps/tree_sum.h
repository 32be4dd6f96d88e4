// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "bochner/map.h"
#include "bochner/matrix.h"

namespace bochner {

// A tree whose nodes compare one input with a threshold: x <= threshold goes below.
struct InputTree {
  struct Node {
    std::uint32_t input = 0;
    float threshold = 0;
    std::int64_t below = -1, above = -2;  // a node if >= 0, otherwise leaf -1 - it
  };
  std::vector<Node> nodes;  // the first is the root; none: one leaf
  Matrix<double> leaves;    // leaves x outputs

  template <class T>
  std::size_t leaf_of(const T* x) const {
    if (nodes.empty()) return 0;
    std::int64_t at = 0;
    while (at >= 0) {
      const Node& node = nodes[std::size_t(at)];
      at = x[node.input] <= T(node.threshold) ? node.below : node.above;
    }
    return std::size_t(-1 - at);
  }
};

// y = intercept + sum over the trees of the leaf of x.
MapPtr tree_sum(std::size_t inputs, std::vector<InputTree> trees, std::vector<double> intercept);

MapPtr load_tree_sum(const Archive& archive);

}  // namespace bochner
