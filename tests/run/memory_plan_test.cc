// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "run/memory_plan.h"

#include <gtest/gtest.h>

namespace bochner {
namespace {

constexpr double M = 1 << 20, G = 1 << 30;

TEST(MemoryPlan, NamesTheLargestFirstAndSumsUpTheSmall) {
  MemoryPlan plan;
  plan.add("factor", 512 * M).add("features", 2 * G).add("nothing", 0).add("targets", 1 * M).add("names", 2 * M);
  EXPECT_EQ(plan.items().size(), 4u);
  EXPECT_EQ(plan.total(), 2 * G + 515 * M);
  EXPECT_EQ(plan.items_text(), "features 2.0G, factor 512M, other 3.0M");
  EXPECT_EQ(plan.text(18 * G), "memory: 2.5G of 18.0G: features 2.0G, factor 512M, other 3.0M");
}

TEST(MemoryPlan, AddsTheItemsOfAnother) {
  MemoryPlan plan = MemoryPlan().add("a", 1), other = MemoryPlan().add("b", 2).add("c", 3);
  plan.add(other);
  EXPECT_EQ(plan.total(), 6);
  EXPECT_EQ(plan.items().back().name, "c");
}

TEST(MemoryPlan, OfStepsIsThatOfTheLargest) {
  const MemoryPlan small = MemoryPlan().add("a", 1).add("b", 1), large = MemoryPlan().add("c", 5);
  EXPECT_EQ(peak_of({small, large, small}).items()[0].name, "c");
  EXPECT_EQ(peak_of({small}).total(), 2);
}

TEST(MemoryPlan, IsWorthSayingFromAGigabyteOrAQuarterOfTheLimit) {
  const MemoryPlan plan = MemoryPlan().add("a", 0.5 * G);
  EXPECT_FALSE(plan.worth_saying(16 * G));
  EXPECT_TRUE(plan.worth_saying(2 * G));
  EXPECT_TRUE(MemoryPlan().add("a", 1 * G).worth_saying(100 * G));
}

TEST(MemoryPlan, SizesReadAsTheOptionTakesThem) {
  EXPECT_EQ(size_text(0.25 * M), "0.2M");
  EXPECT_EQ(size_text(9.96 * M), "10.0M");
  EXPECT_EQ(size_text(10.6 * M), "11M");
  EXPECT_EQ(size_text(1023.9 * M), "1.0G");
  EXPECT_EQ(size_text(1.55 * G), "1.6G");
  EXPECT_EQ(size_text(640 * G), "640G");
}

TEST(MemoryPlan, TheLimitIsTheOneGivenOrWhatIsFree) {
  EXPECT_EQ(memory_limit({.memory = 12345}), 12345u);
  EXPECT_GT(memory_limit({}), std::size_t(1) << 20);
}

// Compared with trying all sizes: plans that grow, and plans that fall once.
TEST(MemoryPlan, LargestThatFitsIsTheLargest) {
  for (const std::size_t drop : {0, 24, 60, 200})
    for (double limit = 0; limit < 130; limit += 3) {
      const auto plan = [&](std::size_t size) {
        const double bytes = double(size) - (drop > 0 && size >= drop ? 15 : 0);
        return MemoryPlan().add("x", bytes);
      };
      std::size_t expected = 0;
      for (std::size_t size = 4; size <= 98; size += 4)
        if (plan(size).total() <= limit) expected = size;
      EXPECT_EQ(largest_that_fits(98, 4, limit, plan, drop), expected) << "limit " << limit << ", drop " << drop;
    }
}

}  // namespace
}  // namespace bochner
