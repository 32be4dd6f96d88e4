// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/boosted_trees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "base/pieces.h"
#include "base/require.h"
#include "methods/automatic/tree_bins.h"
#include "methods/automatic/tree_splits.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kPiece = 4096;  // rows that a task looks up the leaves of
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

// A node by its bins, both children in one place: a row finds its leaf without a branch that is hard to foresee.
struct BinNode {
  std::uint32_t input;
  std::uint32_t bin;
  std::int64_t sides[2];
};

class Booster {
 public:
  Booster(const Workers& on, const BoostingRows& data, const BoostingOptions& options)
      : on_(on),
        data_(data),
        options_(options),
        targets_(data.rows.y.cols),
        residuals_(data.fitted.size(), targets_),
        weights_(data.fitted.size(), 1.0),
        binned_(bin_rows(on, {data.rows.u, data.fitted, data.judged, data.inputs}, options.bins)),
        splits_(on, {binned_, residuals_, weights_, !data.rows.weights.empty()}, options.ridge, options.least_rows) {
    require(!data.fitted.empty() && !data.inputs.empty(), "boosting: expected rows and inputs");
    require(options.bins >= 2 && options.bins <= 256, "boosting: {} bins, expected 2 to 256", options.bins);
    center();
  }

  BoostedTrees run() {
    BoostedTrees out{{}, mean_, Matrix<double>(data_.judged.size(), targets_)};
    judged_ = out.judged;
    for (std::size_t p = 0; p < judged_.rows(); ++p) std::copy(mean_.begin(), mean_.end(), &judged_(p, 0));
    out.judged = judged_;
    double least = judged_error();
    std::size_t best = 0;
    for (std::size_t round = 0; round < options_.rounds; ++round) {
      on_.threads.check_stop();
      if (options_.progress) options_.progress(options_.leaves, round);
      out.trees.push_back(options_.levels > 0 ? grow_symmetric(round) : grow(round));
      if (data_.judged.empty()) continue;
      const double error = judged_error();
      if (error < least) {
        least = error;
        best = out.trees.size();
        out.judged = judged_;
      }
      if (out.trees.size() >= best + options_.patience) break;
      if (out.trees.size() == options_.rounds / 4 && least > options_.hopeless) break;
    }
    if (!data_.judged.empty()) out.trees.resize(best);
    return out;
  }

 private:
  void center() {
    mean_.assign(targets_, 0.0);
    double total = 0;
    for (const std::uint32_t row : data_.fitted) {
      total += data_.rows.weight(row);
      for (std::size_t k = 0; k < targets_; ++k) mean_[k] += data_.rows.weight(row) * data_.rows.y(row, k);
    }
    for (double& m : mean_) m /= total > 0 ? total : 1;
    for (std::size_t p = 0; p < data_.fitted.size(); ++p) {
      if (total > 0) weights_[p] = data_.rows.weight(data_.fitted[p]) * double(data_.fitted.size()) / total;
      for (std::size_t k = 0; k < targets_; ++k) residuals_(p, k) = data_.rows.y(data_.fitted[p], k) - mean_[k];
    }
  }

  double judged_error() const { return data_.judged.empty() ? 0 : squared_error(data_.rows, judged_, data_.judged); }

  // Both sides of a leaf, each with its rows in their order.
  std::pair<OpenLeaf, OpenLeaf> divide(const OpenLeaf& leaf) {
    const std::size_t input = leaf.best.input, bin = leaf.best.bin;
    std::size_t kept = leaf.begin, moved = 0;
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
      const std::uint32_t p = drawn_[i];
      const bool below = binned_.row(p)[input] <= bin;
      drawn_[kept] = p;
      moved_[moved] = p;
      kept += below;
      moved += !below;
    }
    std::copy_n(moved_.begin(), moved, drawn_.begin() + std::ptrdiff_t(kept));
    OpenLeaf below, above;
    below.begin = leaf.begin;
    below.end = above.begin = kept;
    above.end = leaf.end;
    return {std::move(below), std::move(above)};
  }

  static SplitLeaf sides(OpenLeaf& whole, OpenLeaf& below, OpenLeaf& above) {
    const bool less = below.rows() <= above.rows();
    return {whole, less ? below : above, less ? above : below};
  }

  // Four rows by the bits of one draw.
  OpenLeaf draw(std::uint64_t round) {
    const std::size_t n = data_.fitted.size();
    const double share = std::min(1.0, options_.row_share) * 4294967296.0;
    drawn_.clear();
    apart_.clear();
    for (std::size_t p = 0; p < n; p += 4) {
      const DrawWords words = draw_words(options_.seed, Draw::sample, round, p / 4);
      for (std::size_t i = 0; i < std::min<std::size_t>(4, n - p); ++i) {
        const std::uint64_t word = i < 2 ? words.first : words.second;
        const double number = double(std::uint32_t(i % 2 == 0 ? word : word >> 32));
        (number < share ? drawn_ : apart_).push_back(std::uint32_t(p + i));
      }
    }
    moved_.resize(drawn_.size());
    OpenLeaf root;
    root.end = drawn_.size();
    splits_.begin(root, drawn_);
    return root;
  }

  InputTree grow(std::uint64_t round) {
    std::vector<OpenLeaf> open;
    open.push_back(draw(round));
    InputTree tree;
    nodes_.clear();
    const std::size_t least = std::max<std::size_t>(2, 2 * options_.least_rows);
    while (open.size() < options_.leaves) {
      const auto next = std::max_element(
          open.begin(), open.end(), [](const OpenLeaf& a, const OpenLeaf& b) { return a.best.gain < b.best.gain; });
      if (!(next->best.gain > 0)) break;
      auto [below, above] = split(*next, tree);
      const SplitLeaf parted = sides(*next, below, above);
      splits_.part({&parted, 1}, drawn_, open.size() + 1 == options_.leaves ? kNever : least, true);
      *next = std::move(below);
      open.push_back(std::move(above));
    }
    close(open, tree);
    return tree;
  }

  // The leaf becomes a node.
  std::pair<OpenLeaf, OpenLeaf> split(const OpenLeaf& leaf, InputTree& tree) {
    const std::size_t node = tree.nodes.size();
    tree.nodes.push_back({std::uint32_t(data_.inputs[leaf.best.input]), binned_.cuts[leaf.best.input][leaf.best.bin]});
    nodes_.push_back({std::uint32_t(leaf.best.input), std::uint32_t(leaf.best.bin), {-1, -2}});
    link(tree, leaf, std::int64_t(node));
    auto parts = divide(leaf);
    parts.first.parent = parts.second.parent = std::int64_t(node);
    parts.second.above = true;
    return parts;
  }

  // What leaves answer, and what that leaves over.
  void close(std::vector<OpenLeaf>& open, InputTree& tree) {
    splits_.close(open);
    tree.leaves = Matrix<double>(open.size(), targets_);
    for (std::size_t l = 0; l < open.size(); ++l) link(tree, open[l], -1 - std::int64_t(l));
    on_.threads.run(open.size(), [&](std::size_t l, int) {
      double weight = options_.ridge;
      for (std::size_t i = open[l].begin; i < open[l].end; ++i) {
        const std::uint32_t p = drawn_[i];
        weight += weights_[p];
        for (std::size_t k = 0; k < targets_; ++k) tree.leaves(l, k) += weights_[p] * residuals_(p, k);
      }
      for (std::size_t k = 0; k < targets_; ++k) tree.leaves(l, k) *= options_.rate / weight;
      for (std::size_t i = open[l].begin; i < open[l].end; ++i)
        for (std::size_t k = 0; k < targets_; ++k) residuals_(drawn_[i], k) -= tree.leaves(l, k);
    });
    each_in_pieces(on_.threads, apart_.size(), kPiece, [&](std::size_t i) {
      const double* leaf = &tree.leaves(leaf_of(apart_[i]), 0);
      for (std::size_t k = 0; k < targets_; ++k) residuals_(apart_[i], k) -= leaf[k];
    });
    each_in_pieces(on_.threads, judged_.rows(), kPiece, [&](std::size_t i) {
      const double* leaf = &tree.leaves(leaf_of(data_.fitted.size() + i), 0);
      for (std::size_t k = 0; k < targets_; ++k) judged_(i, k) += leaf[k];
    });
  }

  // The leaf of row p, fitted or judged, by its bins.
  std::size_t leaf_of(std::size_t p) const {
    const std::uint8_t* bins = binned_.row(p);
    std::int64_t at = nodes_.empty() ? -1 : 0;
    while (at >= 0) {
      const BinNode& node = nodes_[std::size_t(at)];
      at = node.sides[bins[node.input] > node.bin];
    }
    return std::size_t(-1 - at);
  }

  InputTree grow_symmetric(std::uint64_t round) {
    std::vector<OpenLeaf> open;
    open.push_back(draw(round));
    InputTree tree;
    nodes_.clear();
    for (std::size_t level = 0; level < options_.levels; ++level) {
      const TreeSplit best = splits_.find_common(open);
      if (!(best.gain > 0)) break;
      std::vector<OpenLeaf> next(2 * open.size());
      std::vector<SplitLeaf> parted;
      for (std::size_t l = 0; l < open.size(); ++l) {
        open[l].best = best;
        std::tie(next[2 * l], next[2 * l + 1]) = split(open[l], tree);
        parted.push_back(sides(open[l], next[2 * l], next[2 * l + 1]));
      }
      splits_.part(parted, drawn_, level + 1 < options_.levels ? 2 : kNever, false);
      open = std::move(next);
    }
    close(open, tree);
    return tree;
  }

  void link(InputTree& tree, const OpenLeaf& leaf, std::int64_t number) {
    if (leaf.parent < 0) return;
    InputTree::Node& parent = tree.nodes[std::size_t(leaf.parent)];
    (leaf.above ? parent.above : parent.below) = number;
    nodes_[std::size_t(leaf.parent)].sides[leaf.above] = number;
  }

  const Workers& on_;
  const BoostingRows& data_;
  const BoostingOptions& options_;
  std::size_t targets_;
  Matrix<double> residuals_, judged_;
  std::vector<double> weights_, mean_;
  BinnedRows binned_;
  SplitFinder splits_;
  // The tree that grows: its rows drawn, those of a leaf together; the rows not drawn; room to sort; its nodes.
  std::vector<std::uint32_t> drawn_, apart_, moved_;
  std::vector<BinNode> nodes_;
};

}  // namespace

BoostedTrees boost_trees(const Workers& on, const BoostingRows& data, const BoostingOptions& options) {
  return Booster(on, data, options).run();
}

}  // namespace bochner
