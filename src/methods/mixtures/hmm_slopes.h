// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "methods/mixtures/hmm_fold.h"

namespace bochner {

// The sequences with twice as many inputs: behind those of each row their slopes by least squares over the rows of its
// sequence that are at most `reach` away (Furui 1986). A sequence of one row has none: 0. reach 0: as they are.
Sequences with_slopes(Sequences sequences, std::size_t reach);

}  // namespace bochner
