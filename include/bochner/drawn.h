// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const FourierOptions options{.kernel = gaussian(2.0), .features = 64};
//   const DrawnFrequencies drawn = drawn_frequencies(3, options);
//   std::printf("%zu frequencies of %zu inputs", drawn.omega.rows(), drawn.omega.cols());

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bochner/binning.h"
#include "bochner/map.h"
#include "bochner/matrix.h"

namespace bochner {

// What maps draw from their seeds and model files do not hold, for those who write models in other formats.

// The draw of fourier(inputs, options):
//   cossin:  scale [cos(omega x), sin(omega x)];  shifted: scale cos(omega x + phase)
// The map itself rounds omega / 2 pi and phase / 2 pi to its precision.
struct DrawnFrequencies {
  Matrix<double> omega;       // frequencies x inputs
  std::vector<double> phase;  // empty for cossin
  double scale = 1;
};
DrawnFrequencies drawn_frequencies(std::size_t inputs, const FourierOptions& options);

// The draw of a binning map, grids x inputs: the bin number of input j is floor((x_j - shift) * per_pitch), each step
// rounded to the map's precision, and a bin's hash has the sums of bin number * high and * low modulo 2^32 in its two
// halves. An input that a grid does not look at has keys 0.
struct DrawnGrids {
  Matrix<double> shift, per_pitch;  // as rounded to the precision
  Matrix<std::uint32_t> low, high;
};
// draws: which grids of the options' law, as the model file names them.
DrawnGrids drawn_grids(std::size_t inputs, const BinningOptions& options, std::span<const std::uint64_t> draws,
                       bool double_precision);

}  // namespace bochner
