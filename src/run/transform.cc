// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/transform.h"

#include <algorithm>
#include <vector>

#include "base/option.h"
#include "base/require.h"
#include "bochner/stream.h"
#include "run/check_memory.h"
#include "run/check_outputs.h"

namespace bochner {

template <class T>
Matrix<T> transform(const MapPtr& map, Rows& rows, const Execution& execution) {
  require(map != nullptr, "transform: no map, expected one");
  // Rows that a reader cannot count yet gather in a vector first.
  const bool counted = rows.size().has_value();
  Matrix<T> z(rows.size().value_or(0), map->outputs());
  std::vector<T> values;
  std::size_t count = 0;
  const auto take = [&](const RowBlock<T>& block) {
    for (std::size_t i = 0; i < block.rows; ++i)
      check_outputs<T>({block.values + i * block.cols, block.cols}, block.first + i);
    const T* const end = block.values + block.rows * block.cols;  // mapped rows lie one behind the other
    if (counted)
      std::copy(block.values, end, z.data() + count * block.cols);
    else
      values.insert(values.end(), block.values, end);
    count += block.rows;
  };
  each<T>(rows, map, take, execution, "transform");
  if (counted) return z;
  z = Matrix<T>(count, map->outputs());
  std::copy(values.begin(), values.end(), z.data());
  return z;
}

template <class T>
Matrix<T> transform(const MapPtr& map, MatrixView<const T> rows, const Execution& execution) {
  Schema schema;
  schema.inputs = rows.cols;
  return transform<T>(map, *memory_rows<T>(rows, {}, schema), execution);
}

void check_map_memory(const MapPtr& map, const Execution& execution, const std::string& remedy) {
  if (!map) return;
  check_memory("the matrix of " + map->spec(), double(map->held_bytes()), execution,
               remedy.empty() ? fmt::format("allow more ({})", Option::memory) : remedy);
}

template Matrix<float> transform(const MapPtr&, Rows&, const Execution&);
template Matrix<double> transform(const MapPtr&, Rows&, const Execution&);
template Matrix<float> transform(const MapPtr&, MatrixView<const float>, const Execution&);
template Matrix<double> transform(const MapPtr&, MatrixView<const double>, const Execution&);

}  // namespace bochner
