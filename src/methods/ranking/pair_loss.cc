// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/ranking/pair_loss.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/require.h"
#include "methods/ranking/groups.h"
#include "methods/ranking/rank_tree.h"

namespace bochner {

PairLoss::PairLoss(std::span<const double> grades, std::span<const std::uint64_t> groups, Threads& threads)
    : threads_(threads) {
  const std::vector<double> gains = gains_of(grades);
  for (std::vector<std::size_t>& rows : rows_by_group(groups, grades.size())) {
    Group group;
    std::vector<double> levels;
    for (const std::size_t i : rows) {
      levels.push_back(grades[i]);
      group.gain.push_back(gains[i]);
    }
    std::sort(levels.begin(), levels.end());
    for (const std::size_t i : rows) {
      const auto [low, high] = std::equal_range(levels.begin(), levels.end(), grades[i]);
      group.level.push_back(std::size_t(low - levels.begin()));
      group.after.push_back(std::size_t(high - levels.begin()));
      group.pairs += double(group.level.back());
    }
    if (group.pairs == 0) continue;
    const double best = best_dcg(group.gain, group.gain.size());
    for (double& gain : group.gain) gain /= best;
    group.rows = std::move(rows);
    groups_.push_back(std::move(group));
  }
}

void PairLoss::weigh_alike() {
  for (Group& group : groups_) group.discount.clear();
}

void PairLoss::weigh_by_ndcg(std::span<const double> scores) {
  double total = 0;
  for (Group& group : groups_) {
    std::vector<std::size_t> order(group.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return scores[group.rows[a]] > scores[group.rows[b]]; });
    group.discount.resize(order.size());
    for (std::size_t place = 0; place < order.size(); ++place) group.discount[order[place]] = discount_at(place);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (std::size_t j = 0; j < order.size(); ++j)
        if (group.level[i] > group.level[j])
          total += (group.gain[i] - group.gain[j]) * std::abs(group.discount[i] - group.discount[j]);
  }
  unit_ = total > 0 ? double(groups_.size()) / total : 1;
}

// A group's rows by their scores about the mean, for sums over the pairs that lie within the margin.
class PairLoss::Sorted {
 public:
  Sorted(const Group& group, std::span<const double> u)
      : group_(group), scores_(group.rows.size()), order_(scores_.size()) {
    double mean = 0;
    for (const std::size_t i : group.rows) mean += u[i] / double(scores_.size());
    for (std::size_t i = 0; i < scores_.size(); ++i) scores_[i] = u[group.rows[i]] - mean;
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return scores_[a] < scores_[b]; });
  }

  double score(std::size_t i) const { return scores_[i]; }

  using Sums = RankTree::Sums;
  // use(i, below, above): sums over the rows j whose pair with i lies within the margin, of lower and of higher grade.
  void each(const std::function<Sums(std::size_t)>& values,
            const std::function<void(std::size_t, const Sums& below, const Sums& above)>& use) const {
    const std::size_t m = scores_.size();
    std::vector<Sums> below(m);
    RankTree low(m), high(m);
    std::size_t next = m;
    for (std::size_t p = m; p-- > 0;) {
      const std::size_t i = order_[p];
      for (; next > 0 && scores_[order_[next - 1]] > scores_[i] - 1; --next)
        low.add(group_.level[order_[next - 1]], values(order_[next - 1]));
      below[i] = low.before(group_.level[i]);
    }
    next = 0;
    for (const std::size_t i : order_) {
      for (; next < m && scores_[order_[next]] < scores_[i] + 1; ++next)
        high.add(group_.level[order_[next]], values(order_[next]));
      Sums above = high.before(m);
      const Sums others = high.before(group_.after[i]);
      for (std::size_t k = 0; k < above.size(); ++k) above[k] -= others[k];
      use(i, below[i], above);
    }
  }

 private:
  const Group& group_;
  std::vector<double> scores_;
  std::vector<std::size_t> order_;
};

double PairLoss::evaluate_sorted(const Group& group, std::span<const double> u, std::span<double> downhill) const {
  const Sorted sorted(group, u);
  const double weight = 1 / (group.pairs * double(groups_.size()));
  double sum = 0;
  sorted.each(
      [&](std::size_t j) {
        return RankTree::Sums{1, sorted.score(j), sorted.score(j) * sorted.score(j)};
      },
      [&](std::size_t i, const RankTree::Sums& below, const RankTree::Sums& above) {
        const double own = sorted.score(i), short_of = 1 - own;
        sum += short_of * short_of * below[0] + 2 * short_of * below[1] + below[2];
        downhill[group.rows[i]] = 2 * weight * (short_of * below[0] + below[1] - ((1 + own) * above[0] - above[1]));
      });
  return sum * weight;
}

void PairLoss::product_sorted(const Group& group, std::span<const double> u, std::span<const double> q,
                              std::span<double> r) const {
  const Sorted sorted(group, u);
  const double weight = 1 / (group.pairs * double(groups_.size()));
  sorted.each(
      [&](std::size_t j) {
        return RankTree::Sums{1, q[group.rows[j]], 0};
      },
      [&](std::size_t i, const RankTree::Sums& below, const RankTree::Sums& above) {
        r[group.rows[i]] = 2 * weight * ((below[0] + above[0]) * q[group.rows[i]] - below[1] - above[1]);
      });
}

namespace {

// use(i, j) for the pairs of a group with y_i > y_j that lie within the margin.
void each_pair(const std::vector<std::size_t>& rows, const std::vector<std::size_t>& level, std::span<const double> u,
               const auto& use) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (level[i] > level[j] && u[rows[i]] - u[rows[j]] < 1) use(i, j);
}

}  // namespace

double PairLoss::evaluate_pairs(const Group& group, std::span<const double> u, std::span<double> downhill) const {
  for (const std::size_t i : group.rows) downhill[i] = 0;
  const double unit = unit_ / double(groups_.size());
  double sum = 0;
  each_pair(group.rows, group.level, u, [&](std::size_t i, std::size_t j) {
    const double v = unit * (group.gain[i] - group.gain[j]) * std::abs(group.discount[i] - group.discount[j]);
    const double short_of = 1 - (u[group.rows[i]] - u[group.rows[j]]);
    sum += v * short_of * short_of;
    downhill[group.rows[i]] += 2 * v * short_of;
    downhill[group.rows[j]] -= 2 * v * short_of;
  });
  return sum;
}

void PairLoss::product_pairs(const Group& group, std::span<const double> u, std::span<const double> q,
                             std::span<double> r) const {
  for (const std::size_t i : group.rows) r[i] = 0;
  const double unit = unit_ / double(groups_.size());
  each_pair(group.rows, group.level, u, [&](std::size_t i, std::size_t j) {
    const double v = unit * (group.gain[i] - group.gain[j]) * std::abs(group.discount[i] - group.discount[j]);
    const double change = 2 * v * (q[group.rows[i]] - q[group.rows[j]]);
    r[group.rows[i]] += change;
    r[group.rows[j]] -= change;
  });
}

double PairLoss::evaluate(std::span<const double> u, std::span<double> downhill) const {
  std::fill(downhill.begin(), downhill.end(), 0.0);
  std::vector<double> parts(groups_.size());
  threads_.run(groups_.size(), [&](std::size_t g, int) {
    parts[g] = groups_[g].discount.empty() ? evaluate_sorted(groups_[g], u, downhill)
                                           : evaluate_pairs(groups_[g], u, downhill);
  });
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

void PairLoss::product(std::span<const double> u, std::span<const double> q, std::span<double> r) const {
  std::fill(r.begin(), r.end(), 0.0);
  threads_.run(groups_.size(), [&](std::size_t g, int) {
    if (groups_[g].discount.empty())
      product_sorted(groups_[g], u, q, r);
    else
      product_pairs(groups_[g], u, q, r);
  });
}

}  // namespace bochner
