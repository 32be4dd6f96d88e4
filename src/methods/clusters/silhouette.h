// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <optional>

#include "methods/clusters/lloyd.h"

namespace bochner {

// The mean over at most 1000 of these rows of (b - a) / max(a, b): a the mean distance to the others of its cluster, b
// that to the nearest other cluster (Rousseeuw 1987); 0 for a row alone. None where there is one cluster among them.
template <class T>
std::optional<double> silhouette(const Workers& on, const RowBlock<T>& rows, const Centres& centres);

}  // namespace bochner
