// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <string>

namespace bochner {

// Score::hint() with the words to type; any other line as it is.
inline std::string with_class_words(const std::string& line) {
  if (!line.starts_with("the classes are told apart")) return line;
  return line + " (predict --probabilities or --threshold P, train --class-weight)";
}

}  // namespace bochner
