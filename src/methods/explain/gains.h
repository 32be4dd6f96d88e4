// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace bochner {

// Sums over permutations, each with its reverse: what a column adds, and what all columns add together.
struct Gains {
  std::size_t players, count = 0;
  std::vector<double> sum, squares, products;  // [output][player]; products with the whole
  std::vector<double> whole, whole_squares;    // [output]

  Gains(std::size_t outputs, std::size_t of_players)
      : players(of_players),
        sum(outputs * players),
        squares(sum),
        products(sum),
        whole(outputs),
        whole_squares(outputs) {}

  // gain: of each column, for output k. The count is the caller's, once for all outputs.
  void add(const double* gain, std::size_t k) {
    double all = 0;
    for (std::size_t j = 0; j < players; ++j) all += gain[j];
    for (std::size_t j = 0; j < players; ++j) {
      sum[k * players + j] += gain[j];
      squares[k * players + j] += gain[j] * gain[j];
      products[k * players + j] += gain[j] * all;
    }
    whole[k] += all;
    whole_squares[k] += all * all;
  }

  // The value of column j and its variance. What all columns add together is known, it is `total`: a regression of what
  // one adds on it (Cochran, Sampling Techniques, 1977, chapter 7) is more certain than the mean, and its values add
  // up, since the slopes do to 1.
  struct Value {
    double value = 0, variance = 0;
  };
  Value value(std::size_t k, std::size_t j, double total) const {
    const std::size_t c = k * players + j;
    const double T = double(count), all = whole[k] / T;
    const double spread = whole_squares[k] - T * all * all;
    const bool varies = spread > 1e-12 * whole_squares[k];
    double sizes = 0;
    for (std::size_t i = k * players; i < (k + 1) * players && !varies; ++i) sizes += std::abs(sum[i]);
    const double mean = sum[c] / T, together = products[c] - T * mean * all;
    const double slope = varies ? together / spread : sizes > 0 ? std::abs(sum[c]) / sizes : 1 / double(players);
    const double left = squares[c] - T * mean * mean - (varies ? slope * together : 0);
    // A smaller rest is rounding.
    return {mean + slope * (total - all), left > 1e-14 * squares[c] ? left / (T - 2) / T : 0};
  }
};

}  // namespace bochner
