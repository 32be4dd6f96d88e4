// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "learn/newton/line_roots.h"

#include <algorithm>
#include <cmath>

namespace bochner {

namespace {

constexpr int kMostTrials = 30;
constexpr double kPrecision = 0.01;
constexpr double kSteep = 1e3;  // the high end's slope over that of the low end

// One output's bracket of the root.
struct Bracket {
  double low = 0, high = INFINITY, at_low, at_high = 0;
  int side = 0;

  // The next place to look at, where the slope s was found at t.
  double next(double t, double s, bool steep) {
    if (s < 0) {
      const double before = low, before_slope = at_low;
      low = t;
      at_low = s;
      if (std::isinf(high)) {  // not bracketed yet: the secant, at most tenfold
        const double gain = s - before_slope;
        return std::min(gain > 0 ? t - s * (t - before) / gain * 1.1 : INFINITY, 10 * t);
      }
      if (side < 0) at_high /= 2;
      side = -1;
    } else {
      high = t;
      at_high = s;
      if (side > 0) at_low /= 2;
      side = 1;
    }
    const double secant = (low * at_high - high * at_low) / (at_high - at_low), room = 0.1 * (high - low);
    // Slopes that grow as an exponential, to infinity perhaps, would keep the secant at the low end.
    return steep && at_high > kSteep * -at_low ? std::max(low + room, secant) : secant;
  }
};

}  // namespace

std::vector<double> line_roots(const std::function<std::vector<double>(const std::vector<double>& t)>& slopes,
                               std::size_t K, std::span<const std::size_t> outputs, bool steep) {
  std::vector<double> t(K, 0.0);
  const std::vector<double> start = slopes(t);
  std::vector<Bracket> brackets(K);
  std::vector<std::size_t> open;
  for (const std::size_t k : outputs)
    if (start[k] < 0) {
      brackets[k].at_low = start[k];
      open.push_back(k);
      t[k] = 1;
    }
  for (int trial = 0; trial < kMostTrials && !open.empty(); ++trial) {
    const std::vector<double> s = slopes(t);
    std::erase_if(open, [&](std::size_t k) { return std::abs(s[k]) <= kPrecision * -start[k]; });
    for (const std::size_t k : open) t[k] = brackets[k].next(t[k], s[k], steep);
  }
  return t;
}

}  // namespace bochner
