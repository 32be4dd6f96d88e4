// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/transform.h"

#include <algorithm>
#include <vector>

#include "base/require.h"
#include "bochner/stream.h"
#include "run/memory_plan.h"

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
  const double bytes = double(map->held_bytes()), limit = double(memory_limit(execution));
  require(bytes <= limit, "memory: the matrix of {} takes {}, {} {}; {}", map->spec(), size_text(bytes),
          execution.memory ? "the memory given is" : "3/4 of what is free are", size_text(limit),
          remedy.empty() ? "make the model with store seed, which keeps none, or allow more memory" : remedy);
}

template Matrix<float> transform(const MapPtr&, Rows&, const Execution&);
template Matrix<double> transform(const MapPtr&, Rows&, const Execution&);
template Matrix<float> transform(const MapPtr&, MatrixView<const float>, const Execution&);
template Matrix<double> transform(const MapPtr&, MatrixView<const double>, const Execution&);

}  // namespace bochner
