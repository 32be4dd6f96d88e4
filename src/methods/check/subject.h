// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>
#include <memory>

#include "bochner/binning.h"
#include "bochner/check.h"
#include "maps/check_subject.h"

namespace bochner {

// The subject of a map, or std::invalid_argument where it has no kernel. double_precision: of the features. Chains end
// in the map that has the kernel; concatenated maps have the weighted sum of theirs.
std::unique_ptr<CheckSubject> check_subject(const MapPtr& map, bool double_precision = false);
// The same of a map that no others make up; null where it has none.
std::unique_ptr<CheckSubject> own_subject(const MapPtr& map, bool double_precision);
// Grids that no row has filled: every bin counts.
std::unique_ptr<CheckSubject> check_grids(std::size_t inputs, const BinningOptions& options);

// Maps side by side, drawn independently, for the weighted mean of their kernels. Each may see the rows in its own way:
// through `before`, or as they are where it is null.
struct CheckPart {
  double weight = 1;
  MapPtr before;
  std::unique_ptr<CheckSubject> subject;
};
std::unique_ptr<CheckSubject> check_mixture(std::vector<CheckPart> parts);

template <class T>
Matrix<T> mapped(const Map& map, MatrixView<const T> x);

// The largest distance between two rows.
double diameter(MatrixView<const float> x, bool l1, Threads& threads);

// Fills in what a projection does to the distances of rows.
void check_distortion(const CheckSubject& subject, MatrixView<const float> x,
                      const std::function<std::uint64_t(std::size_t)>& row_number, Threads& threads, MapCheck& check);

MapCheck check_subject_on(const CheckSubject& subject, MatrixView<const float> x,
                          const std::function<std::uint64_t(std::size_t)>& row_number, const CheckOptions& options,
                          Threads& threads);

}  // namespace bochner
