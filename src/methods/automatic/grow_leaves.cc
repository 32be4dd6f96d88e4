// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/pieces.h"
#include "methods/automatic/leaf_ridge.h"
#include "random/draw.h"
#include "solve/fixed_order.h"

namespace bochner {

namespace {

using NodeRows = std::span<const std::uint32_t>;

constexpr std::size_t kScatterRows = 4096;    // rows of a node that its direction comes from
constexpr std::size_t kProjectedRows = 4096;  // rows that a thread projects at once
constexpr std::size_t kChains = 4;            // sums side by side, since each waits for its own last addition
constexpr int kPowerSteps = 60;

Matrix<double> scatter(MatrixView<const float> u, NodeRows rows) {
  const std::size_t d = u.cols, step = (rows.size() + kScatterRows - 1) / kScatterRows;
  std::vector<double> mean(d, 0.0);
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows.size(); i += step, ++count)
    for (std::size_t j = 0; j < d; ++j) mean[j] += double(u(rows[i], j));
  Matrix<double> x(count, d), C(d, d);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < d; ++j) x(i, j) = double(u(rows[i * step], j)) - mean[j] / double(count);
  fixed_order::transposed_multiply(std::as_const(x).view(), std::as_const(x).view(), C.view());
  return C;
}

std::vector<double> times(const Matrix<double>& C, const std::vector<double>& v) {
  std::vector<double> out(v.size(), 0.0);
  for (std::size_t i = 0; i < v.size(); ++i)
    for (std::size_t j = 0; j < v.size(); ++j) out[i] += C(i, j) * v[j];
  double norm = 0;
  for (const double w : out) norm += w * w;
  if (norm > 0)
    for (double& w : out) w /= std::sqrt(norm);
  return out;
}

// C g, or for the first tree C^k g, which turns to the top eigenvector.
std::vector<double> split_direction(MatrixView<const float> u, NodeRows rows, std::size_t tree, std::size_t node,
                                    std::uint64_t seed) {
  const Matrix<double> C = scatter(u, rows);
  std::vector<double> v(u.cols);
  for (std::size_t j = 0; j < v.size(); ++j) v[j] = normal(seed, Draw::subset, node, j, tree);
  for (int step = 0; step < (tree == 0 ? kPowerSteps : 1); ++step) v = times(C, v);
  return v;
}

// direction . u_i for each row, as LeafTree::Node::along() to the bit
void project(MatrixView<const float> u, NodeRows rows, const std::vector<double>& direction, double* along) {
  for (std::size_t i = 0; i < rows.size(); i += kChains) {
    const std::size_t count = std::min(kChains, rows.size() - i);
    std::array<const float*, kChains> row;
    for (std::size_t c = 0; c < kChains; ++c) row[c] = u.row(rows[i + std::min(c, count - 1)]);
    std::array<double, kChains> sums{};
    for (std::size_t j = 0; j < direction.size(); ++j)
      for (std::size_t c = 0; c < kChains; ++c) sums[c] += direction[j] * double(row[c][j]);
    std::copy_n(sums.begin(), count, along + i);
  }
}

// Grows a tree level by level, so that threads share the nodes of a level and the rows of its nodes. A node is drawn by
// its number, and nodes are numbered in preorder: the number of an upper side follows from how many leaves the rows of
// the lower one will fill. Where equal rows make them fewer or more, the upper side is grown again.
class Grower {
 public:
  Grower(const Workers& on, MatrixView<const float> u, NodeRows rows, std::size_t tree, const LeafOptions& options)
      : on_(on),
        u_(u),
        tree_(tree),
        options_(options),
        rows_(rows.begin(), rows.end()),
        along_(rows.size()),
        branches_{{.end = rows.size()}} {}

  LeafTree tree() && {
    grow(0);
    add(0);
    return std::move(out_);
  }

 private:
  struct Branch {
    std::size_t begin = 0, end = 0;  // its rows
    std::size_t number = 0;          // its node gets it, if there is one
    LeafTree::Node node = {};
    std::size_t below = 0, above = 0;  // the branches of its sides; 0: a leaf

    std::size_t size() const { return end - begin; }
  };

  NodeRows members(const Branch& b) const { return {rows_.data() + b.begin, b.size()}; }
  std::size_t leaves(std::size_t rows) const { return (rows + options_.leaf_rows - 1) / options_.leaf_rows; }

  void grow(std::size_t first) {
    for (std::vector<std::size_t> level{first}; !level.empty();) {
      std::erase_if(level, [&](std::size_t b) { return branches_[b].size() <= options_.leaf_rows; });
      on_.threads.run(level.size(), [&](std::size_t at, int) {
        Branch& b = branches_[level[at]];
        b.node.direction = split_direction(u_, members(b), tree_, b.number, options_.seed);
      });
      project_level(level);
      std::vector<std::size_t> below(level.size());
      on_.threads.run(level.size(), [&](std::size_t at, int) { below[at] = split(branches_[level[at]]); });
      std::vector<std::size_t> next;
      for (std::size_t at = 0; at < level.size(); ++at) {
        const std::size_t middle = branches_[level[at]].begin + below[at], end = branches_[level[at]].end;
        if (below[at] == 0 || middle == end) continue;
        const std::size_t begin = branches_[level[at]].begin, number = branches_[level[at]].number + 1;
        next.push_back(branches_[level[at]].below = branches_.size());
        branches_.push_back({.begin = begin, .end = middle, .number = number});
        next.push_back(branches_[level[at]].above = branches_.size());
        branches_.push_back({.begin = middle, .end = end, .number = number + leaves(below[at]) - 1});
      }
      level = std::move(next);
    }
  }

  void project_level(const std::vector<std::size_t>& level) {
    std::vector<std::pair<std::size_t, std::size_t>> pieces;  // branch, first row
    for (const std::size_t b : level)
      for (std::size_t i = branches_[b].begin; i < branches_[b].end; i += kProjectedRows) pieces.emplace_back(b, i);
    on_.threads.run(pieces.size(), [&](std::size_t piece, int) {
      const auto [b, begin] = pieces[piece];
      const std::size_t count = std::min(kProjectedRows, branches_[b].end - begin);
      project(u_, {rows_.data() + begin, count}, branches_[b].node.direction, along_.data() + begin);
    });
  }

  // Sorts the rows into two sides of as many whole leaves as they need, or one more. Returns how many are below: all or
  // none where they lie on one side.
  std::size_t split(Branch& b) {
    const std::span<double> along = std::span(along_).subspan(b.begin, b.size());
    const std::span<std::uint32_t> rows = std::span(rows_).subspan(b.begin, b.size());
    const std::size_t count = leaves(rows.size());
    const std::size_t below = (rows.size() * (count / 2) + count - 1) / count;
    std::vector<double> sorted(along.begin(), along.end());
    const auto last = sorted.begin() + std::ptrdiff_t(below - 1);
    std::nth_element(sorted.begin(), last, sorted.end());
    b.node.threshold = *last;
    std::vector<std::uint32_t> above;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (along[i] <= b.node.threshold)
        rows[kept++] = rows[i];
      else
        above.push_back(rows[i]);
    std::copy(above.begin(), above.end(), rows.begin() + std::ptrdiff_t(kept));
    return kept;
  }

  // Adds the nodes and leaves of a branch to the tree, in preorder. Returns the branch's number there.
  std::int64_t add(std::size_t at) {
    if (branches_[at].size() > options_.leaf_rows && branches_[at].number != out_.nodes.size()) {
      const auto begin = rows_.begin() + std::ptrdiff_t(branches_[at].begin);
      std::sort(begin, begin + std::ptrdiff_t(branches_[at].size()));  // as they were
      branches_[at] = {.begin = branches_[at].begin, .end = branches_[at].end, .number = out_.nodes.size()};
      grow(at);
    }
    const Branch& b = branches_[at];
    if (b.below == 0) {
      const NodeRows all = members(b);  // more than leaf_rows: equal rows
      out_.leaves.emplace_back(all.begin(), all.begin() + std::ptrdiff_t(std::min(all.size(), options_.leaf_rows)));
      return -std::int64_t(out_.leaves.size());
    }
    const std::size_t below = b.below, above = b.above, number = out_.nodes.size();
    out_.nodes.push_back(std::move(branches_[at].node));
    const std::int64_t low = add(below), high = add(above);
    out_.nodes[number].below = low;
    out_.nodes[number].above = high;
    return std::int64_t(number);
  }

  const Workers& on_;
  MatrixView<const float> u_;
  std::size_t tree_;
  const LeafOptions& options_;
  std::vector<std::uint32_t> rows_;  // those of a branch lie together
  std::vector<double> along_;        // the projections of a level's rows
  std::vector<Branch> branches_;
  LeafTree out_;
};

}  // namespace

std::vector<LeafTree> grow_leaves(const Workers& on, MatrixView<const float> u, std::span<const std::uint32_t> rows,
                                  const LeafOptions& options) {
  std::vector<LeafTree> trees;
  for (std::size_t t = 0; t < options.trees; ++t) trees.push_back(Grower(on, u, rows, t, options).tree());
  return trees;
}

}  // namespace bochner
