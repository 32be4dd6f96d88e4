// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/checked_arrays.h"
#include "base/finite.h"
#include "base/require.h"
#include "maps/load.h"
#include "maps/map_of.h"
#include "methods/automatic/radial.h"

namespace bochner {

template <class T>
double LeafTree::Node::along(const T* x) const {
  double sum = 0;
  for (std::size_t j = 0; j < direction.size(); ++j) sum += direction[j] * double(x[j]);
  return sum;
}
template double LeafTree::Node::along(const float*) const;
template double LeafTree::Node::along(const double*) const;

template <class T>
std::size_t LeafTree::leaf_of(const T* x) const {
  if (nodes.empty()) return 0;
  std::int64_t at = 0;
  while (at >= 0) {
    const Node& node = nodes[std::size_t(at)];
    at = node.along(x) <= node.threshold ? node.below : node.above;
  }
  return std::size_t(-1 - at);
}
template std::size_t LeafTree::leaf_of(const float*) const;
template std::size_t LeafTree::leaf_of(const double*) const;

namespace {

class LeafMachines final : public MapOf<LeafMachines> {
 public:
  LeafMachines(Matrix<float> points, double q, std::vector<LeafTree> trees)
      : points_(std::move(points)), q_(q), trees_(std::move(trees)) {
    require(points_.rows() > 0 && points_.cols() > 0 && !trees_.empty(), "leaves: expected a point and a tree");
    require(q > 0 && q <= 2, "leaves: exponent = {}, expected above 0 and at most 2", q);
    require(all_finite<float>({points_.data(), points_.rows() * points_.cols()}), "leaves: a point is not finite");
    outputs_ = trees_[0].coefficients.empty() ? 0 : trees_[0].coefficients[0].cols();
    require(outputs_ > 0, "leaves: expected at least one output");
    for (const LeafTree& tree : trees_) check(tree);
    packed_.resize(trees_.size());
    for (std::size_t t = 0; t < trees_.size(); ++t) packed_[t] = std::vector<LazyPoints>(trees_[t].leaves.size());
  }

  std::size_t inputs() const override { return points_.cols(); }
  std::size_t outputs() const override { return outputs_; }
  std::size_t rows_at_once() const override { return 1024; }  // so that a leaf gets several

  template <class T>
  void apply_rows(const Backend& on, const RowBlock<T>& block, MatrixView<T> out) const {
    require(!block.sparse() && block.cols == inputs(), "leaves: block has {} columns, expected {}", block.cols,
            inputs());
    Matrix<double> sum(block.rows, outputs_);
    std::vector<std::pair<std::size_t, std::size_t>> order(block.rows);  // leaf, row
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      for (std::size_t i = 0; i < block.rows; ++i) order[i] = {trees_[t].leaf_of(block.values + i * block.stride), i};
      std::sort(order.begin(), order.end());
      for (std::size_t i = 0, end = 0; i < order.size(); i = end) {
        while (end < order.size() && order[end].first == order[i].first) ++end;
        add_leaf<T>(on, block, t, {&order[i], end - i}, sum);
      }
    }
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t k = 0; k < outputs_; ++k) out(i, k) = T(sum(i, k));
  }

  std::string spec() const override {
    std::size_t leaves = 0;
    for (const LeafTree& tree : trees_) leaves += tree.leaves.size();
    return fmt::format("leaves:exponent={:.4g},trees={},leaves={},points={}", q_, trees_.size(), leaves,
                       points_.rows());
  }

  void save(Archive& archive) const override {
    archive.tree["type"] = "leaf_machines";
    archive.tree["exponent"] = q_;
    archive.tree["trees"] = trees_.size();
    archive.put<float>("points", {points_.data(), points_.rows() * inputs()}, {points_.rows(), inputs()});
    for (std::size_t t = 0; t < trees_.size(); ++t) save_tree(archive, t);
  }

 private:
  void check(const LeafTree& tree) const {
    require(tree.leaves.size() == tree.nodes.size() + 1 && tree.coefficients.size() == tree.leaves.size(),
            "leaves: {} nodes, {} leaves and {} sets of coefficients do not fit", tree.nodes.size(), tree.leaves.size(),
            tree.coefficients.size());
    const auto child = [&](std::int64_t c, std::size_t parent) {  // behind its parent: no circle
      return c >= 0 ? std::size_t(c) > parent && std::size_t(c) < tree.nodes.size()
                    : std::size_t(-1 - c) < tree.leaves.size();
    };
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      const LeafTree::Node& node = tree.nodes[i];
      require(node.direction.size() == inputs() && all_finite<double>(node.direction) &&
                  std::isfinite(node.threshold) && child(node.below, i) && child(node.above, i),
              "leaves: node {} is broken", i);
    }
    for (std::size_t l = 0; l < tree.leaves.size(); ++l) {
      const Matrix<double>& c = tree.coefficients[l];
      require(c.rows() == tree.leaves[l].size() && c.rows() > 0 && c.cols() == outputs_ &&
                  all_finite<double>({c.data(), c.rows() * c.cols()}),
              "leaves: leaf {} has {} points and {} x {} coefficients", l, tree.leaves[l].size(), c.rows(), c.cols());
      for (const std::uint32_t point : tree.leaves[l])
        require(point < points_.rows(), "leaves: leaf {} names point {} of {}", l, point, points_.rows());
    }
  }

  template <class T>
  void add_leaf(const Backend& on, const RowBlock<T>& block, std::size_t t,
                std::span<const std::pair<std::size_t, std::size_t>> rows, Matrix<double>& sum) const {
    const std::size_t leaf = rows[0].first;
    Matrix<T> x(rows.size(), inputs());
    Matrix<double> part(rows.size(), outputs_);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::copy_n(block.values + rows[i].second * block.stride, inputs(), &x(i, 0));
    const std::vector<std::uint32_t>& members = trees_[t].leaves[leaf];
    Matrix<float> points;
    const auto gather = [&]() -> MatrixView<const float> {
      points = Matrix<float>(members.size(), inputs());
      for (std::size_t i = 0; i < members.size(); ++i) std::copy_n(&points_(members[i], 0), inputs(), &points(i, 0));
      return points.view();
    };
    add_expansion<T>(on, x.view(), packed_[t][leaf].template get<T>(gather), q_, trees_[t].coefficients[leaf].view(),
                     part.view());
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t k = 0; k < outputs_; ++k) sum(rows[i].second, k) += part(i, k);
  }

  void save_tree(Archive& archive, std::size_t t) const {
    const LeafTree& tree = trees_[t];
    const std::size_t nodes = tree.nodes.size();
    std::vector<double> directions, thresholds, coefficients;
    std::vector<std::int64_t> children;
    for (const LeafTree::Node& node : tree.nodes) {
      directions.insert(directions.end(), node.direction.begin(), node.direction.end());
      thresholds.push_back(node.threshold);
      children.insert(children.end(), {node.below, node.above});
    }
    std::vector<std::uint32_t> members;
    std::vector<std::uint64_t> sizes;
    for (std::size_t l = 0; l < tree.leaves.size(); ++l) {
      sizes.push_back(tree.leaves[l].size());
      members.insert(members.end(), tree.leaves[l].begin(), tree.leaves[l].end());
      const Matrix<double>& c = tree.coefficients[l];
      coefficients.insert(coefficients.end(), c.data(), c.data() + c.rows() * c.cols());
    }
    const std::string name = fmt::format("tree{}.", t);
    archive.put<double>(name + "directions", directions, {nodes, inputs()});
    archive.put<double>(name + "thresholds", thresholds, {nodes});
    archive.put<std::int64_t>(name + "children", children, {nodes, 2});
    archive.put<std::uint64_t>(name + "sizes", sizes, {sizes.size()});
    archive.put<std::uint32_t>(name + "members", members, {members.size()});
    archive.put<double>(name + "coefficients", coefficients, {members.size(), outputs_});
  }

  Matrix<float> points_;
  double q_;
  std::size_t outputs_ = 0;
  std::vector<LeafTree> trees_;
  std::vector<std::vector<LazyPoints>> packed_;  // one per tree and leaf
};

LeafTree load_tree(const Archive& archive, const std::string& name, std::size_t inputs) {
  LeafTree tree;
  const auto sizes = archive.get<std::uint64_t>(name + "sizes", {archive.length(name + "sizes")});
  require(!sizes.empty(), "leaves: a tree has no leaf");
  const std::size_t nodes = sizes.size() - 1;
  const auto directions = archive.get<double>(name + "directions", {nodes, inputs});
  const auto thresholds = archive.get<double>(name + "thresholds", {nodes});
  const auto children = archive.get<std::int64_t>(name + "children", {nodes, 2});
  for (std::size_t i = 0; i < nodes; ++i) {
    const auto begin = directions.begin() + std::ptrdiff_t(i * inputs);
    tree.nodes.push_back(
        {{begin, begin + std::ptrdiff_t(inputs)}, thresholds[i], children[2 * i], children[2 * i + 1]});
  }
  const std::size_t all = archive.length(name + "members");
  const auto members = archive.get<std::uint32_t>(name + "members", {all});
  const Matrix<double> coefficients = get_matrix<double>(archive, name + "coefficients");
  require(coefficients.rows() == all, "leaves: coefficients do not fit {} members", all);
  const std::size_t outputs = coefficients.cols();
  std::size_t used = 0;
  for (const std::uint64_t size : sizes) {
    require(size <= all - used, "leaves: a leaf has {} points of {} left", size, all - used);
    tree.leaves.emplace_back(members.begin() + std::ptrdiff_t(used), members.begin() + std::ptrdiff_t(used + size));
    Matrix<double> c(size, outputs);
    std::copy_n(coefficients.data() + used * outputs, size * outputs, c.data());
    tree.coefficients.push_back(std::move(c));
    used += size;
  }
  return tree;
}

}  // namespace

MapPtr leaf_machines(Matrix<float> points, double q, std::vector<LeafTree> trees) {
  return std::make_shared<LeafMachines>(std::move(points), q, std::move(trees));
}

MapPtr load_leaf_machines(const Archive& archive) {
  return build_from_model([&] {
    constexpr std::size_t kMostTrees = 64;
    Matrix<float> points = get_matrix<float>(archive, "points");
    std::vector<LeafTree> trees;
    for (std::size_t t = 0; t < get_count(archive.tree, "trees", kMostTrees); ++t)
      trees.push_back(load_tree(archive, fmt::format("tree{}.", t), points.cols()));
    return leaf_machines(std::move(points), get_number(archive.tree, "exponent"), std::move(trees));
  });
}

}  // namespace bochner
