// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/svg.h"

#include <gtest/gtest.h>

#include <cmath>

namespace bochner {
namespace {

TEST(Page, EscapesWhatHtmlWouldRead) {
  EXPECT_EQ(escaped("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escaped("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"), "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped("\xFF"), mark);
  EXPECT_EQ(escaped(std::string_view("a\0b", 3)), "a" + mark + "b");
  EXPECT_EQ(escaped("\xC3"), mark);                        // cut
  EXPECT_EQ(escaped("\xC0\xAF"), mark + mark);             // overlong
  EXPECT_EQ(escaped("\xED\xA0\x80"), mark + mark + mark);  // a surrogate
  EXPECT_EQ(escaped("\xF4\x90\x80\x80"), mark + mark + mark + mark);
}

TEST(Page, ShortensByCharacters) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abcde…");
  EXPECT_EQ(shortened("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", 3), "\xC3\xA9\xC3\xA9…");
  EXPECT_EQ(shortened("", 3), "");
}

TEST(Page, GroupsDigits) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-1234), "-1,234");
}

TEST(Page, AxesHaveRoundTicksInsideForAnyRange) {
  for (const auto& [low, high] :
       {std::pair<double, double>{0, 1}, {-3e-9, 5e-9}, {1e9, 1e9 + 1}, {-17, 1234567}, {2, 2}, {0, 0}}) {
    const Axis axis = round_axis(low, high, 5);
    EXPECT_GT(axis.high, axis.low);
    ASSERT_GE(axis.ticks.size(), 2u) << low << " " << high;
    ASSERT_LE(axis.ticks.size(), 12u);
    for (const double tick : axis.ticks) {
      EXPECT_GE(axis.at(tick), -1e-6);
      EXPECT_LE(axis.at(tick), 1 + 1e-6);
    }
  }
}

TEST(Page, AxesOfDatesHaveTicksAtDaysMonthsOrYears) {
  const auto texts = [](double low, double high) {
    const Axis axis = date_axis(low, high, 3);
    std::string text;
    for (const double tick : axis.ticks) {
      EXPECT_GE(axis.at(tick), 0);
      EXPECT_LE(axis.at(tick), 1);
      text += (text.empty() ? "" : " ") + axis.text(tick);
    }
    return text;
  };
  EXPECT_EQ(texts(19723, 19727), "2024-01-02 2024-01-04");
  EXPECT_EQ(texts(19723.5, 19999), "2024-04 2024-07 2024-10");
  EXPECT_EQ(texts(18262, 19723), "2020 2021 2022 2023 2024");
  EXPECT_EQ(texts(-20000, 20000), "1950 2000");
  EXPECT_NE(texts(19723, 19723), "");
  EXPECT_NE(texts(-719000, 2932000), "");
  EXPECT_EQ(short_number(19723.7, true), "2024-01-01");
}

}  // namespace
}  // namespace bochner
