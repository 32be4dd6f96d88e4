// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/binning.h"
#include "folds/survey.h"
#include "learn/learn_on.h"
#include "run/stream.h"

namespace bochner {

extern const LearnsOn kAnomaliesLearnOn;

// Maps from features to one number, larger where rows are rarer.

// 1 - <z(x), mean of z>: with features of a kernel of value 1 at 0, one less the mean of the kernel between x and the
// rows. Parzen 1962; Smola, Gretton, Song & Schoelkopf 2007.
MapPtr embedding_score(const Stream& stream, const Survey& survey);

// The mean over grids of log (n / rows in x's bin), of half a row where no row was: Sathe & Aggarwal, Subspace outlier
// detection in linear time with randomized hashing, ICDM 2016. The rows lie packed in memory.
MapPtr bins_score(const Stream& stream, const Survey& survey, BinningOptions options);

// Above it are the given share of the rows' weight, at most; by a sample of 4 million rows where there are more.
double score_threshold(const Stream& scores, const Survey& survey, double rate, std::uint64_t seed);

}  // namespace bochner
