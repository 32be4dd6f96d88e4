// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const Model model = Model::load("images.pca");  // made by svd() or `bochner svd`
//   if (const std::optional<Factor> factor = factor_of(*model.map()))
//     for (const double value : factor->singular_values) std::printf("%g ", value);

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bochner/map.h"

namespace bochner {

// What is known of a low-rank factor A ~ A V V^T.
struct Factor {
  std::vector<double> singular_values = {};  // descending
  double total = 0;                          // |A|_F^2
  double error = 0;                          // |A - A V V^T|_F / |A|_F; after one pass of a sketch a bound on it
  std::optional<double> above_best = {};     // estimated: (error - the least of this rank) / error
  std::uint64_t passes = 0;                  // passes over the rows, besides the one that found their means and sizes
  std::string method = {};
};

// The factor of a map that svd() made, read from a file or not; none if it is another map.
std::optional<Factor> factor_of(const Map& map);

}  // namespace bochner
