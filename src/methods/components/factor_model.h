// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/model.h"
#include "methods/components/low_rank.h"

namespace bochner {

// A low-rank factor as a model that maps rows to their coordinates.
Model factor_model(Schema schema, LowRank found, const RowMoments& moments, bool double_precision);

}  // namespace bochner
