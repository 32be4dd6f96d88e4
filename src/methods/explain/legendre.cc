// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "methods/explain/legendre.h"

#include <cmath>

#include "random/elementary.h"

namespace bochner {

// The zeros of the Legendre polynomial P_n by Newton's method from Tricomi's guess; P_n by its three-term recurrence.
UnitRule gauss_legendre(std::size_t n) {
  UnitRule rule{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t i = 0; i < (n + 1) / 2; ++i) {
    double x = portable_sin_pi(0.5 - (double(i) + 0.75) / (double(n) + 0.5)), slope = 1;
    for (int step = 0; step < 100; ++step) {
      double before = 1, p = x;
      for (std::size_t k = 2; k <= n; ++k) {
        const double next = ((2 * double(k) - 1) * x * p - (double(k) - 1) * before) / double(k);
        before = p;
        p = next;
      }
      slope = n == 1 ? 1 : double(n) * (x * p - before) / (x * x - 1);
      const double move = p / slope;
      x -= move;
      if (std::abs(move) <= 1e-16) break;
    }
    const double weight = 1 / ((1 - x * x) * slope * slope);
    rule.nodes[i] = 0.5 * (1 - x);
    rule.nodes[n - 1 - i] = 0.5 * (1 + x);
    rule.weights[i] = rule.weights[n - 1 - i] = weight;
  }
  return rule;
}

}  // namespace bochner
