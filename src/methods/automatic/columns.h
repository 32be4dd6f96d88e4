// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "bochner/matrix.h"

namespace bochner {

// run(value, columns) for each value there is, with the columns that have it: what is factored once for all of these.
template <class Run>
void each_alike(std::span<const double> values, const Run& run) {
  std::map<double, std::vector<std::size_t>> groups;
  for (std::size_t k = 0; k < values.size(); ++k) groups[values[k]].push_back(k);
  for (const auto& [value, columns] : groups) run(value, std::span<const std::size_t>(columns));
}

inline Matrix<double> some_columns(const Matrix<double>& from, std::span<const std::size_t> columns) {
  Matrix<double> out(from.rows(), columns.size());
  for (std::size_t i = 0; i < from.rows(); ++i)
    for (std::size_t k = 0; k < columns.size(); ++k) out(i, k) = from(i, columns[k]);
  return out;
}

inline void put_columns(const Matrix<double>& part, std::span<const std::size_t> columns, Matrix<double>& into) {
  for (std::size_t i = 0; i < into.rows(); ++i)
    for (std::size_t k = 0; k < columns.size(); ++k) into(i, columns[k]) = part(i, k);
}

}  // namespace bochner
