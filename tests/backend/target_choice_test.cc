// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/cpu/target_choice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "backend/cpu/exact_units.h"
#include "backend/problems.h"

namespace bochner {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = char(std::tolower(c));
  return text;
}

TEST(TargetChoice, KnowsTheTargetsOfThisProcessorInAnyCase) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    const std::string name = hwy::TargetName(target);
    for (const std::string& spelled : {name, lower(name)}) {
      EXPECT_EQ(cpu::parse_target(spelled).best, target);
      EXPECT_TRUE(cpu::parse_target(spelled).units.empty());
      EXPECT_EQ(cpu::parse_target(spelled + "+bf16").best, target);
      EXPECT_EQ(cpu::parse_target(spelled + "+BF16").units, std::vector<std::string>{"bf16"});
      EXPECT_EQ(cpu::parse_target(spelled + "+amx").units, std::vector<std::string>{"amx"});
      EXPECT_EQ(cpu::parse_target(spelled + "+bf16+i8mm").units, (std::vector<std::string>{"bf16", "i8mm"}));
    }
  }
}

TEST(TargetChoice, FusedMultiplyAddsInCodeAreATargetOfTheirOwn) {
  const std::vector<std::int64_t> here = hwy::SupportedAndGeneratedTargets();
  if (std::find(here.begin(), here.end(), HWY_SSE4) == here.end()) GTEST_SKIP() << "no x86-64";
  EXPECT_EQ(cpu::parse_target("sse4+fma").best, HWY_SSSE3);
  EXPECT_EQ(cpu::parse_target("sse4").best, HWY_SSE4);
}

TEST(TargetChoice, RefusesOtherNamesAndSaysWhichThereAre) {
  const std::string in_use = cpu::target_in_use(), best = in_use.substr(0, in_use.find('+'));
  for (const std::string& wrong : {std::string("abacus"), std::string("+bf16"), best + "+abacus", best + "+",
                                   best + " ", best + "+bf16+", best + "+bf16+abacus"})
    try {
      cpu::parse_target(wrong);
      ADD_FAILURE() << wrong;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("BOCHNER_TARGET: found '" + wrong + "'"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find(best), std::string::npos) << error.what();
    }
}

TEST(TargetChoice, NamesWhatIsInUse) {
  const std::string in_use = cpu::target_in_use();
  const cpu::TargetLimit limit = cpu::parse_target(in_use);
  const auto lists = [&](const char* unit) { return std::count(limit.units.begin(), limit.units.end(), unit) == 1; };
  EXPECT_EQ(lists("bf16") || lists("amx"), cpu_backend().has_bfloat16()) << in_use;
  if (&cpu::exact_unit() != &cpu::kExactVectors) {
    EXPECT_TRUE(lists(cpu::exact_unit().name)) << in_use;
  }
}

}  // namespace
}  // namespace bochner
