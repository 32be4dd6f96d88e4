// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace bochner {

// Numbers in order, of which one can ask how many are larger.
class OrderedScores {
 public:
  struct Place {
    std::uint64_t above = 0, equal = 0;
  };
  // Where a number stands among those before; it then joins them.
  Place add(double number);
  std::uint64_t count() const { return count_; }

 private:
  static constexpr std::size_t kMost = 2048;  // numbers of a part

  std::vector<std::vector<double>> parts_;  // ascending, none empty
  std::uint64_t count_ = 0;
};

// A test martingale against scores that do not grow. With p the rank of a score among those before, uniform if scores
// are exchangeable, and for each exponent e bets that begin at every m-th row, the k-th with the weight w_k,
//   V_t = (V_{t-1} + w_k [t = m k]) e p_t^(e-1),   E_t = mean over e of V_t + 1 - sum of w_k so far,
//   1 - sum of w_k = 1 / (1 + log2(1 + k / 16) / 2).
// All bets together are worth 1 at first: P(sup E >= 1 / a) <= a (Ville). Small changes are found by exponents near 1
// in many rows, so that their bets need not begin often, which leaves each a larger share. Ranks are among the scores
// of the same million: relative orders of disjoint sets are independent, and so are all p_t.
class DriftBets {
 public:
  explicit DriftBets(std::uint64_t seed) : seed_(seed) { restart(); }

  double add(double score);  // log E_t
  void restart();            // the next score is the first

 private:
  struct Bet {
    double exponent;
    std::uint64_t stride;  // rows between two beginnings
  };
  static constexpr std::array<Bet, 4> kBets = {{{0.3, 4}, {0.5, 16}, {0.7, 64}, {0.85, 256}}};

  static constexpr std::uint64_t kMostRanked = std::uint64_t(1) << 20;

  std::uint64_t seed_, draws_ = 0, count_ = 0;
  OrderedScores ranks_;
  std::array<double, kBets.size()> value_;
};

}  // namespace bochner
