// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/tree_sum.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/finite.h"
#include "base/require.h"
#include "maps/dense_block.h"
#include "maps/load.h"
#include "maps/map_of.h"

namespace bochner {

namespace {

class TreeSum final : public MapOf<TreeSum> {
 public:
  TreeSum(std::size_t inputs, std::vector<InputTree> trees, std::vector<double> intercept)
      : inputs_(inputs), trees_(std::move(trees)), intercept_(std::move(intercept)) {
    require(inputs_ > 0 && !intercept_.empty(), "trees: expected an input and an output");
    require(all_finite<double>(intercept_), "trees: the intercept is not finite");
    for (const InputTree& tree : trees_) check(tree);
  }

  std::size_t inputs() const override { return inputs_; }
  std::size_t outputs() const override { return intercept_.size(); }

  template <class T>
  void apply_rows(const Backend&, const RowBlock<T>& block, MatrixView<T> out) const {
    require(block.cols == inputs_, "trees: block has {} columns, expected {}", block.cols, inputs_);
    const std::size_t width = outputs();
    std::vector<double> sums(block.rows * width);
    for (std::size_t i = 0; i < block.rows; ++i)
      std::copy(intercept_.begin(), intercept_.end(), sums.begin() + std::ptrdiff_t(i * width));
    const DenseBlock<T> dense(block);
    const MatrixView<const T> rows = dense.rows();
    for (const InputTree& tree : trees_)  // one after the other: a tree stays in the first-level cache
      for (std::size_t i = 0; i < block.rows; ++i) {
        const double* leaf = &tree.leaves(tree.leaf_of(rows.row(i)), 0);
        for (std::size_t k = 0; k < width; ++k) sums[i * width + k] += leaf[k];
      }
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t k = 0; k < width; ++k) out(i, k) = T(sums[i * width + k]);
  }

  std::string spec() const override {
    std::size_t leaves = 0;
    for (const InputTree& tree : trees_) leaves += tree.leaves.rows();
    return fmt::format("trees:trees={},leaves={}", trees_.size(), leaves);
  }

  void save(Archive& archive) const override {
    std::vector<std::uint64_t> sizes;
    std::vector<std::uint32_t> at;
    std::vector<float> thresholds;
    std::vector<std::int64_t> children;
    std::vector<double> leaves;
    for (const InputTree& tree : trees_) {
      sizes.push_back(tree.nodes.size());
      for (const InputTree::Node& node : tree.nodes) {
        at.push_back(node.input);
        thresholds.push_back(node.threshold);
        children.insert(children.end(), {node.below, node.above});
      }
      leaves.insert(leaves.end(), tree.leaves.data(), tree.leaves.data() + tree.leaves.rows() * outputs());
    }
    archive.tree["type"] = "tree_sum";
    archive.tree["inputs"] = inputs_;
    archive.put<std::uint64_t>("sizes", sizes, {sizes.size()});
    archive.put<std::uint32_t>("at", at, {at.size()});
    archive.put<float>("thresholds", thresholds, {thresholds.size()});
    archive.put<std::int64_t>("children", children, {at.size(), 2});
    archive.put<double>("leaves", leaves, {at.size() + sizes.size(), outputs()});
    archive.put<double>("intercept", intercept_, {outputs()});
  }

 private:
  void check(const InputTree& tree) const {
    require(tree.leaves.rows() == tree.nodes.size() + 1 && tree.leaves.cols() == outputs() &&
                all_finite<double>({tree.leaves.data(), tree.leaves.rows() * tree.leaves.cols()}),
            "trees: {} nodes and {} x {} leaves do not fit {} outputs", tree.nodes.size(), tree.leaves.rows(),
            tree.leaves.cols(), outputs());
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const InputTree::Node& node = tree.nodes[i];
      const auto child = [&](std::int64_t c) {  // behind its parent: no circle
        return c >= 0 ? std::size_t(c) > i && std::size_t(c) < tree.nodes.size()
                      : std::size_t(-1 - c) < tree.leaves.rows();
      };
      require(node.input < inputs_ && std::isfinite(node.threshold) && child(node.below) && child(node.above),
              "trees: node {} is broken", i);
    }
  }

  std::size_t inputs_;
  std::vector<InputTree> trees_;
  std::vector<double> intercept_;
};

}  // namespace

MapPtr tree_sum(std::size_t inputs, std::vector<InputTree> trees, std::vector<double> intercept) {
  return std::make_shared<TreeSum>(inputs, std::move(trees), std::move(intercept));
}

MapPtr load_tree_sum(const Archive& archive) {
  return build_from_model([&] {
    constexpr std::size_t kMostInputs = std::size_t(1) << 32;
    const auto sizes = archive.get<std::uint64_t>("sizes", {archive.length("sizes")});
    const auto at = archive.get<std::uint32_t>("at", {archive.length("at")});
    const auto thresholds = archive.get<float>("thresholds", {at.size()});
    const auto children = archive.get<std::int64_t>("children", {at.size(), 2});
    const auto intercept = archive.get<double>("intercept", {archive.length("intercept")});
    const std::size_t outputs = intercept.size();
    const auto leaves = archive.get<double>("leaves", {at.size() + sizes.size(), outputs});
    std::vector<InputTree> trees;
    std::size_t node = 0, leaf = 0;
    for (const std::uint64_t size : sizes) {
      require(size <= at.size() - node, "trees: a tree has {} nodes of {} left", size, at.size() - node);
      InputTree tree;
      for (std::size_t i = 0; i < size; ++i, ++node)
        tree.nodes.push_back({at[node], thresholds[node], children[2 * node], children[2 * node + 1]});
      tree.leaves = Matrix<double>(size + 1, outputs);
      std::copy_n(leaves.begin() + std::ptrdiff_t(leaf * outputs), (size + 1) * outputs, tree.leaves.data());
      leaf += size + 1;
      trees.push_back(std::move(tree));
    }
    require(node == at.size(), "trees: {} nodes, the trees have {}", at.size(), node);
    return tree_sum(get_count(archive.tree, "inputs", kMostInputs), std::move(trees), intercept);
  });
}

}  // namespace bochner
