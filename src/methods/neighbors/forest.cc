// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/neighbors/forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "backend/backend.h"
#include "base/checked_arrays.h"
#include "base/finite.h"
#include "base/pieces.h"
#include "base/require.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kSpreadRows = 256;  // rows of a node: enough to compare spreads
constexpr std::size_t kRowsAtOnce = 1024;

// y = x W, all threads.
void multiply_rows(const Workers& on, MatrixView<const float> x, MatrixView<const float> w, MatrixView<float> y) {
  in_pieces(on.threads, x.rows, kRowsAtOnce, [&](std::size_t first, std::size_t rows) {
    on.ops.multiply(x.slice(first, rows), w, 0.0f, y.slice(first, rows));
  });
}

struct Node {
  MatrixView<const float> values;  // all rows along all directions
  std::span<std::uint32_t> rows;
  std::uint64_t looks = 0;  // where its directions begin
};

// The direction along which the node's rows spread most.
std::uint32_t widest(const Node& node) {
  const std::size_t step = std::max<std::size_t>(1, node.rows.size() / kSpreadRows);
  double most = -1;
  std::uint32_t best = 0;
  for (std::size_t look = 0; look < Tree::kLooks; ++look) {
    const auto direction = std::uint32_t((node.looks + look) % Tree::kDirections);
    double sum = 0, squares = 0, count = 0;
    for (std::size_t i = 0; i < node.rows.size(); i += step, ++count) {
      const double value = double(node.values(node.rows[i], direction));
      sum += value;
      squares += value * value;
    }
    const double spread = squares / count - sum / count * (sum / count);
    if (spread > most) {
      most = spread;
      best = direction;
    }
  }
  return best;
}

}  // namespace

std::vector<double> spreads(MatrixView<const float> x) {
  std::vector<double> sum(x.cols), squares(x.cols);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.cols; ++j) {
      const double value = double(x(i, j));
      sum[j] += value;
      squares[j] += value * value;
    }
  for (std::size_t j = 0; j < x.cols; ++j) {
    const double mean = sum[j] / double(x.rows);
    squares[j] = std::sqrt(std::max(0.0, squares[j] / double(x.rows) - mean * mean));
  }
  return squares;
}

std::vector<std::size_t> leaf_bounds(std::size_t rows, std::size_t depth) {
  std::vector<std::size_t> bounds{0, rows};
  for (std::size_t level = 0; level < depth; ++level) {
    std::vector<std::size_t> finer{0};
    for (std::size_t i = 1; i < bounds.size(); ++i) {
      finer.push_back(bounds[i - 1] + (bounds[i] - bounds[i - 1]) / 2);
      finer.push_back(bounds[i]);
    }
    bounds = std::move(finer);
  }
  return bounds;
}

Tree Tree::grow(const Workers& on, MatrixView<const float> coords, std::span<const double> spread, std::uint64_t seed,
                std::uint64_t number, const Splits& splits) {
  Tree tree;
  while ((coords.rows >> tree.depth_) > splits.leaf && tree.depth_ < 24) ++tree.depth_;
  tree.bounds_ = leaf_bounds(coords.rows, tree.depth_);
  tree.directions_ = Matrix<float>(coords.cols, kDirections);
  const double largest = *std::max_element(spread.begin(), spread.end());
  for (std::size_t j = 0; j < coords.cols; ++j)
    for (std::size_t r = 0; r < kDirections; ++r)
      tree.directions_(j, r) = largest > 0 ? float(normal(seed, Draw::tree, number, r, j) * spread[j] / largest) : 0.0f;
  Matrix<float> values(coords.rows, kDirections);
  multiply_rows(on, coords, tree.directions_.view(), values.view());

  tree.order_.resize(coords.rows);
  std::iota(tree.order_.begin(), tree.order_.end(), 0u);
  tree.look_.resize(tree.leaves() - 1);
  tree.cut_.resize(tree.leaves() - 1);
  if (splits.spill > 0) {
    tree.low_.resize(tree.leaves() - 1);
    tree.high_.resize(tree.leaves() - 1);
  }
  for (std::size_t level = 0; level < tree.depth_; ++level) {
    const std::vector<std::size_t> bounds = leaf_bounds(coords.rows, level);
    on.threads.run(bounds.size() - 1, [&](std::size_t n, int) {
      const std::size_t at = (std::size_t(1) << level) - 1 + n;
      const Node node{values.view(), std::span(tree.order_).subspan(bounds[n], bounds[n + 1] - bounds[n]),
                      bits(seed, Draw::tree, number, kDirections, at)};
      const std::uint32_t direction = node.rows.empty() ? 0 : widest(node);
      tree.look_[at] = direction;
      const auto middle = node.rows.begin() + std::ptrdiff_t(node.rows.size() / 2);
      if (middle == node.rows.end()) return;
      const auto below = [&](std::uint32_t a, std::uint32_t b) {
        const float left = values(a, direction), right = values(b, direction);
        return left < right || (left == right && a < b);
      };
      std::nth_element(node.rows.begin(), middle, node.rows.end(), below);
      tree.cut_[at] = values(*middle, direction);
      if (splits.spill > 0) {
        const auto away = std::ptrdiff_t(splits.spill * double(node.rows.size()));
        const auto first = middle - std::min(away, middle - node.rows.begin());
        const auto last = middle + std::min(away, node.rows.end() - middle - 1);
        std::nth_element(node.rows.begin(), first, middle, below);
        std::nth_element(middle, last, node.rows.end(), below);
        tree.low_[at] = values(*first, direction);
        tree.high_[at] = values(*last, direction);
      }
      // Rows are sorted by place: what a node sees does not depend on how its parent's rows were split.
      std::sort(node.rows.begin(), middle);
      std::sort(middle, node.rows.end());
    });
  }
  return tree;
}

std::span<const std::uint32_t> Tree::leaf(std::size_t number) const {
  return std::span(order_).subspan(bounds_[number], bounds_[number + 1] - bounds_[number]);
}

std::vector<std::vector<std::uint32_t>> Tree::find(const Workers& on, MatrixView<const float> coords) const {
  Matrix<float> values(coords.rows, kDirections);
  multiply_rows(on, coords, directions_.view(), values.view());
  const std::size_t inner = leaves() - 1;
  std::vector<std::vector<std::uint32_t>> reached(coords.rows);
  std::vector<std::size_t> nodes;  // nodes to go down from
  for (std::size_t i = 0; i < coords.rows; ++i) {
    nodes.assign(1, 0);
    while (!nodes.empty()) {
      std::size_t node = nodes.back();
      nodes.pop_back();
      while (node < inner) {
        const float value = values(i, look_[node]);
        const bool left = value < cut_[node];
        if (!low_.empty() && value >= low_[node] && value <= high_[node]) nodes.push_back(2 * node + (left ? 2 : 1));
        node = 2 * node + (left ? 1 : 2);
      }
      reached[i].push_back(std::uint32_t(node - inner));
    }
  }
  return reached;
}

void Tree::save(Archive& archive) const {
  archive.put_count("depth", depth_);
  archive.put<float>("directions", {directions_.data(), directions_.rows() * kDirections},
                     {directions_.rows(), kDirections});
  archive.put<std::uint32_t>("look", look_, {look_.size()});
  archive.put<float>("cut", cut_, {cut_.size()});
  if (!low_.empty()) {
    archive.put<float>("low", low_, {low_.size()});
    archive.put<float>("high", high_, {high_.size()});
  }
  archive.put<std::uint32_t>("order", order_, {order_.size()});
}

Tree Tree::load(const Archive& archive, std::size_t rows, std::size_t dims) {
  Tree tree;
  tree.depth_ = archive.get_count("depth", 24);
  const std::size_t inner = tree.leaves() - 1;
  tree.directions_ = get_matrix<float>(archive, "directions", dims, kDirections);
  tree.look_ = archive.get<std::uint32_t>("look", {inner});
  tree.cut_ = archive.get<float>("cut", {inner});
  if (archive.arrays.contains("low")) {
    tree.low_ = archive.get<float>("low", {inner});
    tree.high_ = archive.get<float>("high", {inner});
  }
  tree.order_ = archive.get<std::uint32_t>("order", {rows});
  tree.bounds_ = leaf_bounds(rows, tree.depth_);
  std::vector<bool> seen(rows);
  for (const std::uint32_t row : tree.order_) {
    if (row >= rows || seen[row]) fail(Error::Kind::model, "index: a tree names row {} twice or beyond {}", row, rows);
    seen[row] = true;
  }
  const bool sound = std::all_of(tree.look_.begin(), tree.look_.end(), [](auto r) { return r < kDirections; }) &&
                     all_finite<float>(tree.cut_) && all_finite<float>(tree.low_) && all_finite<float>(tree.high_) &&
                     all_finite<float>({tree.directions_.data(), dims * kDirections});
  if (!sound) fail(Error::Kind::model, "index: a tree has directions or cuts that are none");
  return tree;
}

}  // namespace bochner
