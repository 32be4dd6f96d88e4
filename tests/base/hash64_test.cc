// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/hash64.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace bochner {
namespace {

std::uint64_t of(std::string_view text) { return hash64(std::as_bytes(std::span(text))); }

std::string counted(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = char(i * 131 + 7);
  return text;
}

TEST(Hash64, IsXxh64) {
  EXPECT_EQ(of(""), 0xEF46DB3751D8E999u);
  EXPECT_EQ(of("a"), 0xD24EC4F1A98C6E5Bu);
  EXPECT_EQ(of("abc"), 0x44BC2CF5AD770999u);
  EXPECT_EQ(of("Nobody inspects the spammish repetition"), 0xFBCEA83C8A378BF1u);
}

TEST(Hash64, DoesNotDependOnThePieces) {
  const std::string text = counted(200);
  for (std::size_t size : {0, 1, 7, 8, 31, 32, 33, 63, 64, 65, 127, 200}) {
    const std::string_view all(text.data(), size);
    for (std::size_t first = 0; first <= size; ++first)
      for (std::size_t second : {0, 1, 5, 32, 40}) {
        Hash64 hash;
        hash.add(all.substr(0, first));
        EXPECT_EQ(hash.value(), of(all.substr(0, first)));  // and asking changes nothing
        hash.add(all.substr(first).substr(0, second));
        if (first + second < size) hash.add(all.substr(first + second));
        EXPECT_EQ(hash.value(), of(all)) << size << " in pieces of " << first << " and " << second;
      }
  }
}

TEST(Hash64, EveryChangeOfAByteAndEveryCutGivesAnother) {
  std::string text = counted(71);
  std::set<std::uint64_t> seen = {of(text)};
  for (std::size_t at = 0; at < text.size(); ++at) {
    EXPECT_TRUE(seen.insert(of(std::string_view(text).substr(0, at))).second);
    const char old = text[at];
    for (int change = 1; change < 256; ++change) {
      text[at] = char(old ^ change);
      EXPECT_TRUE(seen.insert(of(text)).second) << at << " xor " << change;
    }
    text[at] = old;
  }
}

}  // namespace
}  // namespace bochner
