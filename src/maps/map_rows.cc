// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "maps/map_rows.h"

#include <algorithm>

#include "base/aligned.h"
#include "base/pieces.h"
#include "base/require.h"

namespace bochner {

namespace {

constexpr std::size_t kUnmappedRows = 192;

}  // namespace

template <class T>
void map_rows(const Workers& on, const Map& map, const RowBlock<T>& x, MatrixView<T> z,
              const std::function<void(MatrixView<const T> z)>& seen) {
  require(z.rows == x.rows && z.cols == map.outputs(), "map: {} x {} features for {} rows, expected {} columns", z.rows,
          z.cols, x.rows, map.outputs());
  if (on.threads.device().map(map, x, z)) {
    if (seen) seen(z);
    return;
  }
  in_pieces(on.threads, x.rows, map.rows_at_once(), [&](std::size_t begin, std::size_t count) {
    map.apply(on.ops, x.slice(begin, count), z.slice(begin, count));
    if (seen) seen(z.slice(begin, count));
  });
}

template <class T>
void map_pieces(const Workers& on, const Map* map, const RowBlock<T>& x,
                const std::function<void(std::size_t begin, MatrixView<const T> z)>& use) {
  if (!map) {
    require(!x.sparse(), "map: the rows are sparse and have no map");
    in_pieces(on.threads, x.rows, kUnmappedRows,
              [&](std::size_t begin, std::size_t count) { use(begin, x.view().slice(begin, count)); });
    return;
  }
  in_pieces(on.threads, x.rows, map->rows_at_once(), [&](std::size_t begin, std::size_t count) {
    thread_local AlignedVector<T> scratch;
    scratch.resize(count * map->outputs());
    const MatrixView<T> z{scratch.data(), count, map->outputs(), map->outputs()};
    map->apply(on.ops, x.slice(begin, count), z);
    use(begin, z);
  });
}

template <class T>
void map_sparse(const Workers& on, const Map& map, const RowBlock<T>& x, SparseRows<T>& z) {
  const std::size_t piece_rows = map.rows_at_once();
  std::vector<SparseRows<T>> pieces((x.rows + piece_rows - 1) / piece_rows);
  in_pieces(on.threads, x.rows, piece_rows, [&](std::size_t begin, std::size_t count) {
    SparseRows<T>& piece = pieces[begin / piece_rows];
    require(map.apply_sparse(on.ops, x.slice(begin, count), piece) && piece.rows() == count,
            "map: {} gave {} rows as CSR, expected {}", map.spec(), piece.rows(), count);
  });
  std::size_t size = 0;
  for (const SparseRows<T>& piece : pieces) size += piece.columns.size();
  z.clear();
  z.offsets.reserve(x.rows + 1);
  z.columns.reserve(size);
  z.values.reserve(size);
  for (SparseRows<T>& piece : pieces) {
    for (std::size_t i = 1; i < piece.offsets.size(); ++i) z.offsets.push_back(z.columns.size() + piece.offsets[i]);
    z.columns.insert(z.columns.end(), piece.columns.begin(), piece.columns.end());
    z.values.insert(z.values.end(), piece.values.begin(), piece.values.end());
    piece = {};
  }
}

template void map_sparse(const Workers&, const Map&, const RowBlock<float>&, SparseRows<float>&);
template void map_sparse(const Workers&, const Map&, const RowBlock<double>&, SparseRows<double>&);
template void map_rows(const Workers&, const Map&, const RowBlock<float>&, MatrixView<float>,
                       const std::function<void(MatrixView<const float>)>&);
template void map_rows(const Workers&, const Map&, const RowBlock<double>&, MatrixView<double>,
                       const std::function<void(MatrixView<const double>)>&);
template void map_pieces(const Workers&, const Map*, const RowBlock<float>&,
                         const std::function<void(std::size_t, MatrixView<const float>)>&);
template void map_pieces(const Workers&, const Map*, const RowBlock<double>&,
                         const std::function<void(std::size_t, MatrixView<const double>)>&);

}  // namespace bochner
