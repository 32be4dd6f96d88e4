// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <vector>

#include "bochner/rows.h"

namespace bochner {

// The same rows, each weighing its own weight times that of its class. A view of `rows`.
std::unique_ptr<Rows> class_weighted_rows(Rows& rows, std::vector<double> class_weights);

// The same rows, their weights divided by `unit`. A view of `rows`.
std::unique_ptr<Rows> rows_weighed_in(Rows& rows, double unit);

}  // namespace bochner
