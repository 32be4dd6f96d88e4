// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "methods/mixtures/hmm_fold.h"
#include "run/stream.h"

namespace bochner {

enum class SequenceWeights { of_rows, none };

// Rows of a stream in memory as double, with where sequences begin; classes: their first target is one. of_rows: a
// sequence has the weight of its rows, if they have any. rows: how many there are, 0 if that is not known.
Sequences sequences_in(const Stream& stream, const std::vector<std::size_t>& starts, std::size_t groups,
                       std::size_t rows, SequenceWeights weights = SequenceWeights::of_rows);

// Multiplies the weights so that they add up to the number of rows.
void weigh(Sequences& all);

}  // namespace bochner
