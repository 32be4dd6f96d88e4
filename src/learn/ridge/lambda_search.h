// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "bochner/report.h"
#include "run/logged.h"

namespace bochner {

struct LambdaTrial {
  double lambda = 0;
  double loss = std::numeric_limits<double>::infinity();  // stays so where the equations cannot be solved
  Score score = {};
};

// Every given lambda; or, where none is given, decades down and up from 1e-6 until the loss turns, then halves
// of a decade about the best. Wide: all of 1e-10 to 1 by two decades first, and from the best of them on; where the
// features are about as many as the rows the loss has more than one minimum. Trials come back in the order of lambda;
// `best` indexes them.
struct LambdaSearch {
  std::vector<LambdaTrial> trials;
  std::size_t best = 0;
};
// checkpoint: logs the trials; may be null.
LambdaSearch search_lambda(const std::vector<double>& given, const std::function<LambdaTrial(double)>& evaluate,
                           Checkpoint* checkpoint = nullptr, bool wide = false);

}  // namespace bochner
