// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "bochner/duplicates.h"

namespace bochner {

// Rows whose inputs, and kept cells if there are some, all equal those of an earlier row: with the first such row, or
// in all pairs. Inputs are compared as double; a missing number (NaN) equals another.
std::vector<Duplicate> equal_rows(Rows& rows, const DuplicateOptions& options);

}  // namespace bochner
