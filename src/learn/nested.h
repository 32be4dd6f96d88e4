// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <string>

namespace bochner {

// With fewer rows the best of many scores is too good by more than a small part of its standard error: choices are made
// again in folds, and the rows of each are scored by what the others chose.
constexpr std::size_t kNestedRows = 1000, kNestedFolds = 5;

// Where such a score comes from.
inline std::string nested_folds_text() {
  return std::to_string(kNestedFolds) + " nested folds, every choice made again in each";
}

}  // namespace bochner
