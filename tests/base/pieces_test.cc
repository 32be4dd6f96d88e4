// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/pieces.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace bochner {
namespace {

TEST(Pieces, CoverEveryThingOnce) {
  Threads threads(3);
  for (const std::size_t n : {0, 1, 6, 7, 8, 100}) {
    std::vector<std::atomic<int>> in(n), with_thread(n), each(n);
    in_pieces(threads, n, 7, [&](std::size_t begin, std::size_t count) {
      EXPECT_EQ(begin % 7, 0u);
      EXPECT_EQ(count, std::min<std::size_t>(7, n - begin));
      for (std::size_t i = begin; i < begin + count; ++i) ++in[i];
    });
    in_pieces(threads, n, 7, [&](std::size_t begin, std::size_t count, int thread) {
      EXPECT_GE(thread, 0);
      EXPECT_LT(thread, 3);
      for (std::size_t i = begin; i < begin + count; ++i) ++with_thread[i];
    });
    each_in_pieces(threads, n, 7, [&](std::size_t i) { ++each[i]; });
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(in[i], 1);
      EXPECT_EQ(with_thread[i], 1);
      EXPECT_EQ(each[i], 1);
    }
  }
}

}  // namespace
}  // namespace bochner
