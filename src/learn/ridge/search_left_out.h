// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <vector>

#include "learn/ridge/lambda_search.h"
#include "learn/ridge/ridge.h"

namespace bochner {

// What no row exceeds.
struct RowBounds {
  double feature = 1, weight = 1;
};

// Ridge on rows in memory, each predicted by the solution without it, at every lambda that is searched: from the
// smaller of the two systems. lambdas: those that are tried; empty: any.
template <class T>
LambdaSearch search_left_out(const Workers& on, const RowBlock<T>& z, const RowBounds& most, const TargetCode& code,
                             bool intercept, const std::vector<double>& lambdas);

}  // namespace bochner
