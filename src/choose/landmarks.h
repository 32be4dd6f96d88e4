// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "base/threads.h"
#include "bochner/matrix.h"
#include "bochner/nystroem.h"

namespace bochner {

// Which rows of a sample become landmarks, as rows' numbers. The sample is in random order; choices that cost more look
// at its beginning only. Fewer than asked where the sample is smaller, or where no row has a residual left.
std::vector<std::size_t> choose_landmarks(MatrixView<const float> sample, const NystroemOptions& options,
                                          Threads& threads);

// How many rows of a sample the choice looks at, at most.
std::size_t landmark_rows(const NystroemOptions& options);

}  // namespace bochner
