// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   const auto rows = open_rows("cars.csv", {.targets = {"price"}});
//   const MapPtr map = fourier(rows->schema().inputs, {.kernel = gaussian(2.0), .features = 64});
//   const Matrix<float> z = transform<float>(map, *rows);  // a row of 64 features for each row

#include <string>

#include "bochner/execution.h"
#include "bochner/map.h"
#include "bochner/matrix.h"
#include "bochner/rows.h"

namespace bochner {

// The features of all rows, in memory. each() of bochner/stream.h gives them block by block instead, and
// Model::transform those of a model. T is float or double, which the map computes in. Any number of threads may use one
// map; one pass of `rows` at a time.
template <class T>
Matrix<T> transform(const MapPtr& map, Rows& rows, const Execution& execution = {});
template <class T>
Matrix<T> transform(const MapPtr& map, MatrixView<const T> rows, const Execution& execution = {});
// The same into memory of the caller, rows.size() x map->outputs(), for rows that know their number.
template <class T>
void transform_into(MatrixView<T> z, const MapPtr& map, Rows& rows, const Execution& execution = {});

// std::invalid_argument where the map would hold more than the execution allows once it is used. remedy: what to do.
void check_map_memory(const MapPtr& map, const Execution& execution, const std::string& remedy = "");

}  // namespace bochner
