// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <memory>
#include <vector>

#include "bochner/drift.h"
#include "bochner/matrix.h"
#include "methods/embeddings/block_counts.h"
#include "methods/embeddings/exchange.h"

namespace bochner {

// How the columns of two samples are binned: numbers by quantiles of a sample of both, at most 32 bins; a number of few
// values has a bin each. columns: of the schema; where it names none, every input is one.
ColumnBins choose_bins(const Schema& schema, MatrixView<const double> sample);

// What the columns' tests find, less what only the rows tell (means).
// counts: of both samples; exchanges: as in exchanged_sums.
std::vector<Drift::ColumnChange> test_columns(const Workers& on, const ExchangePlan& plan,
                                              MatrixView<const double> exchanges, const ColumnBins& bins,
                                              const BlockCounts (&counts)[2]);

}  // namespace bochner
