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

}  // namespace
}  // namespace bochner
