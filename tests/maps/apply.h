// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include "backend/backend.h"
#include "bochner/map.h"

namespace bochner {

// The rows of x through a map.
template <class T>
Matrix<T> apply(const Map& map, const Matrix<T>& x, const Backend& on) {
  RowBlock<T> block;
  block.rows = x.rows();
  block.cols = block.stride = x.cols();
  block.values = x.data();
  Matrix<T> z(x.rows(), map.outputs());
  map.apply(on, block, z.view());
  return z;
}

}  // namespace bochner
