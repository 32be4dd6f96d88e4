// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <bitset>

#include "base/lease.h"
#include "methods/explain/tree_part.h"

namespace bochner {

namespace {

// Interventional TreeSHAP. Lundberg et al., Nature Machine Intelligence 2, 2020, section 2.9: a row x and a background
// row b part ways at nodes of a tree, where a column is known or not. A leaf is reached by the coalitions that hold all
// of a set A of columns and none of a set N, a game whose values are, with w(a, n) = integral of t^a (1 - t)^n,
//   w(|A| - 1, |N|) of a column in A,  -w(|A|, |N| - 1) of one in N.
// Background rows that take the same turns go down together, as bits of a set.
class PathPart final : public ExplainPart {
 public:
  PathPart(const Workers& on, ExplainTrees trees, const ExplainBackground& background)
      : trees_(std::move(trees)),
        base_(trees_.constant),
        background_(trees_.encoding.encode(on.ops, background.x.view())) {
    std::size_t most = 0;
    for (const InputTree& tree : trees_.trees) most = std::max(most, depth_of(tree));
    width_ = std::min(most, trees_.encoding.players()) + 1;
    beta_ = Matrix<double>(width_, width_);
    for (std::size_t a = 0; a < width_; ++a) {
      beta_(a, 0) = 1 / double(a + 1);
      for (std::size_t n = 1; n < width_; ++n) beta_(a, n) = beta_(a, n - 1) * double(n) / double(a + n + 1);
    }
    for (const InputTree& tree : trees_.trees)
      for (std::size_t b = 0; b < background_.rows(); ++b)
        for (std::size_t k = 0; k < base_.size(); ++k)
          base_[k] += tree.leaves(tree.leaf_of(&background_(b, 0)), k) / double(background_.rows());
    find_sets();
  }

  const std::vector<double>& base() const override { return base_; }
  std::string text() const override { return trees_.text(); }

  void add(const Backend& on, const ExplainedRows& rows) const override {
    const Lease<double> room(trees_.encoding.numbers(rows.x.rows));
    const MatrixView<const double> x = trees_.encoding.encode(on, rows.x, room.data());
    Walk walk(*this, rows);
    for (std::size_t i = 0; i < x.rows; ++i) {
      walk.values = rows.values_of(i);
      walk.pairs = rows.pairs_of(i);
      walk.x = x.row(i);
      const Set* below = below_.data();
      for (const Set& all : sets_)
        for (const InputTree& tree : trees_.trees) {
          walk.down(tree, below, 0, all);
          below += tree.nodes.size();
        }
    }
  }

 private:
  static constexpr std::size_t kRowsOfSet = 128;
  using Set = std::bitset<kRowsOfSet>;

  // Which background rows go below at each node, for as many rows at a time as a set holds.
  void find_sets() {
    const std::size_t B = background_.rows();
    for (std::size_t begin = 0; begin < B; begin += kRowsOfSet) {
      const std::size_t count = std::min(kRowsOfSet, B - begin);
      sets_.push_back(~Set() >> (kRowsOfSet - count));
      for (const InputTree& tree : trees_.trees)
        for (const InputTree::Node& node : tree.nodes) {
          Set below;
          for (std::size_t b = 0; b < count; ++b)
            below[b] = background_(begin + b, node.input) <= double(node.threshold);
          below_.push_back(below);
        }
    }
  }

  static std::size_t depth_of(const InputTree& tree) {
    std::vector<std::size_t> depth(tree.nodes.size(), 1);
    std::size_t most = 0;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {  // children stand behind their parents
      most = std::max(most, depth[i]);
      for (const std::int64_t child : {tree.nodes[i].below, tree.nodes[i].above})
        if (child >= 0) depth[std::size_t(child)] = depth[i] + 1;
    }
    return most;
  }

  struct Walk {
    const PathPart& part;
    const ExplainedRows& rows;
    const double* x = nullptr;
    double *values = nullptr, *pairs = nullptr;
    const Leased<std::vector<char>> leased_side;
    const Leased<std::vector<std::uint32_t>> leased_known, leased_other;
    std::vector<char>& side = *leased_side;  // one per column: 0 not met, 1 in A, 2 in N
    std::vector<std::uint32_t>&known = *leased_known, &other = *leased_other;  // A and N

    Walk(const PathPart& of, const ExplainedRows& all) : part(of), rows(all) {
      side.assign(all.players, 0);
      known.clear(), other.clear();
    }

    // below: of each node, the background rows that go there.
    void down(const InputTree& tree, const Set* below, std::int64_t at, Set rows_here) {
      if (tree.nodes.empty()) return;
      while (at >= 0) {
        const InputTree::Node& node = tree.nodes[std::size_t(at)];
        const std::uint32_t column = part.trees_.encoding.owner()[node.input];
        const bool goes_below = x[node.input] <= double(node.threshold);
        const std::int64_t of_x = goes_below ? node.below : node.above, beyond = goes_below ? node.above : node.below;
        if (side[column] == 1) {
          at = of_x;
          continue;
        }
        const Set there = below[at], with_x = rows_here & (goes_below ? there : ~there), apart = rows_here & ~with_x;
        if (apart.any())
          side[column] == 2 ? down(tree, below, beyond, apart) : fork(tree, below, column, of_x, beyond, apart);
        if (with_x.none()) return;
        rows_here = with_x;
        at = of_x;
      }
      leaf(tree, std::size_t(-1 - at), rows_here.count());
    }

    void fork(const InputTree& tree, const Set* below, std::uint32_t column, std::int64_t of_x, std::int64_t of_b,
              const Set& apart) {
      side[column] = 1;
      known.push_back(column);
      down(tree, below, of_x, apart);
      known.pop_back();
      side[column] = 2;
      other.push_back(column);
      down(tree, below, of_b, apart);
      other.pop_back();
      side[column] = 0;
    }

    void leaf(const InputTree& tree, std::size_t at, std::size_t count) {
      const std::size_t a = known.size(), n = other.size();
      if (a + n == 0) return;
      const double share = double(count) / double(part.background_.rows());
      for (std::size_t k = 0; k < rows.outputs; ++k) {
        const double value = tree.leaves(at, k) * share;
        double* const own = values + k * rows.players;
        if (a > 0)
          for (const double each = value * part.beta_(a - 1, n); const std::uint32_t j : known) own[j] += each;
        if (n > 0)
          for (const double each = value * part.beta_(a, n - 1); const std::uint32_t j : other) own[j] -= each;
        if (pairs) add_pairs(pairs + k * rows.players * rows.players, value / 2);
      }
    }

    void add_pairs(double* own, double half) {
      const std::size_t a = known.size(), n = other.size();
      const auto both = [&](std::uint32_t i, std::uint32_t j, double value) {
        own[i * rows.players + j] += value;
        own[j * rows.players + i] += value;
      };
      for (std::size_t i = 0; i < a; ++i) {
        for (std::size_t j = 0; j < i; ++j) both(known[i], known[j], half * part.beta_(a - 2, n));
        for (const std::uint32_t j : other) both(known[i], j, -half * part.beta_(a - 1, n - 1));
      }
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < i; ++j) both(other[i], other[j], half * part.beta_(a, n - 2));
    }
  };

  ExplainTrees trees_;
  std::vector<double> base_;
  Matrix<double> background_, beta_;
  std::size_t width_ = 0;
  std::vector<Set> sets_;   // background rows
  std::vector<Set> below_;  // [set][tree][node]
};

}  // namespace

ExplainPartPtr path_part(const Workers& on, ExplainTrees trees, const ExplainBackground& background) {
  return std::make_unique<PathPart>(on, std::move(trees), background);
}

}  // namespace bochner
