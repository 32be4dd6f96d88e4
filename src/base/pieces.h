// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "base/threads.h"

namespace bochner {

// work(begin, count) for pieces of `size` of n things, each by one thread; work(begin, count, thread) where it asks.
template <class Work>
void in_pieces(Threads& threads, std::size_t n, std::size_t size, const Work& work) {
  threads.run((n + size - 1) / size, [&](std::size_t piece, int thread) {
    const std::size_t begin = piece * size, count = std::min(size, n - begin);
    if constexpr (std::is_invocable_v<const Work&, std::size_t, std::size_t, int>)
      work(begin, count, thread);
    else
      work(begin, count);
  });
}

// work(i) for each of n things, in such pieces.
template <class Work>
void each_in_pieces(Threads& threads, std::size_t n, std::size_t size, const Work& work) {
  in_pieces(threads, n, size, [&](std::size_t begin, std::size_t count) {
    for (std::size_t i = begin; i < begin + count; ++i) work(i);
  });
}

}  // namespace bochner
