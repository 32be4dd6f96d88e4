// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/embeddings/exchange.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/pieces.h"
#include "base/require.h"
#include "random/draw.h"

namespace bochner {

namespace {

constexpr std::size_t kFewestExchanged = 64, kExchangeRows = 32;

// As large up to rounding: the same blocks added in another order count as the same.
bool as_large(double value, double found) { return value >= found - 1e-9 * std::max(1.0, std::fabs(found)); }

}  // namespace

ExchangePlan plan_exchange(std::uint64_t first, std::uint64_t second, std::size_t most) {
  ExchangePlan plan;
  plan.rows[0] = first;
  plan.rows[1] = second;
  const int small = first <= second ? 0 : 1;
  const std::uint64_t few = plan.rows[small], many = plan.rows[1 - small];
  const std::uint64_t wanted = (first + second + most - 1) / most;
  plan.block_rows = std::size_t(std::max<std::uint64_t>(1, std::min(wanted, few / kFewestExchanged)));
  plan.blocks[small] = std::min<std::size_t>(std::size_t(few / plan.block_rows), most / 2);
  plan.blocks[1 - small] = std::size_t(std::min<std::uint64_t>(many / plan.block_rows, most - plan.blocks[small]));
  return plan;
}

Matrix<double> draw_exchanges(const ExchangePlan& plan, std::size_t permutations, std::uint64_t seed) {
  const std::size_t all = plan.all_blocks();
  Matrix<double> exchanges(permutations + 1, all);
  std::vector<std::size_t> order(all);
  for (std::size_t p = 0; p <= permutations; ++p) {
    std::iota(order.begin(), order.end(), std::size_t(0));
    for (std::size_t i = 0; i < plan.blocks[0]; ++i) {  // the first places of Fisher & Yates' shuffle
      if (p > 0) {
        const double draw = uniform(seed, Draw::split, p, i);
        std::swap(order[i], order[i + std::min(all - i - 1, std::size_t(draw * double(all - i)))]);
      }
      exchanges(p, order[i]) = 1;
    }
  }
  return exchanges;
}

void exchanged_sums(const Workers& on, const ExchangePlan& plan, MatrixView<const double> exchanges,
                    const BlockTable& table, std::span<const std::size_t> edges,
                    const std::function<void(std::size_t begin, MatrixView<const double> sums)>& visit) {
  const std::size_t all = plan.all_blocks();
  const double rows = double(plan.rows[0]) + double(plan.rows[1]);
  const double rest_rows = double(plan.rows[0]) - double(plan.blocks[0]) * double(plan.block_rows);
  Matrix<double> strip(all, kExchangeStrip), sums(exchanges.rows, kExchangeStrip);
  for (std::size_t e = 0; e + 1 < edges.size(); ++e)
    for (std::size_t begin = edges[e]; begin < edges[e + 1]; begin += kExchangeStrip) {
      const std::size_t width = std::min(kExchangeStrip, edges[e + 1] - begin);
      std::vector<double> stays(width);
      for (std::size_t j = 0; j < width; ++j) {
        double total = table.rest(0, begin + j) + table.rest(1, begin + j);
        for (std::size_t b = 0; b < all; ++b) total += strip(b, j) = table.at(b, begin + j);
        const double share = total / rows;
        for (std::size_t b = 0; b < all; ++b) strip(b, j) -= share * double(plan.block_rows);
        stays[j] = table.rest(0, begin + j) - share * rest_rows;
      }
      const MatrixView<const double> part{strip.data(), all, width, kExchangeStrip};
      in_pieces(on.threads, exchanges.rows, kExchangeRows, [&](std::size_t first, std::size_t count) {
        MatrixView<double> out{sums.data() + first * kExchangeStrip, count, width, kExchangeStrip};
        on.ops.multiply(exchanges.slice(first, count), part, 0.0, out);
        for (std::size_t p = 0; p < count; ++p)
          for (std::size_t j = 0; j < width; ++j) out(p, j) += stays[j];
      });
      visit(begin, MatrixView<const double>{sums.data(), sums.rows(), width, kExchangeStrip});
    }
}

std::vector<double> normal_scores(std::span<const double> statistics) {
  const std::size_t n = statistics.size();
  std::vector<double> scores(n);
  if (n < 3) {
    std::copy(statistics.begin(), statistics.end(), scores.begin());
    return scores;
  }
  const std::size_t largest = std::size_t(std::max_element(statistics.begin(), statistics.end()) - statistics.begin());
  double mean = 0, variance = 0;
  for (std::size_t p = 0; p < n; ++p) mean += p == largest ? 0 : statistics[p] / double(n - 1);
  for (std::size_t p = 0; p < n; ++p)
    variance += p == largest ? 0 : (statistics[p] - mean) * (statistics[p] - mean) / double(n - 2);
  if (!(variance > 1e-24 * mean * mean)) {  // all the same, up to rounding
    for (std::size_t p = 0; p < n; ++p) scores[p] = statistics[p] > mean * (1 + 1e-9) + 1e-300 ? 40 : 0;
    return scores;
  }
  const double spread = variance / (9 * mean * mean);  // 2 / (9 k), k = 2 mean^2 / variance degrees of freedom
  for (std::size_t p = 0; p < n; ++p)
    scores[p] = (std::cbrt(std::max(statistics[p], 0.0) / mean) - (1 - spread)) / std::sqrt(spread);
  return scores;
}

double permutation_p_value(std::span<const double> values) {
  const auto large =
      std::count_if(values.begin(), values.end(), [&](double value) { return as_large(value, values[0]); });
  return double(large) / double(values.size());
}

std::vector<double> fused(MatrixView<const double> scores) {
  std::vector<double> values(scores.rows);
  for (std::size_t p = 0; p < scores.rows; ++p) {
    const double most = *std::max_element(scores.row(p), scores.row(p) + scores.cols);
    double sum = 0;
    for (std::size_t h = 0; h < scores.cols; ++h) sum += std::exp(scores(p, h) - most);
    values[p] = most + std::log(sum / double(scores.cols));
  }
  return values;
}

std::vector<double> corrected_p_values(MatrixView<const double> scores) {
  std::vector<std::size_t> order(scores.cols);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores(0, a) > scores(0, b); });
  std::vector<double> most(scores.rows, -1e300), p_values(scores.cols);
  for (std::size_t k = order.size(); k-- > 0;) {  // most: of those that are no larger than the k-th
    double large = 0;
    for (std::size_t p = 0; p < scores.rows; ++p) {
      most[p] = std::max(most[p], scores(p, order[k]));
      large += as_large(most[p], scores(0, order[k]));
    }
    p_values[order[k]] = large / double(scores.rows);
  }
  for (std::size_t k = 1; k < order.size(); ++k)
    p_values[order[k]] = std::max(p_values[order[k]], p_values[order[k - 1]]);
  return p_values;
}

}  // namespace bochner
