// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "rows/written_number.h"

#include <gtest/gtest.h>

namespace bochner {
namespace {

using Form = WrittenNumber::Form;

TEST(WrittenNumber, KnowsHowPeopleWriteNumbers) {
  const auto expect = [](Form form, std::initializer_list<const char*> texts) {
    for (const char* text : texts) EXPECT_EQ(int(written_number(text).form), int(form)) << text;
  };
  expect(Form::comma, {"1,25", "-3,5", "0,123", ",5", "12,5e3", "1,234"});
  expect(Form::point, {"1.25", "-.5"});
  expect(Form::grouped, {"1,234,567", "1,234.5", "1.234,5", "1'234", "1 234 567", "-12,345.67", "1 234,5"});
  expect(Form::percent, {"12%", "12.5 %", "-3,5%"});
  expect(Form::currency, {"$9.50", "-$9", "$-9", "9,50 €", "EUR 12", "1,200 USD", "£3"});
  expect(Form::unit, {"12 kg", "3.5 GB", "-2 °C"});
  expect(Form::suffix, {"12kg", "7B", "3+"});
  expect(Form::none, {"", "a", "A3", "K-12", "1.2.3", "12:30", "555-1234", "2024-03-31", "1,2,3", "12 Baker Street",
                      "x1,5", "1,", "(3)", "B 12"});
}

TEST(WrittenNumber, TellsWhatMayBeThousands) {
  for (const char* text : {"1,234", "-999,000"}) EXPECT_TRUE(written_number(text).maybe_thousands) << text;
  for (const char* text : {"0,123", "1,23", "1,2345", "1234,567"})
    EXPECT_FALSE(written_number(text).maybe_thousands) << text;
}

TEST(WrittenNumber, NamesWhatStandsAround) {
  EXPECT_EQ(written_number("12 kg").affix, "kg");
  EXPECT_EQ(written_number("$5").affix, "$");
  EXPECT_EQ(written_number("12%").affix, "%");
}

}  // namespace
}  // namespace bochner
