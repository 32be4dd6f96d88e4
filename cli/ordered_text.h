// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "output.h"

namespace bochner {

// Text of numbered pieces, which several threads make (0: all cores) and write in the order of their numbers.
void write_in_order(Output& output, std::size_t pieces, int threads,
                    const std::function<void(std::size_t piece, std::string& text)>& make);

}  // namespace bochner
