// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <random>
#include <vector>

namespace bochner::bench {

// The same numbers in every run.
template <class T>
std::vector<T> normals(std::size_t count) {
  std::mt19937 generator(1);
  std::normal_distribution<T> normal;
  std::vector<T> values(count);
  for (T& value : values) value = normal(generator);
  return values;
}

}  // namespace bochner::bench
