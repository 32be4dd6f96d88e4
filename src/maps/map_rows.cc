// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/map_rows.h"

#include <algorithm>

#include "base/aligned.h"
#include "base/require.h"

namespace bochner {

namespace {

// work(begin, count) for pieces of as many rows as the map likes.
template <class Work>
void each_piece(const Workers& on, std::size_t piece_rows, std::size_t rows, const Work& work) {
  on.threads.run((rows + piece_rows - 1) / piece_rows, [&](std::size_t piece, int) {
    const std::size_t begin = piece * piece_rows;
    work(begin, std::min(piece_rows, rows - begin));
  });
}

constexpr std::size_t kUnmappedRows = 192;

}  // namespace

template <class T>
void map_rows(const Workers& on, const Map& map, const RowBlock<T>& x, MatrixView<T> z) {
  require(z.rows == x.rows && z.cols == map.outputs(), "map: {} x {} features for {} rows, expected {} columns", z.rows,
          z.cols, x.rows, map.outputs());
  each_piece(on, map.rows_at_once(), x.rows, [&](std::size_t begin, std::size_t count) {
    map.apply(on.ops, x.slice(begin, count), z.slice(begin, count));
  });
}

template <class T>
void map_pieces(const Workers& on, const Map* map, const RowBlock<T>& x,
                const std::function<void(std::size_t begin, MatrixView<const T> z)>& use) {
  if (!map) {
    require(!x.sparse(), "map: the rows are sparse and have no map");
    each_piece(on, kUnmappedRows, x.rows,
               [&](std::size_t begin, std::size_t count) { use(begin, x.view().slice(begin, count)); });
    return;
  }
  each_piece(on, map->rows_at_once(), x.rows, [&](std::size_t begin, std::size_t count) {
    thread_local AlignedVector<T> scratch;
    scratch.resize(count * map->outputs());
    const MatrixView<T> z{scratch.data(), count, map->outputs(), map->outputs()};
    map->apply(on.ops, x.slice(begin, count), z);
    use(begin, z);
  });
}

template void map_rows(const Workers&, const Map&, const RowBlock<float>&, MatrixView<float>);
template void map_rows(const Workers&, const Map&, const RowBlock<double>&, MatrixView<double>);
template void map_pieces(const Workers&, const Map*, const RowBlock<float>&,
                         const std::function<void(std::size_t, MatrixView<const float>)>&);
template void map_pieces(const Workers&, const Map*, const RowBlock<double>&,
                         const std::function<void(std::size_t, MatrixView<const double>)>&);

}  // namespace bochner
