// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "base/option.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bochner/option_spelling.h"

namespace bochner {
namespace {

struct Flags {
  Flags() { spell_options(OptionSpelling::flags); }
  ~Flags() { spell_options(OptionSpelling::fields); }
};

TEST(Option, IsAFieldUnlessTheProgramSaysOtherwise) {
  EXPECT_EQ(fmt::format("raise {}", Option::memory), "raise memory");
  EXPECT_EQ(spelled(Option::max_levels), "max_levels");
  EXPECT_EQ(spelled(Option::missing, "drop"), "missing = drop");
  EXPECT_EQ(spelled(Option::decimal, ","), "decimal = ','");
  EXPECT_EQ(spelled(Option::categories, "a"), "categories = a");
  EXPECT_EQ(fmt::format("train with {}", Option::double_precision), "train with double_precision");
}

TEST(Option, IsAFlagForACommand) {
  const Flags flags;
  EXPECT_EQ(fmt::format("raise {}", Option::memory), "raise --memory");
  EXPECT_EQ(spelled(Option::max_levels), "--max-levels");
  EXPECT_EQ(spelled(Option::missing, "drop"), "--missing drop");
  EXPECT_EQ(spelled(Option::decimal, ","), "--decimal ,");
  EXPECT_EQ(fmt::format("train with {}", Option::double_precision), "train with --precision double");
}

TEST(Option, IsAFlagThatAShellTakesAsItStands) {
  const Flags flags;
  EXPECT_EQ(spelled(Option::categories, "größe_1"), "--category größe_1");
  EXPECT_EQ(spelled(Option::categories, "start date"), "--category 'start date'");
  EXPECT_EQ(spelled(Option::ignore, "it's $HOME"), "--ignore 'it'\\''s $HOME'");
  EXPECT_EQ(spelled(Option::ignore, "a,b"), "--ignore '\"a,b\"'");  // one item of a list
  EXPECT_EQ(spelled(Option::missing_values, "-"), "--missing-values=-");
  EXPECT_EQ(spelled(Option::missing_values, "--"), "--missing-values=--");
  EXPECT_EQ(spelled(Option::ignore, ""), "--ignore ''");
}

}  // namespace
}  // namespace bochner
