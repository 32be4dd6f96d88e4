// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <span>

namespace bochner {

// Some rows of a store of features, ascending, all of one chunk. T is std::int16_t, float or double: feature =
// number * unit. A row has zeros up to a multiple of kKeptColumns.
template <class T>
struct StoredRows {
  std::span<const std::size_t> number;  // each row's number in the store
  std::span<const T* const> z;          // as many
};

}  // namespace bochner
