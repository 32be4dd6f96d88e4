// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <vector>

#include "bochner/rows.h"

namespace bochner {

// Rows whose inputs lose `offsets`, one per input, in double before they are rounded to float: numbers far from zero
// keep their differences. Their schema says so. Sparse rows are refused: their zeros would have to be filled in.
std::unique_ptr<Rows> shifted_rows(std::unique_ptr<Rows> rows, const std::vector<double>& offsets);

// The rows with exactly these offsets subtracted in all (empty: none): the rows themselves, or a wrapper of them that
// `owner` keeps.
Rows& with_offsets(Rows& rows, const std::vector<double>& offsets, std::unique_ptr<Rows>& owner);

// The same for their targets, one offset per target.
Rows& with_target_offsets(Rows& rows, const std::vector<double>& offsets, std::unique_ptr<Rows>& owner);

}  // namespace bochner
