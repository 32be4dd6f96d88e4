// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/date.h"

#include <gtest/gtest.h>

namespace bochner {
namespace {

using Dates = Column::Dates;

constexpr double kDay = 19813;  // 2024-03-31

TEST(Date, YearFirstIsUnderstoodInEveryOrder) {
  for (const Dates order : {Dates::year_first, Dates::day_first, Dates::month_first})
    for (const char* text : {"2024-03-31", "2024/03/31", "2024.3.31", "2024-03-31T00:00", "2024-03-31 00:00:00Z",
                             "2024-03-31T02:00:00+02:00", "2024-03-30T19:30-04:30", "2024-03-31 12:00:00.000 AM",
                             "2024-03-31T05:30:00+0530", "2024-03-31 00:00 UTC"})
      EXPECT_EQ(parse_date(text, order), kDay) << text;
  EXPECT_EQ(parse_date("1970-01-01", Dates::year_first), 0);
  EXPECT_EQ(parse_date("1969-12-31 12:00", Dates::year_first), -0.5);
  EXPECT_FALSE(parse_date("2024-03-31", Dates::none));
}

TEST(Date, DayAndMonthGoByTheOrder) {
  EXPECT_EQ(parse_date("31/3/2024", Dates::day_first), kDay);
  EXPECT_EQ(parse_date("31-03-2024 00:00", Dates::day_first), kDay);
  EXPECT_EQ(parse_date("31.03.2024", Dates::day_first), kDay);
  EXPECT_EQ(parse_date("03/31/2024 6:00 PM", Dates::month_first), kDay + 0.75);
  EXPECT_EQ(parse_date("3-31-2024", Dates::month_first), kDay);
  EXPECT_FALSE(parse_date("31/3/2024", Dates::month_first));
  EXPECT_FALSE(parse_date("3/31/2024", Dates::day_first));
  EXPECT_FALSE(parse_date("03.04.2024", Dates::month_first)) << "with points the day is first everywhere";
  EXPECT_FALSE(parse_date("31/3/2024", Dates::year_first));
}

TEST(Date, TimesAreFractionsOfADay) {
  EXPECT_NEAR(*parse_date("2024-03-31T10:15:30.25", Dates::year_first), kDay + (10 * 3600 + 15 * 60 + 30.25) / 86400,
              1e-11);
  EXPECT_EQ(parse_date("2024-03-31 12:00 PM", Dates::year_first), kDay + 0.5);
  EXPECT_EQ(parse_date("2024-03-31 23:59:60", Dates::year_first), kDay + 1);
}

TEST(Date, WhatTheCalendarDoesNotHaveIsNoDate) {
  for (const char* text : {"",
                           "2024",
                           "2024-03",
                           "2024-03-31x",
                           "2024-02-30",
                           "2023-02-29",
                           "2024-13-01",
                           "2024-00-10",
                           "2024-01-00",
                           "0000-01-01",
                           "2024-03/31",
                           "24-03-31",
                           "20240331",
                           "2024-03-31T",
                           "2024-03-31 25:00",
                           "2024-03-31 10",
                           "2024-03-31 10:60",
                           "2024-03-31 10:00:61",
                           "2024-03-31 13:00 PM",
                           "2024-03-31 10:00+99:00",
                           "1.2.3",
                           "1.2.345",
                           "192.168.0.1",
                           "555-123-4567",
                           "2024-03-311",
                           "-2024-03-31",
                           "12345-01-01"})
    for (const Dates order : {Dates::year_first, Dates::day_first, Dates::month_first})
      EXPECT_FALSE(parse_date(text, order)) << text;
}

}  // namespace
}  // namespace bochner
