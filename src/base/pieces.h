// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cstddef>

#include "base/threads.h"

namespace bochner {

// work(begin, count) for pieces of `size` of n things, each by one thread.
template <class Work>
void in_pieces(Threads& threads, std::size_t n, std::size_t size, const Work& work) {
  threads.run((n + size - 1) / size,
              [&](std::size_t piece, int) { work(piece * size, std::min(size, n - piece * size)); });
}

}  // namespace bochner
