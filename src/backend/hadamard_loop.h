// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>

namespace bochner {

// The Hadamard transform of n = 2^m numbers, level by level: the order of additions that every backend keeps.
template <class T>
void hadamard_loop(T* v, std::size_t n) {
  for (std::size_t h = 1; h < n; h *= 2)
    for (std::size_t begin = 0; begin < n; begin += 2 * h)
      for (std::size_t j = begin; j < begin + h; ++j) {
        const T a = v[j], b = v[j + h];
        v[j] = a + b;
        v[j + h] = a - b;
      }
}

}  // namespace bochner
