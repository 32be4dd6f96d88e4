// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/cpu/target_choice.h"

#include "backend/cpu/targets.h"
// After targets.h, which says what Highway builds for.
#include <hwy/highway.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "backend/cpu/bfloat16_units.h"
#include "base/require.h"
#include "bochner/processor.h"

namespace bochner::cpu {

namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

// The targets that were built and that this processor has, the best first.
std::vector<std::int64_t> targets_here() { return hwy::SupportedAndGeneratedTargets(); }

std::string join(const std::vector<std::int64_t>& targets) {
  std::string text;
  for (const std::int64_t target : targets) text += (text.empty() ? "" : ", ") + lower(hwy::TargetName(target));
  return text;
}

struct Choice {
  bool limited = false;
  std::string unit;  // what may be used besides, where limited

  Choice() {
    const char* variable = std::getenv("BOCHNER_TARGET");
    if (variable == nullptr || *variable == 0) return;
    const TargetLimit limit = parse_target(variable);
    limited = true;
    unit = limit.unit;
    hwy::DisableTargets(limit.best - 1);  // better ones have lower bits
  }
};

const Choice& choice() {
  static const Choice made;
  return made;
}

}  // namespace

TargetLimit parse_target(const std::string& given) {
  const std::string text = lower(given), name = text.substr(0, text.find('+'));
  const std::vector<std::int64_t> here = targets_here();
  const auto found = std::find_if(here.begin(), here.end(),
                                  [&](std::int64_t target) { return lower(hwy::TargetName(target)) == name; });
  require(found != here.end(), "BOCHNER_TARGET: found '{}', expected one of {}, which this processor has", given,
          join(here));
  const std::string unit = name.size() < text.size() ? text.substr(name.size() + 1) : "";
  require(name.size() == text.size() || unit == "bf16" || unit == "amx",
          "BOCHNER_TARGET: found '{}', expected +bf16 or +amx behind {}", given, name);
  return {*found, unit};
}

void choose_target() { choice(); }

bool may_use(std::string_view unit) { return !choice().limited || choice().unit == unit; }

std::string target_in_use() {
  choose_target();
  std::string name = lower(hwy::TargetName(targets_here().front()));
  for (const Bfloat16Unit* unit : bfloat16_units())
    if (unit != &kTilesInCode && may_use(unit->name) && unit->available()) return name + "+" + unit->name;
  return name;
}

}  // namespace bochner::cpu

namespace bochner {

void choose_instructions() { cpu::choose_target(); }
std::string instructions_in_use() { return cpu::target_in_use(); }

}  // namespace bochner
