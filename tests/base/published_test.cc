// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/published.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace bochner {
namespace {

const auto kAny = [](std::span<const int>) {};

TEST(Published, GrowsInOrderAndNotWhereACheckThrows) {
  Published<int> list;
  EXPECT_TRUE(list.read().empty());
  list.add(3, kAny);
  const std::span<const int> before = list.read();
  list.add(1, kAny);
  EXPECT_THROW(list.add(3,
                        [](std::span<const int> so_far) {
                          EXPECT_EQ(so_far.size(), 2u);
                          throw std::runtime_error("there already");
                        }),
               std::runtime_error);
  EXPECT_EQ(std::vector<int>(list.read().begin(), list.read().end()), (std::vector<int>{3, 1}));
  ASSERT_EQ(before.size(), 1u);  // who reads an older one still may
  EXPECT_EQ(before[0], 3);
}

TEST(Published, IsReadWhileItGrows) {
  Published<int> list;
  std::thread writer([&] {
    for (int i = 0; i < 500; ++i) list.add(i, kAny);
  });
  std::size_t seen = 0;
  while (seen < 500) {
    const std::span<const int> now = list.read();
    ASSERT_GE(now.size(), seen);
    seen = now.size();
    for (std::size_t i = 0; i < seen; ++i) ASSERT_EQ(now[i], int(i));
  }
  writer.join();
}

}  // namespace
}  // namespace bochner
