// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace bochner {

// f(x), and its gradient into the second argument.
using SmoothFunction = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct LbfgsOptions {
  std::size_t memory = 10;  // pairs of steps that are remembered
  std::size_t most_iterations = 100;
  // Ends where kWindow iterations together lower f by less than this share of what all have, or than `least`.
  double share = 1e-4, least = 0;
  double first_step = 1;               // length of the first step, at most
  std::function<void()> between = {};  // called between iterations; may throw
};

struct LbfgsResult {
  double value = 0;
  std::size_t iterations = 0, evaluations = 0;
  bool converged = false;
};

// The least f near x, by the limited-memory BFGS method (Nocedal 1980; Nocedal & Wright 2006, algorithm 7.4) with a
// line search by bisection for the weak Wolfe conditions, which also serves where f has kinks (Lewis & Overton, Math.
// Programming 2013). x: start, and where it ended. A fixed order of additions: the same bits for any threads.
LbfgsResult lbfgs(const SmoothFunction& f, std::span<double> x, const LbfgsOptions& options = {});

}  // namespace bochner
