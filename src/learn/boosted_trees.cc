// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/boosted_trees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/require.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kEdgeRows = 20000;  // that cuts come from
constexpr std::size_t kInputsATask = 8;   // whose histograms one task makes

// Cuts between neighbouring values, each value its own bin or, of too many, bins of about as many rows.
std::vector<float> cuts_of(std::vector<float> values, std::size_t bins) {
  std::sort(values.begin(), values.end());
  std::vector<float> distinct = values;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<float> cuts;
  const auto cut = [&](float a, float b) {
    const float middle = a + (b - a) / 2;
    if (const float at = middle < b ? middle : a; cuts.empty() || at > cuts.back()) cuts.push_back(at);
  };
  if (distinct.size() <= bins) {
    for (std::size_t i = 1; i < distinct.size(); ++i) cut(distinct[i - 1], distinct[i]);
    return cuts;
  }
  for (std::size_t b = 1; b < bins; ++b) {
    const float value = values[b * values.size() / bins];
    const auto above = std::upper_bound(distinct.begin(), distinct.end(), value);
    if (above != distinct.end()) cut(value, *above);
  }
  return cuts;
}

struct Split {
  double gain = 0;
  std::size_t input = 0, bin = 0;  // place among the inputs; rows of this bin and those before go below
};

// A leaf that may be split: its rows, histograms and best split.
struct Open {
  std::vector<std::uint32_t> rows;
  std::vector<double> sums;  // of each bin: targets' sums, weight, rows
  Split best;
  std::int64_t parent = -1;
  bool above = false;
};

class Booster {
 public:
  Booster(const Workers& on, const BoostingRows& data, const BoostingOptions& options)
      : on_(on),
        data_(data),
        options_(options),
        targets_(data.rows.y.cols),
        width_(targets_ + 2),
        residuals_(data.fitted.size(), targets_),
        weights_(data.fitted.size(), 1.0) {
    require(!data.fitted.empty() && !data.inputs.empty(), "boosting: expected rows and inputs");
    require(options.bins >= 2 && options.bins <= 256, "boosting: {} bins, expected 2 to 256", options.bins);
    center();
    bin();
  }

  BoostedTrees run() {
    BoostedTrees out{{}, mean_, Matrix<double>(data_.judged.size(), targets_)};
    Matrix<double> judged = out.judged;
    for (std::size_t p = 0; p < judged.rows(); ++p) std::copy(mean_.begin(), mean_.end(), &judged(p, 0));
    out.judged = judged;
    double least = judged_error(judged);
    std::size_t best = 0;
    for (std::size_t round = 0; round < options_.rounds; ++round) {
      if (options_.progress) options_.progress(options_.leaves, round);
      out.trees.push_back(options_.levels > 0 ? grow_symmetric(round) : grow(round));
      if (data_.judged.empty()) continue;
      add(out.trees.back(), judged);
      const double error = judged_error(judged);
      if (error < least) {
        least = error;
        best = out.trees.size();
        out.judged = judged;
      }
      if (out.trees.size() >= best + options_.patience) break;
    }
    if (!data_.judged.empty()) out.trees.resize(best);
    return out;
  }

 private:
  double* at(std::vector<double>& sums, std::size_t input, std::size_t bin) const {
    return sums.data() + (first_[input] + bin) * width_;
  }

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

  void bin() {
    const std::size_t n = data_.fitted.size(), inputs = data_.inputs.size(), step = (n + kEdgeRows - 1) / kEdgeRows;
    cuts_.resize(inputs);
    bins_.resize(n * inputs);
    on_.threads.run(inputs, [&](std::size_t j, int) {
      std::vector<float> values;
      for (std::size_t p = 0; p < n; p += step) values.push_back(value(p, j));
      cuts_[j] = cuts_of(std::move(values), options_.bins);
    });
    on_.threads.run((n + 1023) / 1024, [&](std::size_t piece, int) {
      for (std::size_t p = piece * 1024; p < std::min(n, piece * 1024 + 1024); ++p)
        for (std::size_t j = 0; j < inputs; ++j)
          bins_[p * inputs + j] =
              std::uint8_t(std::lower_bound(cuts_[j].begin(), cuts_[j].end(), value(p, j)) - cuts_[j].begin());
    });
    first_.assign(1, 0);
    for (std::size_t j = 0; j < inputs; ++j) {
      first_.push_back(first_.back() + cuts_[j].size() + 1);
      if (!cuts_[j].empty()) used_.push_back(j);
    }
  }

  float value(std::size_t p, std::size_t j) const { return data_.rows.u(data_.fitted[p], data_.inputs[j]); }

  void add(const InputTree& tree, Matrix<double>& judged) const {
    for (std::size_t p = 0; p < judged.rows(); ++p) {
      const double* leaf = &tree.leaves(tree.leaf_of(data_.rows.u.row(data_.judged[p])), 0);
      for (std::size_t k = 0; k < targets_; ++k) judged(p, k) += leaf[k];
    }
  }

  double judged_error(const Matrix<double>& judged) const {
    return data_.judged.empty() ? 0 : squared_error(data_.rows, judged, data_.judged);
  }

  // The histograms of the inputs.
  void sum(Open& leaf) const {
    const std::size_t inputs = data_.inputs.size();
    leaf.sums.assign(first_.back() * width_, 0.0);
    on_.threads.run((used_.size() + kInputsATask - 1) / kInputsATask, [&](std::size_t task, int) {
      const std::size_t begin = task * kInputsATask, end = std::min(used_.size(), begin + kInputsATask);
      for (const std::uint32_t p : leaf.rows) {
        const std::uint8_t* bins = &bins_[p * inputs];
        const double* r = &residuals_(p, 0);
        const double w = weights_[p];
        for (std::size_t u = begin; u < end; ++u) {
          double* s = at(leaf.sums, used_[u], bins[used_[u]]);
          for (std::size_t k = 0; k < targets_; ++k) s[k] += w * r[k];
          s[targets_] += w;
          s[targets_ + 1] += 1;
        }
      }
    });
  }

  // Twice what a leaf lowers half the squared error by.
  double gain(const double* s) const {
    double sum = 0;
    for (std::size_t k = 0; k < targets_; ++k) sum += s[k] * s[k];
    return sum / (s[targets_] + options_.ridge);
  }

  Split best_of(Open& leaf, std::size_t input) const {
    Split best{0, input, 0};
    std::vector<double> total(width_, 0.0), below(width_, 0.0), above(width_);
    for (std::size_t b = 0; b <= cuts_[input].size(); ++b)
      for (std::size_t k = 0; k < width_; ++k) total[k] += at(leaf.sums, input, b)[k];
    const double least = double(options_.least_rows), before = gain(total.data());
    for (std::size_t b = 0; b < cuts_[input].size(); ++b) {
      for (std::size_t k = 0; k < width_; ++k) below[k] += at(leaf.sums, input, b)[k];
      if (below.back() < least) continue;
      if (total.back() - below.back() < least) break;
      for (std::size_t k = 0; k < width_; ++k) above[k] = total[k] - below[k];
      const double found = gain(below.data()) + gain(above.data()) - before;
      if (found > best.gain) best = {found, input, b};
    }
    return best;
  }

  void find_split(Open& leaf) const {
    std::vector<Split> found(used_.size());
    on_.threads.run((used_.size() + kInputsATask - 1) / kInputsATask, [&](std::size_t task, int) {
      const std::size_t begin = task * kInputsATask, end = std::min(used_.size(), begin + kInputsATask);
      for (std::size_t u = begin; u < end; ++u) found[u] = best_of(leaf, used_[u]);
    });
    leaf.best = {};
    for (const Split& split : found)
      if (split.gain > leaf.best.gain) leaf.best = split;
  }

  // Both sides of a leaf: the histograms of the smaller are summed, those of the other are what is left.
  std::pair<Open, Open> divide(Open& leaf) const {
    Open below, above;
    const std::size_t inputs = data_.inputs.size();
    for (const std::uint32_t p : leaf.rows)
      (bins_[p * inputs + leaf.best.input] <= leaf.best.bin ? below : above).rows.push_back(p);
    if (leaf.rows.size() < 2) return {std::move(below), std::move(above)};  // neither will gain
    Open& less = below.rows.size() <= above.rows.size() ? below : above;
    Open& more = &less == &below ? above : below;
    sum(less);
    more.sums = std::move(leaf.sums);
    for (std::size_t i = 0; i < more.sums.size(); ++i) more.sums[i] -= less.sums[i];
    return {std::move(below), std::move(above)};
  }

  void draw(std::uint64_t round, Open& root) const {
    for (std::size_t p = 0; p < data_.fitted.size(); ++p)
      if (uniform(options_.seed, Draw::sample, round, p) < options_.row_share) root.rows.push_back(std::uint32_t(p));
  }

  InputTree grow(std::uint64_t round) {
    std::vector<Open> open(1);
    draw(round, open[0]);
    sum(open[0]);
    find_split(open[0]);
    InputTree tree;
    std::vector<Split> splits;  // of its nodes
    while (open.size() < options_.leaves) {
      const auto next = std::max_element(open.begin(), open.end(),
                                         [](const Open& a, const Open& b) { return a.best.gain < b.best.gain; });
      if (!(next->best.gain > 0)) break;
      auto [below, above] = split(*next, tree, splits);
      find_split(below);
      find_split(above);
      *next = std::move(below);
      open.push_back(std::move(above));
    }
    close(open, tree);
    subtract(tree, splits);
    return tree;
  }

  // The leaf becomes a node.
  std::pair<Open, Open> split(Open& leaf, InputTree& tree, std::vector<Split>& splits) const {
    const std::size_t node = tree.nodes.size();
    tree.nodes.push_back({std::uint32_t(data_.inputs[leaf.best.input]), cuts_[leaf.best.input][leaf.best.bin]});
    splits.push_back(leaf.best);
    link(tree, leaf, std::int64_t(node));
    auto sides = divide(leaf);
    sides.first.parent = sides.second.parent = std::int64_t(node);
    sides.second.above = true;
    return sides;
  }

  // What leaves answer.
  void close(const std::vector<Open>& open, InputTree& tree) const {
    tree.leaves = Matrix<double>(open.size(), targets_);
    for (std::size_t l = 0; l < open.size(); ++l) {
      link(tree, open[l], -1 - std::int64_t(l));
      double weight = options_.ridge;
      for (const std::uint32_t p : open[l].rows) {
        weight += weights_[p];
        for (std::size_t k = 0; k < targets_; ++k) tree.leaves(l, k) += weights_[p] * residuals_(p, k);
      }
      for (std::size_t k = 0; k < targets_; ++k) tree.leaves(l, k) *= options_.rate / weight;
    }
  }

  // The split of an input that gains most when all leaves take it.
  Split best_of_level(std::vector<Open>& open, std::size_t input) const {
    std::vector<double> gains(cuts_[input].size(), 0.0), total(width_), below(width_), above(width_);
    for (Open& leaf : open) {
      if (leaf.rows.size() < 2) continue;
      const double* sums = at(leaf.sums, input, 0);
      total.assign(width_, 0.0);
      below.assign(width_, 0.0);
      for (std::size_t b = 0; b <= gains.size(); ++b)
        for (std::size_t k = 0; k < width_; ++k) total[k] += sums[b * width_ + k];
      const double before = gain(total.data());
      for (std::size_t b = 0; b < gains.size(); ++b) {
        if (sums[b * width_ + targets_ + 1] == 0 && below.back() == 0) continue;
        for (std::size_t k = 0; k < width_; ++k) below[k] += sums[b * width_ + k];
        if (below.back() == total.back()) break;
        for (std::size_t k = 0; k < width_; ++k) above[k] = total[k] - below[k];
        gains[b] += gain(below.data()) + gain(above.data()) - before;
      }
    }
    const auto best = std::max_element(gains.begin(), gains.end());
    return {*best, input, std::size_t(best - gains.begin())};
  }

  InputTree grow_symmetric(std::uint64_t round) {
    std::vector<Open> open(1);
    draw(round, open[0]);
    sum(open[0]);
    InputTree tree;
    std::vector<Split> splits;  // of its nodes
    for (std::size_t level = 0; level < options_.levels; ++level) {
      std::vector<Split> found(used_.size());
      on_.threads.run(used_.size(), [&](std::size_t u, int) { found[u] = best_of_level(open, used_[u]); });
      Split best;
      for (const Split& s : found)
        if (s.gain > best.gain) best = s;
      if (!(best.gain > 0)) break;
      std::vector<Open> next;
      for (Open& leaf : open) {
        leaf.best = best;
        auto [below, above] = split(leaf, tree, splits);
        next.push_back(std::move(below));
        next.push_back(std::move(above));
      }
      open = std::move(next);
    }
    close(open, tree);
    subtract(tree, splits);
    return tree;
  }

  static void link(InputTree& tree, const Open& leaf, std::int64_t number) {
    if (leaf.parent < 0) return;
    InputTree::Node& parent = tree.nodes[std::size_t(leaf.parent)];
    (leaf.above ? parent.above : parent.below) = number;
  }

  // From the residuals of all rows, the tree by its bins.
  void subtract(const InputTree& tree, const std::vector<Split>& splits) {
    const std::size_t n = data_.fitted.size(), inputs = data_.inputs.size();
    on_.threads.run((n + 4095) / 4096, [&](std::size_t piece, int) {
      for (std::size_t p = piece * 4096; p < std::min(n, piece * 4096 + 4096); ++p) {
        std::int64_t at = tree.nodes.empty() ? -1 : 0;
        while (at >= 0) {
          const std::size_t node = std::size_t(at);
          at = bins_[p * inputs + splits[node].input] <= splits[node].bin ? tree.nodes[node].below
                                                                          : tree.nodes[node].above;
        }
        for (std::size_t k = 0; k < targets_; ++k) residuals_(p, k) -= tree.leaves(std::size_t(-1 - at), k);
      }
    });
  }

  const Workers& on_;
  const BoostingRows& data_;
  const BoostingOptions& options_;
  std::size_t targets_, width_;
  Matrix<double> residuals_;
  std::vector<double> weights_, mean_;
  std::vector<std::vector<float>> cuts_;  // of each input
  std::vector<std::uint8_t> bins_;        // fitted rows x inputs
  std::vector<std::size_t> first_;        // where an input's bins begin
  std::vector<std::size_t> used_;         // inputs that vary
};

}  // namespace

BoostedTrees boost_trees(const Workers& on, const BoostingRows& data, const BoostingOptions& options) {
  return Booster(on, data, options).run();
}

}  // namespace bochner
