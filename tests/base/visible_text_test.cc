// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "bochner/visible_text.h"

#include <gtest/gtest.h>

namespace bochner {
namespace {

TEST(VisibleText, LeavesTextAsItIs) {
  for (const char* text : {"", "plain", "größe, 日本, \xf0\x9f\x98\x80", "two\nlines", "a\\x1b"})
    EXPECT_EQ(visible_text(text), text);
}

TEST(VisibleText, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(visible_text("a\x1b[31mb\x7f\r\t"), "a\\x1b[31mb\\x7f\\x0d\\x09");
  EXPECT_EQ(visible_text(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(visible_text("\xc2\x9b"
                         "31m"),
            "\\xc2\\x9b"
            "31m");  // U+009B begins a sequence too
}

TEST(VisibleText, ShowsBytesThatAreNoCharacter) {
  EXPECT_EQ(visible_text("S\xfc"
                         "d"),
            "S\\xfcd");
  EXPECT_EQ(visible_text("\xc3"), "\\xc3");                    // cut
  EXPECT_EQ(visible_text("\xc0\x80"), "\\xc0\\x80");           // too long
  EXPECT_EQ(visible_text("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
}

TEST(VisibleText, OnOneLineHasNoOther) { EXPECT_EQ(one_line("a\nb\tc\x1b"), "a b c\\x1b"); }

}  // namespace
}  // namespace bochner
