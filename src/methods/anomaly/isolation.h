// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/workers.h"
#include "bochner/map.h"
#include "bochner/matrix.h"

namespace bochner {

struct IsolationOptions {
  std::size_t trees = 100;
  std::size_t rows = 256;  // that a tree sees: few, so that anomalies that are alike stay rare among them
  std::uint64_t seed = 0;
};

// 1 - (mean depth of x in random trees) / (mean depth of a search among as many rows): larger where a few random cuts
// part x from the others. Liu, Ting & Zhou, Isolation forest, ICDM 2008. A cut takes an input that varies among a
// node's rows, each as likely, at a point between its least and largest value, each as likely. x: a sample of the
// rows, of which a tree takes some without replacement, those that weigh more the rather; weights: empty, or theirs.
MapPtr isolation_score(const Workers& on, const Matrix<double>& x, std::span<const double> weights,
                       const IsolationOptions& options);

}  // namespace bochner
