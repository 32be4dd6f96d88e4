// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   std::puts(suggestion("gausian", {"gaussian", "laplacian"}).c_str());  // "; did you mean 'gaussian'?"

#include <string>
#include <string_view>
#include <vector>

namespace bochner {

// Levenshtein distance, two letters that changed places counted as one change, capital letters alike.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The words that `typed` may have been meant for, nearest first; none where all are far.
std::vector<std::string> near_words(std::string_view typed, const std::vector<std::string>& words);

// "; did you mean 'x'?", or nothing where no word is near.
std::string suggestion(std::string_view typed, const std::vector<std::string>& words);

}  // namespace bochner
