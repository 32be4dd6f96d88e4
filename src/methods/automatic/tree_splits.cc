// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/automatic/tree_splits.h"

#include <algorithm>

#include "base/pieces.h"

namespace bochner {

namespace {

constexpr std::size_t kLeastInputs = 4, kMostInputs = 8;  // whose histograms one task makes
constexpr double kLeastSteps = 30000;  // that threads share out: waking them takes as long as some thousand

}  // namespace

SplitFinder::SplitFinder(const Workers& on, const SplitRows& rows, double ridge, std::size_t least_rows)
    : threads_(on.threads),
      binned_(rows.binned),
      residuals_(rows.residuals),
      weights_(rows.weights),
      targets_(rows.residuals.cols()),
      width_(targets_ + (rows.weighted ? 2 : 1)),
      ridge_(ridge),
      least_rows_(double(least_rows)) {}

// work(begin, end) over the inputs that vary: by all threads where there is enough to do.
template <class Work>
void SplitFinder::over_inputs(double steps, const Work& work) const {
  const std::size_t inputs = binned_.used.size(), threads = std::size_t(threads_.count());
  if (steps < kLeastSteps) return work(std::size_t(0), inputs);
  in_pieces(threads_, inputs, std::clamp((inputs + threads - 1) / threads, kLeastInputs, kMostInputs),
            [&](std::size_t begin, std::size_t count) { work(begin, begin + count); });
}

// Not zero: whoever sums begins with that.
std::vector<double> SplitFinder::room() {
  if (rooms_.empty()) return std::vector<double>(binned_.first.back() * width_);
  std::vector<double> last = std::move(rooms_.back());
  rooms_.pop_back();
  return last;
}

void SplitFinder::close(std::span<OpenLeaf> leaves) {
  for (OpenLeaf& leaf : leaves)
    if (!leaf.sums.empty()) rooms_.push_back(std::move(leaf.sums));
}

// The histograms of the inputs from begin to end.
void SplitFinder::sum(OpenLeaf& leaf, std::span<const std::uint32_t> drawn, std::size_t begin, std::size_t end) const {
  const std::vector<std::size_t>& used = binned_.used;
  double* const sums = leaf.sums.data();
  for (std::size_t u = begin; u < end; ++u)
    std::fill(sums + binned_.first[used[u]] * width_, sums + binned_.first[used[u] + 1] * width_, 0.0);
  for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
    const std::size_t p = drawn[i];
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
}

// Leaves the larger side in the histograms of the whole.
void SplitFinder::subtract(const SplitLeaf& leaf, std::size_t begin, std::size_t end) const {
  for (std::size_t u = begin; u < end; ++u)
    for (std::size_t i = binned_.first[binned_.used[u]] * width_; i < binned_.first[binned_.used[u] + 1] * width_; ++i)
      leaf.more.sums[i] -= leaf.less.sums[i];
}

// Twice what a leaf lowers half the squared error by.
double SplitFinder::gain(const double* s) const {
  double sum = 0;
  for (std::size_t k = 0; k < targets_; ++k) sum += s[k] * s[k];
  return sum / (s[targets_] + ridge_);
}

// The sums over all rows of a leaf, by the bins of one input.
std::vector<double> SplitFinder::total_of(const OpenLeaf& leaf) const {
  std::vector<double> total(width_, 0.0);
  const double* sums = at(leaf.sums, binned_.used[0]);
  for (std::size_t b = 0; b <= binned_.cuts[binned_.used[0]].size(); ++b)
    for (std::size_t k = 0; k < width_; ++k) total[k] += sums[b * width_ + k];
  return total;
}

// found(bin, gain) for each cut that leaves `least` rows on both sides and parts others than the cut before.
template <class Found>
void SplitFinder::each_cut(const OpenLeaf& leaf, std::size_t input, const std::vector<double>& total, double least,
                           const Found& found) const {
  const double* sums = at(leaf.sums, input);
  const std::size_t cuts = binned_.cuts[input].size();
  const double before = gain(total.data());
  if (plain()) {
    const double ridge = ridge_;
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

TreeSplit SplitFinder::best_of(const OpenLeaf& leaf, const std::vector<double>& total, std::size_t input) const {
  TreeSplit best;
  each_cut(leaf, input, total, least_rows_, [&](std::size_t bin, double gain) {
    if (gain > best.gain) best = {gain, input, bin};
  });
  return best;
}

namespace {

TreeSplit first_best(std::span<const TreeSplit> splits) {
  TreeSplit best;
  for (const TreeSplit& split : splits)
    if (split.gain > best.gain) best = split;
  return best;
}

}  // namespace

void SplitFinder::begin(OpenLeaf& leaf, std::span<const std::uint32_t> drawn) {
  if (binned_.used.empty()) return;
  leaf.sums = room();
  sum(leaf, drawn, 0, 1);
  const std::vector<double> total = total_of(leaf);
  std::vector<TreeSplit> best(binned_.used.size());
  over_inputs(double(leaf.rows() * binned_.used.size()), [&](std::size_t begin, std::size_t end) {
    sum(leaf, drawn, std::max<std::size_t>(begin, 1), end);
    for (std::size_t u = begin; u < end; ++u) best[u] = best_of(leaf, total, binned_.used[u]);
  });
  leaf.best = first_best(best);
}

void SplitFinder::part(std::span<const SplitLeaf> leaves, std::span<const std::uint32_t> drawn, std::size_t least,
                       bool best) {
  struct Side {
    OpenLeaf* leaf;
    std::vector<double> total;
    std::vector<TreeSplit> best;
  };
  std::vector<SplitLeaf> summed;
  std::vector<Side> sides;
  const std::size_t inputs = binned_.used.size();
  double steps = 0;
  for (const SplitLeaf& leaf : leaves) {
    if (leaf.whole.sums.empty() || leaf.more.rows() < least) continue;
    leaf.less.sums = room();
    leaf.more.sums = std::move(leaf.whole.sums);
    sum(leaf.less, drawn, 0, 1);
    subtract(leaf, 0, 1);
    summed.push_back(leaf);
    for (OpenLeaf* side : {&leaf.less, &leaf.more})
      if (best && side->rows() >= least) sides.push_back({side, total_of(*side), std::vector<TreeSplit>(inputs)});
    steps += double(leaf.less.rows() * inputs) + double(binned_.first.back());
  }
  steps += 4.0 * double(binned_.first.back() * sides.size());
  over_inputs(steps, [&](std::size_t begin, std::size_t end) {
    for (const SplitLeaf& leaf : summed) {
      sum(leaf.less, drawn, std::max<std::size_t>(begin, 1), end);
      subtract(leaf, std::max<std::size_t>(begin, 1), end);
    }
    for (Side& side : sides)
      for (std::size_t u = begin; u < end; ++u) side.best[u] = best_of(*side.leaf, side.total, binned_.used[u]);
  });
  for (const Side& side : sides) side.leaf->best = first_best(side.best);
  for (const SplitLeaf& leaf : summed)
    if (leaf.less.rows() < least) close({&leaf.less, 1});
  for (const SplitLeaf& leaf : leaves) close({&leaf.whole, 1});
}

// The split of an input that gains most when all leaves take it.
TreeSplit SplitFinder::best_of_level(std::span<const OpenLeaf> open, const std::vector<std::vector<double>>& totals,
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
std::size_t SplitFinder::end_of(const OpenLeaf& leaf, std::size_t input) const {
  const double* sums = at(leaf.sums, input);
  std::size_t b = binned_.cuts[input].size();
  while (b > 0 && count(sums + b * width_) == 0) --b;
  return b;
}

TreeSplit SplitFinder::find_common(std::span<const OpenLeaf> leaves) const {
  std::vector<TreeSplit> found(binned_.used.size());
  std::vector<std::vector<double>> totals;
  for (const OpenLeaf& leaf : leaves)
    totals.push_back(leaf.sums.empty() || binned_.used.empty() ? std::vector<double>() : total_of(leaf));
  over_inputs(4.0 * double(binned_.first.back() * leaves.size()), [&](std::size_t begin, std::size_t end) {
    for (std::size_t u = begin; u < end; ++u) found[u] = best_of_level(leaves, totals, binned_.used[u]);
  });
  return first_best(found);
}

}  // namespace bochner
