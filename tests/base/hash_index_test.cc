// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/hash_index.h"

#include <gtest/gtest.h>

#include <unordered_map>

#include "random/draw.h"

namespace bochner {
namespace {

std::vector<std::uint64_t> repeating_keys(std::size_t count, std::size_t distinct) {
  std::vector<std::uint64_t> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = bits(1, Draw::sample, bits(2, Draw::sample, i) % distinct);
  return keys;
}

TEST(HashIndex, NumbersKeysInOrderOfFirstAppearance) {
  const auto keys = repeating_keys(50000, 9000);
  std::unordered_map<std::uint64_t, std::uint32_t> expected;
  for (const auto key : keys) expected.emplace(key, std::uint32_t(expected.size()));
  HashIndex index;
  std::vector<std::uint32_t> numbers(keys.size());
  index.insert(keys, numbers.data());
  ASSERT_EQ(index.size(), expected.size());
  for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(numbers[i], expected.at(keys[i]));
  index.find(keys, numbers.data());
  for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(numbers[i], expected.at(keys[i]));
}

TEST(HashIndex, FindsNothingThatWasNotInserted) {
  HashIndex index;
  EXPECT_EQ(index.find(0), HashIndex::kNone);
  EXPECT_EQ(index.find(~std::uint64_t(0)), HashIndex::kNone);
  for (std::uint64_t i = 0; i < 5000; ++i) index.insert(bits(3, Draw::sample, i));
  for (std::uint64_t i = 5000; i < 10000; ++i) ASSERT_EQ(index.find(bits(3, Draw::sample, i)), HashIndex::kNone);
}

TEST(HashIndex, HoldsTheExtremeKeysAndWrapsAround) {
  // All begin at the last slot, so probing passes the end.
  HashIndex index;
  for (std::uint64_t i = 0; i < 40; ++i) ASSERT_EQ(index.insert(~std::uint64_t(0) - i), i);
  for (std::uint64_t i = 0; i < 40; ++i) ASSERT_EQ(index.find(~std::uint64_t(0) - i), i);
  EXPECT_EQ(index.insert(0), 40u);
  EXPECT_EQ(index.find(0), 40u);
}

TEST(HashIndex, IsTheSameAfterClearReserveAndRebuildFromItsKeys) {
  const auto keys = repeating_keys(20000, 5000);
  HashIndex fresh, reused;
  std::vector<std::uint32_t> a(keys.size()), b(keys.size());
  reused.insert(repeating_keys(100000, 60000), std::vector<std::uint32_t>(100000).data());
  reused.clear();
  EXPECT_EQ(reused.size(), 0u);
  EXPECT_EQ(reused.find(keys[0]), HashIndex::kNone);
  reused.insert({keys.data(), 100}, b.data());
  reused.reserve(30000);
  reused.insert(keys, b.data());
  fresh.insert(keys, a.data());
  EXPECT_EQ(a, b);
  EXPECT_EQ(fresh.keys(), reused.keys());
  const HashIndex rebuilt(fresh.keys());
  rebuilt.find(keys, b.data());
  EXPECT_EQ(a, b);
}

}  // namespace
}  // namespace bochner
