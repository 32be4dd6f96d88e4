// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.target_required = false});
//   const Model model = svd(*rows, {.rank = 3, .center = true});  // principal components
//   model.save("cars.components");
//   std::printf("%g of |A| is left", factor_of(*model.map())->error);
//   const Matrix<float> y = transform<float>(model.map(), *rows);  // three numbers for each row

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "bochner/execution.h"
#include "bochner/factor.h"
#include "bochner/model.h"
#include "bochner/rows.h"

namespace bochner {

struct SvdOptions {
  std::size_t rank = 50;
  bool center = false;  // principal components: rows lose their mean first
  // Over the rows, besides one that finds their means and sizes. 1: a sketch of one pass; 2: a sketch, and the rows'
  // coordinates in it; more: as many steps of a block Krylov method as they allow. None: until a further one would
  // not reduce the error by a few thousandths. Rows with few inputs always take one or two: their covariance is exact.
  std::optional<std::size_t> passes = {};
  std::uint64_t seed = 0;
  bool double_precision = false;  // of what the model computes
  Execution execution = {};
};

// The leading right singular vectors V of the rows A (targets are no part of it), as a model that maps a row x to its
// coordinates (x - mean) V; map()->inverse(map()) leads back. Rows stream: memory grows with their width and the rank,
// not with their number. The same bytes for any threads, blocks and memory that holds the whole space.
Model svd(Rows& rows, const SvdOptions& options = {});

}  // namespace bochner
