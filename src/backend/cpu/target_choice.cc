// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/cpu/target_choice.h"

#include "backend/cpu/targets.h"
// After targets.h, which says what Highway builds for.
#include <fmt/format.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "backend/cpu/bfloat16_units.h"
#include "backend/cpu/exact_units.h"
#include "base/require.h"
#include "bochner/processor.h"

namespace bochner::cpu {

namespace {

// The units besides the vectors.
constexpr std::array<std::string_view, 6> kUnits = {"bf16", "amx", "vnni", "i8mm", "dotprod", "fma"};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

// The targets that were built and that this processor has, the best first.
std::vector<std::int64_t> targets_here() { return hwy::SupportedAndGeneratedTargets(); }

std::string name_of(std::int64_t target) { return target == HWY_SSSE3 ? "sse4+fma" : lower(hwy::TargetName(target)); }

std::string join(const std::vector<std::int64_t>& targets) {
  std::string text;
  for (const std::int64_t target : targets) text += (text.empty() ? "" : ", ") + name_of(target);
  return text;
}

struct Choice {
  bool limited = false;
  std::vector<std::string> units;  // what may be used besides, where limited

  Choice() {
    const char* variable = std::getenv("BOCHNER_TARGET");
    if (variable == nullptr || *variable == 0) {
      if (targets_here().front() == HWY_SSE4) hwy::DisableTargets(HWY_SSSE3 - 1);
      return;
    }
    const TargetLimit limit = parse_target(variable);
    limited = true;
    units = limit.units;
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
  TargetLimit limit{0, {}};
  for (std::string_view rest = std::string_view(text).substr(name.size()); !rest.empty();) {
    rest.remove_prefix(1);  // the plus
    limit.units.emplace_back(rest.substr(0, rest.find('+')));
    rest.remove_prefix(limit.units.back().size());
    require(std::find(kUnits.begin(), kUnits.end(), limit.units.back()) != kUnits.end(),
            "BOCHNER_TARGET: found '{}', expected some of +{} behind {}", given, fmt::join(kUnits, ", +"), name);
  }
  // A processor may have this one and not SSE4, for which Highway wants AES as well.
  const bool in_code = name == "sse4" && std::find(limit.units.begin(), limit.units.end(), "fma") != limit.units.end();
  const std::vector<std::int64_t> here = targets_here();
  const auto found = std::find_if(here.begin(), here.end(), [&](std::int64_t target) {
    return in_code ? target == HWY_SSSE3 : lower(hwy::TargetName(target)) == name;
  });
  require(found != here.end(), "BOCHNER_TARGET: found '{}', expected one of {}, which this processor has", given,
          join(here));
  limit.best = *found;
  return limit;
}

void choose_target() { choice(); }

bool may_use(std::string_view unit) {
  const std::vector<std::string>& units = choice().units;
  return !choice().limited || std::find(units.begin(), units.end(), unit) != units.end();
}

std::string target_in_use() {
  choose_target();
  std::string name = name_of(targets_here().front());
  const auto add = [&](const char* unit) {
    const std::string more = fmt::format("+{}", unit);
    if (!name.ends_with(more)) name += more;
  };
  if (const Bfloat16Unit& unit = bfloat16_unit(); &unit != &kTilesInCode) add(unit.name);
  if (const ExactProduct& unit = exact_unit(); &unit != &kExactVectors) add(unit.name);
  return name;
}

}  // namespace bochner::cpu

namespace bochner {

void choose_instructions() { cpu::choose_target(); }
std::string instructions_in_use() { return cpu::target_in_use(); }

}  // namespace bochner
