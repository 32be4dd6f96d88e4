// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>
#include <vector>

#include "bochner/train.h"

namespace bochner {

// One part of a map such as "fourier:features=500+binning:weight=2". Each has the options of its map and
//   features=   its outputs, or grids; Fourier parts without it share --features evenly
//   kernel=     its kernel; default: that of the whole
//   bandwidth=  a number, scale, median or auto; default: that of the whole
//   weight=     of its kernel in the sum; 1 where another part has one
struct MapPart {
  TrainOptions options;  // of the whole, with what the part says
  std::optional<double> weight;
  std::size_t sharing = 1;  // parts that share the features

  bool binning() const;
};

std::vector<MapPart> map_parts(const TrainOptions& options);

// Random bins alone; bins among other parts; either.
bool asks_for_binning(const TrainOptions& options);
bool asks_for_mixture(const TrainOptions& options);
bool asks_for_bins(const TrainOptions& options);

}  // namespace bochner
