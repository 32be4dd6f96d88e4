// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/cpu/target_choice.h"

#include <gtest/gtest.h>

#include <stdexcept>

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
      EXPECT_EQ(cpu::parse_target(spelled).unit, "");
      EXPECT_EQ(cpu::parse_target(spelled + "+bf16").best, target);
      EXPECT_EQ(cpu::parse_target(spelled + "+BF16").unit, "bf16");
      EXPECT_EQ(cpu::parse_target(spelled + "+amx").unit, "amx");
    }
  }
}

TEST(TargetChoice, RefusesOtherNamesAndSaysWhichThereAre) {
  const std::string best = lower(hwy::TargetName(hwy::SupportedAndGeneratedTargets().front()));
  for (const std::string& wrong :
       {std::string("abacus"), std::string("+bf16"), best + "+abacus", best + "+", best + " "})
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
  EXPECT_EQ(limit.unit.empty(), !cpu_backend().has_bfloat16()) << in_use;
}

}  // namespace
}  // namespace bochner
