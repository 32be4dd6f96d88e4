// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "bochner/rows.h"
#include "folds/row_moments.h"
#include "methods/embeddings/row_blocks.h"
#include "model/mapped_rows.h"

namespace bochner {

// One sample on its way to the sums.
struct DriftSample {
  Rows *rows = nullptr, *source = nullptr;
  std::unique_ptr<Rows> kept;
  std::shared_ptr<const RowBlocks> blocks;
  RowMoments moments{0};

  void keep(const Execution& execution) {
    if (!worth_keeping(*rows, sizeof(float), execution)) return;
    kept = cached_rows<float>(*rows);
    source = std::exchange(rows, kept.get());
  }
  void forget() {
    rows = source;
    kept.reset();
  }
};

struct MeanAndDeviation {
  double mean = 0, deviation = 0;
};

// What all cells give, a share of which is missing and filled by one number, without those.
inline MeanAndDeviation without_fills(MeanAndDeviation all, double missing, double fill) {
  if (missing == 0) return all;
  if (missing == 1) return {std::nan(""), std::nan("")};
  const double present = 1 - missing, mean = (all.mean - missing * fill) / present;
  const double variance = (all.deviation * all.deviation - present * missing * (mean - fill) * (mean - fill)) / present;
  return {mean, std::sqrt(std::max(0.0, variance))};
}

}  // namespace bochner
