// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "methods/neighbors/points.h"

namespace bochner {

// Inputs that lie so far from 0 that a float would blur their differences lose an offset, which becomes part of the
// schema: a round number near the first rows. Angles and products do not allow that.
Rows& without_far_offsets(Rows& rows, Metric metric, std::unique_ptr<Rows>& owner);

// Rows of a block behind those that are there: of dense ones the numbers, whose matrix is made when all have come.
// Error::Kind::data if a number is not finite, as in read_points().
void append_block(const RowBlock<float>& block, Points& points, std::vector<float>& dense);
Matrix<float> as_matrix(const std::vector<float>& dense, std::size_t inputs);
// All rows, as they are. bytes: dense rows of whole numbers from 0 to 255 may be kept as bytes.
Points read_points(Rows& rows, const Execution& execution, bool bytes = false);

}  // namespace bochner
