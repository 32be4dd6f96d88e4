// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bochner/train.h"
#include "folds/gram.h"

namespace bochner {

// The sums that ridge was solved from, and what was chosen about the weights of their rows.
struct KeptFit {
  std::optional<GramFold> gram;
  std::vector<double> class_weights;  // empty: all classes weigh the same
  double weight_unit = 1;
  std::vector<std::uint64_t> class_rows;  // classification: rows of each class
};

// Whether the products of so many bins can be kept: std::invalid_argument if not.
void check_bins_to_keep(const Map& bins);

// train() by ridge and Cholesky, whose sums stay. kept: null: as train().
Model train_keeping(Rows& rows, const TrainOptions& options, KeptFit* kept);

}  // namespace bochner
