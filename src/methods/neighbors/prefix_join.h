// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "bochner/duplicates.h"
#include "methods/neighbors/points.h"

namespace bochner {

// What a similarity may be below a threshold by rounding.
inline constexpr double kSimilarityRounding = 1e-6;

// All pairs of CSR rows whose similarity reaches a threshold, by places. Columns are ordered from rare to frequent, and
// a pair must share one of the first few of each row (Bayardo, Ma & Srikant, WWW 2007; Xiao et al., WWW 2008):
//   jaccard  among |x| - t |x| + 1 of them: otherwise fewer than t |x| are left to share
//   cosine   as many as leave a length below t: x.y is at most the length of what is left of one of the two
std::vector<Duplicate> prefix_join(const Workers& on, Metric metric, const Points& rows, double threshold);

}  // namespace bochner
