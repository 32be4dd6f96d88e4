// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <span>

namespace bochner {

// data/digits.csv.gz, built into the program so that the demo needs no file. cmake/embed.cmake writes the definition.
std::span<const unsigned char> embedded_digits();

}  // namespace bochner
