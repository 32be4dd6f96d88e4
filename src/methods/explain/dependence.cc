// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/require.h"
#include "bochner/explain.h"

namespace bochner {

namespace {

constexpr std::size_t kSlices = 10;

// Shares of the way from the smallest to the largest, by rank; equal cells share theirs. What is no number is 1/2.
std::vector<double> ranks_of(const Matrix<double>& cells, std::size_t j) {
  std::vector<double> known;
  for (std::size_t i = 0; i < cells.rows(); ++i)
    if (std::isfinite(cells(i, j))) known.push_back(cells(i, j));
  std::sort(known.begin(), known.end());
  std::vector<double> ranks(cells.rows(), 0.5);
  for (std::size_t i = 0; i < cells.rows() && known.size() > 1 && known.front() < known.back(); ++i) {
    if (!std::isfinite(cells(i, j))) continue;
    const auto [low, high] = std::equal_range(known.begin(), known.end(), cells(i, j));
    ranks[i] = double((low - known.begin()) + (high - known.begin()) - 1) / 2 / double(known.size() - 1);
  }
  return ranks;
}

// How much the values go with ranks among rows of about the same cells: within slices of these.
double shift_of(const std::vector<std::size_t>& order, const std::vector<double>& values,
                const std::vector<double>& ranks) {
  double shift = 0, spread = 0;
  const std::size_t n = order.size();
  for (std::size_t s = 0; s < kSlices; ++s) {
    const std::size_t begin = n * s / kSlices, end = n * (s + 1) / kSlices;
    double value = 0, rank = 0, together = 0;
    for (std::size_t i = begin; i < end; ++i) value += values[order[i]], rank += ranks[order[i]];
    for (std::size_t i = begin; i < end; ++i) {
      const double own = ranks[order[i]] - rank / double(end - begin);
      together += (values[order[i]] - value / double(end - begin)) * own;
      spread += own * own;
    }
    shift += std::abs(together);
  }
  return spread > 0 ? shift / std::sqrt(spread) : 0;
}

}  // namespace

std::vector<Dependence> dependences(const std::vector<std::string>& columns, const Matrix<double>& cells,
                                    const Matrix<double>& values, std::size_t most) {
  const std::size_t n = cells.rows(), p = columns.size();
  require(values.rows() == n && values.cols() == p && cells.cols() == p,
          "dependence: {} x {} cells and {} x {} values of {} columns do not fit", n, cells.cols(), values.rows(),
          values.cols(), p);
  std::vector<std::vector<double>> ranks;
  std::vector<double> sizes(p);
  for (std::size_t j = 0; j < p; ++j) {
    ranks.push_back(ranks_of(cells, j));
    for (std::size_t i = 0; i < n; ++i) sizes[j] += std::abs(values(i, j));
  }
  std::vector<std::size_t> best(p);
  std::iota(best.begin(), best.end(), 0u);
  std::stable_sort(best.begin(), best.end(), [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  std::vector<Dependence> all;
  for (const std::size_t j : best) {
    if (all.size() == most || !(sizes[j] > 0)) break;
    Dependence one{.column = j, .name = columns[j]};
    for (std::size_t i = 0; i < n; ++i) one.cells.push_back(cells(i, j)), one.values.push_back(values(i, j));
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return ranks[j][a] < ranks[j][b]; });
    double largest = 0;
    for (std::size_t other = 0; other < p; ++other)
      if (const double shift = other == j ? 0 : shift_of(order, one.values, ranks[other]); shift > largest) {
        largest = shift;
        one.partner = columns[other];
        one.partner_column = other;
        one.partner_ranks = ranks[other];
      }
    for (std::size_t i = 0; i < n && !one.partner.empty(); ++i)
      one.partner_cells.push_back(cells(i, one.partner_column));
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace bochner
