// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/boosted_trees.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/require.h"
#include "learn/tree_bins.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kInputsATask = 8;  // whose histograms one task makes
constexpr std::size_t kPiece = 4096;     // rows that a task looks up the leaves of
constexpr double kLeastSteps = 60000;    // that threads share out: waking them takes as long as some thousand
constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

struct Split {
  double gain = 0;
  std::size_t input = 0, bin = 0;  // place among the inputs; rows of this bin and those before go below
};

// A leaf that may be split: where its rows lie among those drawn, histograms and best split.
struct Open {
  std::size_t begin = 0, end = 0;
  std::vector<double> sums;  // of each bin: targets' sums, weight and, where rows have weights, their number
  Split best;
  std::int64_t parent = -1;
  bool above = false;

  std::size_t rows() const { return end - begin; }
};

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
        width_(targets_ + (data.rows.weights.empty() ? 1 : 2)),
        residuals_(data.fitted.size(), targets_),
        weights_(data.fitted.size(), 1.0),
        binned_(bin_rows(on, {data.rows.u, data.fitted, data.judged, data.inputs}, options.bins)) {
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
    }
    if (!data_.judged.empty()) out.trees.resize(best);
    return out;
  }

 private:
  const double* at(const std::vector<double>& sums, std::size_t input) const {
    return sums.data() + binned_.first[input] * width_;
  }
  bool plain() const { return width_ == 2; }  // one target, no weights
  double count(const double* s) const { return s[width_ - 1]; }

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

  // work(begin, end) over the inputs that vary: by all threads where there is enough to do.
  template <class Work>
  void over_inputs(double steps, const Work& work) const {
    if (steps < kLeastSteps) return work(std::size_t(0), binned_.used.size());
    on_.threads.run((binned_.used.size() + kInputsATask - 1) / kInputsATask, [&](std::size_t task, int) {
      work(task * kInputsATask, std::min(binned_.used.size(), (task + 1) * kInputsATask));
    });
  }

  // The histograms of the inputs.
  void sum(Open& leaf) const {
    leaf.sums.assign(binned_.first.back() * width_, 0.0);
    double* sums = leaf.sums.data();
    const std::vector<std::size_t>& used = binned_.used;
    over_inputs(double(leaf.rows() * binned_.used.size()), [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
        const std::size_t p = drawn_[i];
        const std::uint8_t* bins = binned_.row(p);
        const double* r = &residuals_(p, 0);
        const double w = weights_[p];
        if (plain()) {
          const double residual = r[0];
          for (std::size_t u = begin; u < end; ++u) {
            double* s = sums + (binned_.first[used[u]] + bins[used[u]]) * 2;
            s[0] += residual;
            s[1] += 1;
          }
          continue;
        }
        for (std::size_t u = begin; u < end; ++u) {
          double* s = sums + (binned_.first[used[u]] + bins[used[u]]) * width_;
          for (std::size_t k = 0; k < targets_; ++k) s[k] += w * r[k];
          s[targets_] += w;
          if (width_ > targets_ + 1) s[targets_ + 1] += 1;
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

  // Of all rows of a leaf, by the bins of one input.
  std::vector<double> total_of(const Open& leaf) const {
    std::vector<double> total(width_, 0.0);
    const double* sums = at(leaf.sums, binned_.used[0]);
    for (std::size_t b = 0; b <= binned_.cuts[binned_.used[0]].size(); ++b)
      for (std::size_t k = 0; k < width_; ++k) total[k] += sums[b * width_ + k];
    return total;
  }

  // found(bin, gain) for each cut that leaves `least` rows on both sides and parts others than the cut before.
  template <class Found>
  void each_cut(const Open& leaf, std::size_t input, const std::vector<double>& total, double least,
                const Found& found) const {
    const double* sums = at(leaf.sums, input);
    const std::size_t cuts = binned_.cuts[input].size();
    const double before = gain(total.data());
    if (plain()) {
      const double ridge = options_.ridge;
      double s = 0, w = 0;
      for (std::size_t b = 0; b < cuts; ++b, sums += 2) {
        s += sums[0];
        w += sums[1];
        if (sums[1] == 0 || w < least) continue;
        if (total[1] - w < least) return;
        const double other = total[0] - s, below = w + ridge, above = total[1] - w + ridge;
        found(b, (s * s * above + other * other * below) / (below * above) - before);
      }
      return;
    }
    std::vector<double> below(width_, 0.0), above(width_);
    for (std::size_t b = 0; b < cuts; ++b, sums += width_) {
      for (std::size_t k = 0; k < width_; ++k) below[k] += sums[k];
      if (count(sums) == 0 || count(below.data()) < least) continue;
      for (std::size_t k = 0; k < width_; ++k) above[k] = total[k] - below[k];
      if (count(above.data()) < least) return;
      found(b, gain(below.data()) + gain(above.data()) - before);
    }
  }

  void find_split(Open& leaf) const {
    leaf.best = {};
    if (leaf.sums.empty() || binned_.used.empty()) return;
    const std::vector<double> total = total_of(leaf);
    std::vector<Split> best(binned_.used.size());
    over_inputs(4.0 * double(binned_.first.back()), [&](std::size_t begin, std::size_t end) {
      for (std::size_t u = begin; u < end; ++u)
        each_cut(leaf, binned_.used[u], total, double(options_.least_rows), [&](std::size_t bin, double gain) {
          if (gain > best[u].gain) best[u] = {gain, binned_.used[u], bin};
        });
    });
    for (const Split& split : best)
      if (split.gain > leaf.best.gain) leaf.best = split;
  }

  // Both sides of a leaf, each with its rows in their order. Of sides that may be split again, which have `least` rows,
  // the histograms of the smaller are summed, and those of the other are what is left.
  std::pair<Open, Open> divide(Open& leaf, std::size_t least) {
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
    Open below, above;
    below.begin = leaf.begin;
    below.end = above.begin = kept;
    above.end = leaf.end;
    Open& less = below.rows() <= above.rows() ? below : above;
    Open& more = &less == &below ? above : below;
    if (more.rows() < least) return {std::move(below), std::move(above)};
    sum(less);
    more.sums = std::move(leaf.sums);
    for (std::size_t i = 0; i < more.sums.size(); ++i) more.sums[i] -= less.sums[i];
    if (less.rows() < least) less.sums.clear();
    return {std::move(below), std::move(above)};
  }

  // Four rows by the bits of one draw.
  Open draw(std::uint64_t round) {
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
    Open root;
    root.end = drawn_.size();
    sum(root);
    return root;
  }

  InputTree grow(std::uint64_t round) {
    std::vector<Open> open;
    open.push_back(draw(round));
    find_split(open[0]);
    InputTree tree;
    nodes_.clear();
    const std::size_t least = std::max<std::size_t>(2, 2 * options_.least_rows);
    while (open.size() < options_.leaves) {
      const auto next = std::max_element(open.begin(), open.end(),
                                         [](const Open& a, const Open& b) { return a.best.gain < b.best.gain; });
      if (!(next->best.gain > 0)) break;
      const bool last = open.size() + 1 == options_.leaves;
      auto [below, above] = split(*next, tree, last ? kNever : least);
      find_split(below);
      find_split(above);
      *next = std::move(below);
      open.push_back(std::move(above));
    }
    close(open, tree);
    return tree;
  }

  // The leaf becomes a node.
  std::pair<Open, Open> split(Open& leaf, InputTree& tree, std::size_t least) {
    const std::size_t node = tree.nodes.size();
    tree.nodes.push_back({std::uint32_t(data_.inputs[leaf.best.input]), binned_.cuts[leaf.best.input][leaf.best.bin]});
    nodes_.push_back({std::uint32_t(leaf.best.input), std::uint32_t(leaf.best.bin), {-1, -2}});
    link(tree, leaf, std::int64_t(node));
    auto sides = divide(leaf, least);
    sides.first.parent = sides.second.parent = std::int64_t(node);
    sides.second.above = true;
    return sides;
  }

  // What leaves answer, and what that leaves over.
  void close(const std::vector<Open>& open, InputTree& tree) {
    tree.leaves = Matrix<double>(open.size(), targets_);
    for (std::size_t l = 0; l < open.size(); ++l) {
      link(tree, open[l], -1 - std::int64_t(l));
      double weight = options_.ridge;
      for (std::size_t i = open[l].begin; i < open[l].end; ++i) {
        const std::uint32_t p = drawn_[i];
        weight += weights_[p];
        for (std::size_t k = 0; k < targets_; ++k) tree.leaves(l, k) += weights_[p] * residuals_(p, k);
      }
      for (std::size_t k = 0; k < targets_; ++k) tree.leaves(l, k) *= options_.rate / weight;
      for (std::size_t i = open[l].begin; i < open[l].end; ++i)
        for (std::size_t k = 0; k < targets_; ++k) residuals_(drawn_[i], k) -= tree.leaves(l, k);
    }
    in_pieces(apart_.size(), [&](std::size_t i) {
      const double* leaf = &tree.leaves(leaf_of(apart_[i]), 0);
      for (std::size_t k = 0; k < targets_; ++k) residuals_(apart_[i], k) -= leaf[k];
    });
    in_pieces(judged_.rows(), [&](std::size_t i) {
      const double* leaf = &tree.leaves(leaf_of(data_.fitted.size() + i), 0);
      for (std::size_t k = 0; k < targets_; ++k) judged_(i, k) += leaf[k];
    });
  }

  template <class Work>
  void in_pieces(std::size_t count, const Work& work) const {
    on_.threads.run((count + kPiece - 1) / kPiece, [&](std::size_t piece, int) {
      for (std::size_t i = piece * kPiece; i < std::min(count, (piece + 1) * kPiece); ++i) work(i);
    });
  }

  // Of a row fitted or judged, by its bins.
  std::size_t leaf_of(std::size_t p) const {
    const std::uint8_t* bins = binned_.row(p);
    std::int64_t at = nodes_.empty() ? -1 : 0;
    while (at >= 0) {
      const BinNode& node = nodes_[std::size_t(at)];
      at = node.sides[bins[node.input] > node.bin];
    }
    return std::size_t(-1 - at);
  }

  // The split of an input that gains most when all leaves take it.
  Split best_of_level(const std::vector<Open>& open, const std::vector<std::vector<double>>& totals,
                      std::size_t input) const {
    std::vector<double> gains(binned_.cuts[input].size(), 0.0);
    for (std::size_t l = 0; l < open.size(); ++l) {
      if (open[l].sums.empty()) continue;
      std::size_t next = 0;  // a cut without rows between it and the one before gains the same
      double last = 0;
      const auto fill = [&](std::size_t end) {
        while (next < end) gains[next++] += last;
      };
      each_cut(open[l], input, totals[l], 1, [&](std::size_t bin, double gain) {
        fill(bin);
        last = gain;
      });
      fill(end_of(open[l], input));
    }
    const auto best = std::max_element(gains.begin(), gains.end());
    return {*best, input, std::size_t(best - gains.begin())};
  }

  // The cut from which on all rows of a leaf lie below.
  std::size_t end_of(const Open& leaf, std::size_t input) const {
    const double* sums = at(leaf.sums, input);
    std::size_t b = binned_.cuts[input].size();
    while (b > 0 && count(sums + b * width_) == 0) --b;
    return b;
  }

  InputTree grow_symmetric(std::uint64_t round) {
    std::vector<Open> open;
    open.push_back(draw(round));
    InputTree tree;
    nodes_.clear();
    for (std::size_t level = 0; level < options_.levels; ++level) {
      std::vector<Split> found(binned_.used.size());
      std::vector<std::vector<double>> totals;
      for (const Open& leaf : open)
        totals.push_back(leaf.sums.empty() || binned_.used.empty() ? std::vector<double>() : total_of(leaf));
      over_inputs(4.0 * double(binned_.first.back() * open.size()), [&](std::size_t begin, std::size_t end) {
        for (std::size_t u = begin; u < end; ++u) found[u] = best_of_level(open, totals, binned_.used[u]);
      });
      Split best;
      for (const Split& s : found)
        if (s.gain > best.gain) best = s;
      if (!(best.gain > 0)) break;
      std::vector<Open> next;
      for (Open& leaf : open) {
        leaf.best = best;
        auto [below, above] = split(leaf, tree, level + 1 < options_.levels ? 2 : kNever);
        next.push_back(std::move(below));
        next.push_back(std::move(above));
      }
      open = std::move(next);
    }
    close(open, tree);
    return tree;
  }

  void link(InputTree& tree, const Open& leaf, std::int64_t number) {
    if (leaf.parent < 0) return;
    InputTree::Node& parent = tree.nodes[std::size_t(leaf.parent)];
    (leaf.above ? parent.above : parent.below) = number;
    nodes_[std::size_t(leaf.parent)].sides[leaf.above] = number;
  }

  const Workers& on_;
  const BoostingRows& data_;
  const BoostingOptions& options_;
  std::size_t targets_, width_;
  Matrix<double> residuals_, judged_;
  std::vector<double> weights_, mean_;
  BinnedRows binned_;
  // Of the tree that grows: rows drawn, those of a leaf together; the others; room; its nodes.
  std::vector<std::uint32_t> drawn_, apart_, moved_;
  std::vector<BinNode> nodes_;
};

}  // namespace

BoostedTrees boost_trees(const Workers& on, const BoostingRows& data, const BoostingOptions& options) {
  return Booster(on, data, options).run();
}

}  // namespace bochner
