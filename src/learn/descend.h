// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>

namespace bochner {

// The step with the least loss near `start`: strides of two until the loss turns, then the two neighbours.
// loss(step) may be asked for the same step again, so it should remember.
template <class Loss>
int descend(int start, int least, int most, const Loss& loss) {
  const int stride = loss(start + 2) < loss(start) ? 2 : -2;
  int best = stride > 0 ? start + 2 : start;
  while (best + stride >= least && best + stride <= most && loss(best + stride) < loss(best)) best += stride;
  const int center = best;
  for (int step : {center - 1, center + 1})
    if (loss(step) < loss(best)) best = step;
  return best;
}

}  // namespace bochner
