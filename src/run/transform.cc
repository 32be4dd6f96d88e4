// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/transform.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/option.h"
#include "base/require.h"
#include "maps/map_rows.h"
#include "run/check_memory.h"
#include "run/check_outputs.h"
#include "run/stream.h"

namespace bochner {

namespace {

// The features of all rows, block by block, to where place(rows) says.
template <class T, class Place>
void transform_blocks(const MapPtr& map, Rows& rows, const Execution& execution, const Place& place) {
  require(map != nullptr, "transform: no map, expected one");
  check_map_memory(map, execution);
  Threads threads(execution);
  const Stream stream(rows, map, threads, execution,
                      std::is_same_v<T, float> ? Precision::float32 : Precision::float64);
  stream.unmapped().each("transform", [&](const auto& block) {
    if constexpr (std::is_same_v<std::decay_t<decltype(block)>, RowBlock<T>>) {
      const MatrixView<T> z = place(block.rows);
      std::atomic<bool> finite = true;
      map_rows<T>(stream.workers(), *map, block, z, [&](MatrixView<const T> piece) {
        for (std::size_t i = 0; i < piece.rows; ++i)
          if (!all_finite<T>({piece.row(i), piece.cols})) finite = false;
      });
      for (std::size_t i = 0; !finite && i < z.rows; ++i) check_outputs<T>({z.row(i), z.cols}, block.first + i);
    }
  });
}

}  // namespace

template <class T>
void transform_into(MatrixView<T> z, const MapPtr& map, Rows& rows, const Execution& execution) {
  require(map != nullptr && rows.size() == z.rows && map->outputs() == z.cols,
          "transform: found memory of {} x {} features, expected the number of rows and of the map's outputs", z.rows,
          z.cols);
  std::size_t count = 0;
  transform_blocks<T>(map, rows, execution, [&](std::size_t more) {
    count += more;
    return z.slice(count - more, more);
  });
}

template <class T>
Matrix<T> transform(const MapPtr& map, Rows& rows, const Execution& execution) {
  require(map != nullptr, "transform: no map, expected one");
  const std::size_t D = map->outputs();
  if (rows.size()) {
    Matrix<T> z(*rows.size(), D);
    transform_into<T>(z.view(), map, rows, execution);
    return z;
  }
  std::vector<T> values;  // a reader may not know how many rows it has
  transform_blocks<T>(map, rows, execution, [&](std::size_t more) {
    const std::size_t before = values.size();
    values.resize(before + more * D);
    return MatrixView<T>{values.data() + before, more, D, D};
  });
  Matrix<T> z(values.size() / D, D);
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

template void transform_into(MatrixView<float>, const MapPtr&, Rows&, const Execution&);
template void transform_into(MatrixView<double>, const MapPtr&, Rows&, const Execution&);
template Matrix<float> transform(const MapPtr&, Rows&, const Execution&);
template Matrix<double> transform(const MapPtr&, Rows&, const Execution&);
template Matrix<float> transform(const MapPtr&, MatrixView<const float>, const Execution&);
template Matrix<double> transform(const MapPtr&, MatrixView<const double>, const Execution&);

}  // namespace bochner
