// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>

namespace bochner {

// The step with the least loss near `start`, by strides in the direction that helps until the loss turns.
// loss(step) may be asked for the same step again, so it should remember.
template <class Loss>
int descend_by(int stride, int start, int least, int most, const Loss& loss) {
  if (!(loss(start + stride) < loss(start))) stride = -stride;
  int best = stride > 0 ? start + stride : start;
  while (best + stride >= least && best + stride <= most && loss(best + stride) < loss(best)) best += stride;
  return best;
}

// The same by strides of two, then the two neighbours of the best.
template <class Loss>
int descend(int start, int least, int most, const Loss& loss) {
  int best = descend_by(2, start, least, most, loss);
  const int center = best;
  for (int step : {center - 1, center + 1})
    if (step >= least && step <= most && loss(step) < loss(best)) best = step;
  return best;
}

}  // namespace bochner
