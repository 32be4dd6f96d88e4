// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/anomaly/isolation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/require.h"
#include "maps/tree_sum.h"
#include "random/draw.h"

namespace bochner {

namespace {

// Mean depth of a failing search in a binary search tree of n keys.
double search_depth(std::size_t n) {
  double harmonic = 0;
  for (std::size_t k = 1; k < n; ++k) harmonic += 1 / double(k);
  return n < 2 ? 0 : 2 * harmonic - 2 * double(n - 1) / double(n);
}

class IsolationTree {
 public:
  IsolationTree(const Matrix<double>& x, std::vector<std::uint32_t> rows, std::uint64_t seed, std::size_t index)
      : x_(x), rows_(std::move(rows)), seed_(seed), index_(index), inputs_(x.cols()) {
    std::iota(inputs_.begin(), inputs_.end(), 0u);
    most_depth_ = std::size_t(std::ceil(std::log2(double(std::max<std::size_t>(rows_.size(), 2)))));
  }

  // leaf_unit: what a depth of 1 counts in a leaf.
  InputTree grow(double leaf_unit) {
    node(0, rows_.size(), 0);
    tree_.leaves = Matrix<double>(depths_.size(), 1);
    for (std::size_t leaf = 0; leaf < depths_.size(); ++leaf) tree_.leaves(leaf, 0) = depths_[leaf] * leaf_unit;
    return std::move(tree_);
  }

 private:
  struct Cut {
    std::uint32_t input;
    float threshold;
    std::size_t middle;  // rows before it lie below
  };

  // What a parent calls it: a node if >= 0, otherwise leaf -1 - it.
  std::int64_t node(std::size_t begin, std::size_t end, std::size_t depth) {
    const std::optional<Cut> cut = end - begin > 1 && depth < most_depth_ ? draw_cut(begin, end) : std::nullopt;
    if (!cut) {
      depths_.push_back(double(depth) + search_depth(end - begin));
      return -std::int64_t(depths_.size());
    }
    const std::size_t at = tree_.nodes.size();
    tree_.nodes.push_back({.input = cut->input, .threshold = cut->threshold, .below = -1, .above = -2});
    const std::int64_t below = node(begin, cut->middle, depth + 1), above = node(cut->middle, end, depth + 1);
    tree_.nodes[at].below = below;
    tree_.nodes[at].above = above;
    return std::int64_t(at);
  }

  // None: the rows are the same, or differ by less than float tells apart.
  std::optional<Cut> draw_cut(std::size_t begin, std::size_t end) {
    for (std::size_t left = inputs_.size(); left > 0; --left) {
      std::swap(inputs_[left - 1], inputs_[std::min(left - 1, std::size_t(draw() * double(left)))]);
      const std::uint32_t input = inputs_[left - 1];
      double low = x_(rows_[begin], input), high = low;
      for (std::size_t i = begin + 1; i < end; ++i) {
        low = std::min(low, x_(rows_[i], input));
        high = std::max(high, x_(rows_[i], input));
      }
      if (low == high) continue;
      const float threshold = float(std::fma(draw(), high - low, low));
      const auto middle = std::partition(rows_.begin() + std::ptrdiff_t(begin), rows_.begin() + std::ptrdiff_t(end),
                                         [&](std::uint32_t row) { return float(x_(row, input)) <= threshold; });
      const std::size_t cut = std::size_t(middle - rows_.begin());
      if (cut > begin && cut < end) return Cut{input, threshold, cut};
    }
    return std::nullopt;
  }

  double draw() { return uniform(seed_, Draw::tree, index_, draws_++); }

  const Matrix<double>& x_;
  std::vector<std::uint32_t> rows_;
  std::uint64_t seed_;
  std::size_t index_, draws_ = 0, most_depth_;
  std::vector<std::uint32_t> inputs_;
  InputTree tree_;
  std::vector<double> depths_;
};

// Efraimidis & Spirakis 2006: the rows with the smallest exponential draws of their rates.
std::vector<std::uint32_t> draw_rows(std::size_t rows, std::span<const double> weights, std::size_t count,
                                     std::uint64_t seed, std::size_t tree) {
  std::vector<std::pair<double, std::uint32_t>> keys;
  for (std::size_t i = 0; i < rows; ++i)
    if (weights.empty() || weights[i] > 0)
      keys.emplace_back(exponential(seed, Draw::sample, i, tree, 1) / (weights.empty() ? 1.0 : weights[i]),
                        std::uint32_t(i));
  if (keys.empty()) return draw_rows(rows, {}, count, seed, tree);  // all that were sampled weigh nothing
  count = std::min(count, keys.size());
  std::partial_sort(keys.begin(), keys.begin() + std::ptrdiff_t(count), keys.end());
  std::vector<std::uint32_t> drawn;
  for (std::size_t k = 0; k < count; ++k) drawn.push_back(keys[k].second);
  return drawn;
}

}  // namespace

MapPtr isolation_score(const Workers& on, const Matrix<double>& x, std::span<const double> weights,
                       const IsolationOptions& options) {
  require(x.rows() > 0 && options.trees > 0 && options.rows > 0, "isolation: expected rows and trees");
  std::vector<InputTree> trees(options.trees);
  on.threads.run(options.trees, [&](std::size_t t, int) {
    std::vector<std::uint32_t> rows = draw_rows(x.rows(), weights, options.rows, options.seed, t);
    const double usual = std::max(1.0, search_depth(rows.size()));
    trees[t] = IsolationTree(x, std::move(rows), options.seed, t).grow(-1 / (usual * double(options.trees)));
  });
  return tree_sum(x.cols(), std::move(trees), {1.0});
}

}  // namespace bochner
