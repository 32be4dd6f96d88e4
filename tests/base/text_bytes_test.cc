// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/text_bytes.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace bochner {
namespace {

// JSON's own check of UTF-8 is the judge.
bool is_utf8(const std::string& text) { return nlohmann::json::accept(nlohmann::json(text).dump(-1, ' ', false)); }

TEST(TextBytes, OrdinaryTextStaysAsItIs) {
  for (const std::string text : {"", "plain", "é", "日本語", "\U0001F600", "\U0010FEFF", "\n\t\"\\"})
    EXPECT_EQ(text_of(text), text);
}

TEST(TextBytes, AnyBytesBecomeValidTextAndComeBack) {
  std::mt19937 random(3);
  const std::string pieces[] = {"\xF4\x8F\xBC\x80", "\xF4\x8F\xBF\xBF", "\xED\xA0\x80", "\xC0\x80", "\xE9", "a"};
  for (int trial = 0; trial < 20000; ++trial) {
    std::string bytes;
    for (unsigned count = random() % 6; count > 0; --count) {
      if (random() % 2)
        bytes += pieces[random() % 6];
      else
        bytes += char(random());
    }
    const std::string text = text_of(bytes);
    ASSERT_NO_THROW(ASSERT_TRUE(is_utf8(text)));
    ASSERT_EQ(bytes_of(text), bytes);
  }
}

TEST(TextBytes, DifferentBytesGiveDifferentText) { EXPECT_NE(text_of("\xE9"), text_of(text_of("\xE9"))); }

TEST(TextBytes, TreesChangeInKeysAndTexts) {
  const nlohmann::json tree = {{"\xE9", {1, "\xFF", {{"k", "\x80"}}}}};
  const nlohmann::json text = tree_with_text(tree);
  EXPECT_NO_THROW(text.dump());
  EXPECT_EQ(tree_with_bytes(text), tree);
}

}  // namespace
}  // namespace bochner
