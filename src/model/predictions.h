// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cmath>
#include <vector>

#include "base/option.h"
#include "base/require.h"
#include "bochner/matrix.h"
#include "bochner/schema.h"

namespace bochner {

// Error::Kind::data if a number that a model puts out is not finite. first: the number of the first row; what: the
// word for such a number.
inline void check_finite(MatrixView<const double> outputs, std::size_t first, const char* what = "prediction") {
  for (std::size_t i = 0; i < outputs.rows; ++i)
    for (std::size_t k = 0; k < outputs.cols; ++k)
      if (!std::isfinite(outputs(i, k)))
        fail(Error::Kind::data,
             "row {}: its {} is not finite: an input is too large for the model; correct it, or train with {}",
             first + i, what, Option::double_precision);
}

// Error::Kind::data if an input is no finite number: a threshold would send it to one of its sides, and the answer
// would look like any other.
template <class T>
void check_numbers(const Schema& schema, MatrixView<const T> rows) {
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.cols; ++j)
      if (!std::isfinite(rows(i, j)))
        fail(Error::Kind::data, "predict: row {}, input {}: found {}, expected a finite number", i,
             schema.input_names()[j], rows(i, j));
}

// Adds the offsets of a model's targets to the first columns.
inline void add_offsets(const std::vector<double>& offsets, MatrixView<double> outputs) {
  for (std::size_t i = 0; i < outputs.rows && !offsets.empty(); ++i)
    for (std::size_t k = 0; k < offsets.size(); ++k) outputs(i, k) += offsets[k];
}

}  // namespace bochner
