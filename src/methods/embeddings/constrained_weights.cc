// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include <algorithm>
#include <cmath>
#include <numeric>

#include "methods/embeddings/reduction.h"

namespace bochner {

namespace {

// The best weights of the points in `among` alone, whatever their signs; where they shall sum to 1, with the
// multiplier of that.
struct Subproblem {
  std::vector<double> beta;
  double multiplier = 0;
};

Subproblem solve_among(const Matrix<double>& k, std::span<const double> b, const std::vector<std::size_t>& among,
                       bool sum_to_one) {
  const std::size_t p = among.size();
  Matrix<double> part(p, p);
  std::vector<double> right(p);
  for (std::size_t i = 0; i < p; ++i) {
    right[i] = b[among[i]];
    for (std::size_t j = 0; j < p; ++j) part(i, j) = k(among[i], among[j]);
  }
  Subproblem found{project_weights(part, right).beta};
  if (!sum_to_one) return found;
  const std::vector<double> ones(p, 1), rise = project_weights(part, ones).beta;
  const double total = std::accumulate(found.beta.begin(), found.beta.end(), 0.0),
               more = std::accumulate(rise.begin(), rise.end(), 0.0);
  found.multiplier = (total - 1) / more;
  for (std::size_t i = 0; i < p; ++i) found.beta[i] -= found.multiplier * rise[i];
  return found;
}

}  // namespace

// min beta . K beta - 2 b . beta, beta >= 0: the active set of Lawson & Hanson (1974, ch. 23), from all points at once
// since few are usually left out.
Projected constrained_weights(const Matrix<double>& k, std::span<const double> b, bool sum_to_one) {
  const std::size_t n = b.size();
  std::vector<double> beta(n, 1 / double(n));
  std::vector<std::size_t> among(n);
  std::iota(among.begin(), among.end(), std::size_t(0));
  const double size =
      std::abs(*std::max_element(b.begin(), b.end(), [](double x, double y) { return std::fabs(x) < std::fabs(y); }));
  for (std::size_t round = 0; round < 3 * n + 10 && !among.empty(); ++round) {
    const Subproblem best = solve_among(k, b, among, sum_to_one);
    double step = 1;  // as far towards it as no weight falls below 0
    for (std::size_t i = 0; i < among.size(); ++i)
      if (best.beta[i] <= 0) step = std::min(step, beta[among[i]] / (beta[among[i]] - best.beta[i]));
    for (std::size_t i = 0; i < among.size(); ++i) beta[among[i]] += step * (best.beta[i] - beta[among[i]]);
    if (step < 1) {
      std::erase_if(among, [&](std::size_t i) {
        if (beta[i] > 1e-14) return false;
        beta[i] = 0;
        return true;
      });
      continue;
    }
    std::size_t enters = n;  // the one left out that would gain most
    double gain = 1e-9 * size;
    for (std::size_t i = 0; i < n; ++i) {
      if (beta[i] > 0) continue;
      double slope = b[i] - best.multiplier;
      for (const std::size_t j : among) slope -= k(i, j) * beta[j];
      if (slope > gain) gain = slope, enters = i;
    }
    if (enters == n) break;
    among.push_back(enters);
  }
  Projected found{std::move(beta), 0};
  for (std::size_t i = 0; i < n; ++i) {
    double row = 0;
    for (std::size_t j = 0; j < n; ++j) row += k(i, j) * found.beta[j];
    found.captured += found.beta[i] * (2 * b[i] - row);
  }
  return found;
}

}  // namespace bochner
