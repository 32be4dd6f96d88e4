// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/threads.h"

namespace bochner {

// The mean over groups of sum v_ij max(0, 1 - (u_i - u_j))^2 over their pairs with y_i > y_j. v_ij is the same for all
// pairs of a group, or what the NDCG would change by if the two changed places. Sums within a group have one order.
class PairLoss {
 public:
  PairLoss(std::span<const double> grades, std::span<const std::uint64_t> groups, Threads& threads);

  std::size_t groups() const { return groups_.size(); }  // that have pairs
  const std::vector<std::size_t>& rows(std::size_t group) const { return groups_[group].rows; }
  // Pairs weigh by NDCG, at the places that these scores give the rows.
  void weigh_by_ndcg(std::span<const double> scores);
  void weigh_alike();

  // The loss; downhill: minus its derivatives by the scores.
  double evaluate(std::span<const double> u, std::span<double> downhill) const;
  // r = the second derivative at the scores u, times q.
  void product(std::span<const double> u, std::span<const double> q, std::span<double> r) const;

 private:
  struct Group {
    std::vector<std::size_t> rows;
    std::vector<std::size_t> level;     // how many rows have lower grades than each
    std::vector<std::size_t> after;     // how many rows have no higher grade
    std::vector<double> gain;           // a share of the DCG of the best order
    std::vector<double> discount = {};  // that each row's place has; empty: pairs weigh alike
    double pairs = 0;
  };
  class Sorted;

  double evaluate_sorted(const Group& group, std::span<const double> u, std::span<double> downhill) const;
  double evaluate_pairs(const Group& group, std::span<const double> u, std::span<double> downhill) const;
  void product_sorted(const Group& group, std::span<const double> u, std::span<const double> q,
                      std::span<double> r) const;
  void product_pairs(const Group& group, std::span<const double> u, std::span<const double> q,
                     std::span<double> r) const;

  std::vector<Group> groups_;
  Threads& threads_;
  double unit_ = 1;  // what differences of NDCG are multiplied by
};

}  // namespace bochner
