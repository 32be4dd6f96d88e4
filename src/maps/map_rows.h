// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <functional>

#include "backend/workers.h"
#include "bochner/map.h"

namespace bochner {

// z = map(x) for a whole block, on the device of the threads or on all threads. Rows go through all maps of a chain in
// pieces that stay in the first cache; a row's result does not depend on its piece.
// seen(z), if given: the features of each piece while they are in the cache, on any of the threads.
template <class T>
void map_rows(const Workers& on, const Map& map, const RowBlock<T>& x, MatrixView<T> z,
              const std::function<void(MatrixView<const T> z)>& seen = {});

// The same for what is made of features at once, a piece at a time on any of the threads: z are those of the rows from
// `begin` on, valid during the call. Without a map the rows themselves, which are then dense.
template <class T>
void map_pieces(const Workers& on, const Map* map, const RowBlock<T>& x,
                const std::function<void(std::size_t begin, MatrixView<const T> z)>& use);

// The same as CSR, of a map whose nonzeros() say that it puts it out: the rows' features replace what `z` had.
template <class T>
void map_sparse(const Workers& on, const Map& map, const RowBlock<T>& x, SparseRows<T>& z);

}  // namespace bochner
