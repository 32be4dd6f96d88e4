// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <string>

namespace bochner {

// The best of many scores is too good, by more than a small part of its standard error, if there are fewer rows than
// kNestedRows: length scales and lambda, or the neighbours, are then chosen again in folds, and the rows of each fold
// are scored by what the other folds chose.
constexpr std::size_t kNestedRows = 1000, kNestedFolds = 5;

// Where such a score comes from.
inline std::string nested_folds_text(const std::string& choices) {
  return std::to_string(kNestedFolds).append(" nested folds, ").append(choices).append(" chosen again in each");
}

}  // namespace bochner
