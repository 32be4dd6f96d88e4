// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   TrainOptions options;
//   options.kernel = laplacian();
//   options.map = Binning{.order_low = 1, .order_high = 2};  // grids of one or two inputs
//   options.features = 200;                                  // grids

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bochner {

// The law of a grid's pitch. A kernel that is convex and falls from k(0) = 1 to 0 is a mixture of hats
//   k(t) = integral max(0, 1 - t / pitch) p(pitch) d pitch,   p(pitch) = pitch k''(pitch),
// so a grid whose pitch is drawn from p puts x and y into one bin with probability k(|x - y|).
// t below is already divided by the length scale of the input.
struct PitchLaw {
  enum class Family {
    laplacian,    // exp(-t): pitch ~ Gamma(2, 1)
    reciprocal,   // 1 / (1 + t): heavy-tailed, for data with structure at many scales
    hat,          // max(0, 1 - t): pitch = 1
    log_uniform,  // pitch log-uniform in [low, high]: for inputs scaled to [0, 1]
    table,        // piecewise linear, given by the user
  };

  Family family = Family::laplacian;
  double low = 1.0 / 256, high = 0.5;  // log_uniform only
  std::vector<double> pitches;         // table only: ascending knots of k
  std::vector<double> cumulative;      // table only: P(pitch <= pitches[i]); the last is 1

  bool operator==(const PitchLaw&) const = default;
};

// The law of the kernel that is linear between the points (t[i], k[i]) and runs on beyond the last with the
// slope of the last piece until it meets 0. Needs t[0] = 0, k[0] = 1, t ascending, k convex and falling. A
// piecewise linear kernel is a mixture of hats as wide as its knots, so the table is exact for it.
PitchLaw pitch_table(std::span<const double> t, std::span<const double> k);

// "laplacian", "reciprocal", "hat", "log-uniform" and back. A table has the name "table".
PitchLaw parse_pitch_law(const std::string& text);
std::string pitch_law_name(const PitchLaw& law);

// k(t), t >= 0: the probability that two values t length scales apart share a bin.
double pitch_kernel(const PitchLaw& law, double t);

// Random binning features. Rahimi & Recht, NIPS 2007, Algorithm 2.
struct BinningOptions {
  PitchLaw law;
  std::vector<double> length_scales = {1.0};  // one for all inputs, or one per input
  std::size_t grids = 50;
  std::uint64_t seed = 0;

  // A grid looks at low .. high inputs drawn at random: the kernel is a mixture of low-order interactions.
  // 0: every grid looks at every input. Inputs of one group (the indicators of one category) count as one.
  std::size_t order_low = 0, order_high = 0;
  std::vector<std::uint32_t> groups = {};  // group of each input, 0, 1, ...; empty: each input is its own

  // What bounds the model: bins that fewer training rows fell into, and all but the fullest bins of a grid, are
  // forgotten and then contribute nothing, as a bin never seen does. The kernel loses the pairs they joined.
  std::size_t min_rows = 1;
  std::size_t max_bins = 0;  // 0: no bound

  bool operator==(const BinningOptions&) const = default;
};

// The kernel that the grids estimate: Pr[x and y share a bin].
double binning_kernel(const BinningOptions& options, std::span<const double> x, std::span<const double> y);

}  // namespace bochner
