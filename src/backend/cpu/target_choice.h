// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bochner::cpu {

// BOCHNER_TARGET in the environment limits the instruction sets that are used, to compare or to imitate another
// machine: the name of one that Highway knows (sse4, avx2, avx3, neon, ...), beyond which none is used; with +bf16 or
// +amx behind it the unit that multiplies bfloat16 is used as well, with +amx, +vnni, +i8mm or +dotprod the one that
// multiplies whole numbers. sse4+fma is Highway's ssse3 and has fused multiply-adds in code (fused-inl.h). Unset: the
// best there is; sse4+fma before sse4, since the same bits on every machine are worth more than speed on old ones.

struct TargetLimit {
  std::int64_t best;               // Highway's bit
  std::vector<std::string> units;  // "bf16", "amx", "vnni", "i8mm", "dotprod", "fma"
};

// What a name means here. Throws std::invalid_argument where it is unknown or this processor does not have it.
TargetLimit parse_target(const std::string& given);

// Reads the variable, once; every way to the vector code passes here first. Throws as parse_target.
void choose_target();

// Whether the unit may be used.
bool may_use(std::string_view unit);

// What is in use, as BOCHNER_TARGET would name it.
std::string target_in_use();

}  // namespace bochner::cpu
