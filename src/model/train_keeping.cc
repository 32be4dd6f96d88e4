// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "model/train_keeping.h"

#include <algorithm>

#include "base/option.h"
#include "base/require.h"

namespace bochner {

namespace {

constexpr std::size_t kMostBins = 16384;  // their products take 1 GB, and so does the factor

}  // namespace

void check_bins_to_keep(const Map& bins) {
  const std::size_t count = bins.outputs(), grids = std::max<std::size_t>(1, bins.nonzeros());
  require(
      count > 0 && count <= kMostBins,
      "keep_sum: the rows fill {} bins of {} grids, whose sums would take {:.1f} GB; expected 1 to {} bins: keep the "
      "fullest of each grid (binning:max_bins={}), lower the grids ({}), or make them larger ({})",
      count, grids, double(GramFold::bytes(count)) / 1e9, kMostBins, std::max<std::size_t>(1, kMostBins / grids),
      Option::features, Option::bandwidth);
}

}  // namespace bochner
