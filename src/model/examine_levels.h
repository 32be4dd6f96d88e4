// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/model.h"

namespace bochner {

// Quantiles of these levels against targets: the share of the rows below each and its pinball loss; the score is that
// of the level nearest the median.
Evaluation examine_levels(const Model& model, const std::vector<double>& levels, Rows& rows, const Execution& execution,
                          bool by_weight);

}  // namespace bochner
