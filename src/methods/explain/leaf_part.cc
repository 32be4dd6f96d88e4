// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>

#include "base/lease.h"
#include "methods/explain/background.h"
#include "methods/explain/legendre.h"
#include "methods/explain/tree_part.h"

namespace bochner {

namespace {

// A leaf is worth its value times the product over the columns on its path of whether x may pass there (the column is
// known) or which share of the background may (it is not).
class LeafPart final : public ExplainPart {
 public:
  LeafPart(const Workers& on, ExplainTrees trees, const ExplainBackground& background)
      : trees_(std::move(trees)), base_(trees_.constant) {
    for (const InputTree& tree : trees_.trees) {
      std::vector<Condition> path;
      tree.nodes.empty() ? add_leaf(tree, 0, path) : walk(tree, 0, path);
    }
    std::size_t most = 1;
    for (const Leaf& leaf : leaves_) most = std::max(most, leaf.end - leaf.begin);
    for (std::size_t n = 1; n <= (most + 1) / 2; ++n) rules_.push_back(gauss_legendre(n));
    const Matrix<double> x = trees_.encoding.encode(on.ops, background.x.view());
    in_turn(on, players_.size(), 256, [&](std::size_t begin, std::size_t count) {
      for (std::size_t s = begin; s < begin + count; ++s) {
        std::size_t passed = 0;
        for (std::size_t b = 0; b < x.rows(); ++b) passed += passes(players_[s], &x(b, 0));
        players_[s].share = double(passed) / double(x.rows());
      }
    });
    for (const Leaf& leaf : leaves_) {
      double product = 1;
      for (std::size_t s = leaf.begin; s < leaf.end; ++s) product *= players_[s].share;
      for (std::size_t k = 0; k < base_.size(); ++k) base_[k] += product * leaf.value[k];
    }
  }

  const std::vector<double>& base() const override { return base_; }
  std::string text() const override { return trees_.text(); }

  void add(const Backend& on, const ExplainedRows& rows) const override {
    const Lease<double> room(trees_.encoding.numbers(rows.x.rows));
    const MatrixView<const double> x = trees_.encoding.encode(on, rows.x, room.data());
    const Leased<std::vector<double>> leased[5];
    std::vector<double>&in = *leased[0], &u = *leased[1], &before = *leased[2], &shares = *leased[3],
    &pair_shares = *leased[4];
    for (std::size_t i = 0; i < x.rows; ++i)
      for (const Leaf& leaf : leaves_) {
        const std::size_t p = leaf.end - leaf.begin;
        if (p == 0) continue;
        in.resize(p);
        for (std::size_t s = 0; s < p; ++s) in[s] = passes(players_[leaf.begin + s], x.row(i)) ? 1 : 0;
        u.resize(p);
        before.resize(p + 1);
        shares.assign(p, 0.0);
        pair_shares.assign(rows.pairs ? p * p : 0, 0.0);
        find_shares(leaf, in, u, before, shares, pair_shares);
        for (std::size_t k = 0; k < rows.outputs; ++k) {
          double* const own = rows.values_of(i) + k * rows.players;
          for (std::size_t s = 0; s < p; ++s) own[players_[leaf.begin + s].column] += leaf.value[k] * shares[s];
          if (!rows.pairs) continue;
          double* const pairs = rows.pairs_of(i) + k * rows.players * rows.players;
          for (std::size_t s = 0; s < p; ++s)
            for (std::size_t r = 0; r < p; ++r)
              pairs[players_[leaf.begin + s].column * rows.players + players_[leaf.begin + r].column] +=
                  0.5 * leaf.value[k] * pair_shares[s * p + r];
        }
      }
  }

 private:
  struct Condition {
    std::uint32_t column, input;
    double threshold;
    bool below;
  };
  // A column on the path of a leaf.
  struct Player {
    std::uint32_t column = 0;
    std::vector<Condition> conditions = {};
    double share = 0;  // background rows that pass, among all
  };
  struct Leaf {
    std::size_t begin, end;  // players
    std::vector<double> value;
  };

  static bool passes(const Player& player, const double* x) {
    return std::all_of(player.conditions.begin(), player.conditions.end(),
                       [x](const Condition& c) { return (x[c.input] <= c.threshold) == c.below; });
  }

  void walk(const InputTree& tree, std::size_t at, std::vector<Condition>& path) {
    const InputTree::Node& node = tree.nodes[at];
    for (const bool below : {true, false}) {
      path.push_back({trees_.encoding.owner()[node.input], node.input, double(node.threshold), below});
      const std::int64_t child = below ? node.below : node.above;
      child >= 0 ? walk(tree, std::size_t(child), path) : add_leaf(tree, std::size_t(-1 - child), path);
      path.pop_back();
    }
  }

  void add_leaf(const InputTree& tree, std::size_t leaf, const std::vector<Condition>& path) {
    const std::size_t begin = players_.size();
    for (const Condition& condition : path) {
      const auto first = players_.begin() + std::ptrdiff_t(begin);
      auto player = std::find_if(first, players_.end(), [&](const Player& p) { return p.column == condition.column; });
      if (player == players_.end()) player = players_.insert(players_.end(), Player{condition.column});
      player->conditions.push_back(condition);
    }
    const double* const value = tree.leaves.data() + leaf * base_.size();
    leaves_.push_back({begin, players_.size(), {value, value + base_.size()}});
  }

  // shares: (e - o) integral of the others' product; pair_shares: [player][other], 0 on the diagonal.
  void find_shares(const Leaf& leaf, const std::vector<double>& in, std::vector<double>& u, std::vector<double>& before,
                   std::vector<double>& shares, std::vector<double>& pair_shares) const {
    const std::size_t p = in.size();
    const UnitRule& rule = rules_[(p + 1) / 2 - 1];
    const auto out = [&](std::size_t s) { return players_[leaf.begin + s].share; };
    for (std::size_t node = 0; node < rule.nodes.size(); ++node) {
      before[0] = 1;
      for (std::size_t s = 0; s < p; ++s) {
        u[s] = out(s) + rule.nodes[node] * (in[s] - out(s));
        before[s + 1] = before[s] * u[s];
      }
      double behind = rule.weights[node];
      for (std::size_t s = p; s-- > 0;) {
        shares[s] += before[s] * behind * (in[s] - out(s));
        double between = behind;
        for (std::size_t r = s; r-- > 0 && !pair_shares.empty();) {
          const double share = before[r] * between * (in[s] - out(s)) * (in[r] - out(r));
          pair_shares[s * p + r] += share;
          pair_shares[r * p + s] += share;
          between *= u[r];
        }
        behind *= u[s];
      }
    }
  }

  ExplainTrees trees_;
  std::vector<double> base_;
  std::vector<Leaf> leaves_;
  std::vector<Player> players_;
  std::vector<UnitRule> rules_;  // the rule of n + 1 nodes at n
};

}  // namespace

ExplainPartPtr leaf_part(const Workers& on, ExplainTrees trees, const ExplainBackground& background) {
  return std::make_unique<LeafPart>(on, std::move(trees), background);
}

}  // namespace bochner
