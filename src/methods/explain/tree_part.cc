// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/explain/tree_part.h"

#include "base/archive.h"

namespace bochner {

// As docs/model-format.md says; leaves times the head behind them.
ExplainTrees::ExplainTrees(const ExplainTerm& term) : encoding(term.encoding), constant(term.head.constant) {
  const Archive archive = saved_map(*term.map);
  const auto sizes = archive.get<std::uint64_t>("sizes", {archive.length("sizes")});
  const auto at = archive.get<std::uint32_t>("at", {archive.length("at")});
  const auto thresholds = archive.get<float>("thresholds", {at.size()});
  const auto children = archive.get<std::int64_t>("children", {at.size(), 2});
  const auto intercept = archive.get<double>("intercept", {archive.length("intercept")});
  const auto leaves = archive.get<double>("leaves", {at.size() + sizes.size(), intercept.size()});
  const Matrix<double>& weights = term.head.weights;
  for (std::size_t o = 0; o < intercept.size(); ++o)
    for (std::size_t k = 0; k < constant.size(); ++k) constant[k] += intercept[o] * weights(o, k);
  std::size_t node = 0, leaf = 0;
  for (const std::uint64_t size : sizes) {
    InputTree tree;
    for (std::size_t i = 0; i < size; ++i, ++node)
      tree.nodes.push_back({at[node], thresholds[node], children[2 * node], children[2 * node + 1]});
    tree.leaves = Matrix<double>(size + 1, constant.size());
    for (std::size_t i = 0; i <= size; ++i, ++leaf)
      for (std::size_t o = 0; o < intercept.size(); ++o)
        for (std::size_t k = 0; k < constant.size(); ++k)
          tree.leaves(i, k) += leaves[leaf * intercept.size() + o] * weights(o, k);
    trees.push_back(std::move(tree));
  }
}

std::string ExplainTrees::text() const { return std::to_string(trees.size()) + " trees, exact"; }

ExplainPartPtr tree_part(const Workers& on, const ExplainTerm& term, const ExplainBackground& background) {
  return (background.whole ? path_part : leaf_part)(on, ExplainTrees(term), background);
}

}  // namespace bochner
