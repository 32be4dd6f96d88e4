// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#pragma once

// Example:
//   if (const char* fault = processor_fault()) std::puts(fault);
//   std::puts(instructions_in_use().c_str());  // "avx3"

#include <string>

// All of these may be called by any thread.
namespace bochner {

// Null where this processor runs bochner, else one line that says what it lacks. On x86-64 the library is compiled for
// x86-64-v2 (SSE4.2 and POPCNT: Intel since 2009, AMD since 2011) and picks wider instructions at run time; on an older
// processor any other call may end in an illegal instruction. This one runs on every x86-64.
const char* processor_fault() noexcept;

// Reads BOCHNER_TARGET, which limits the instruction sets that are used: std::invalid_argument where it names none that
// this processor has. Any other call does so when it first needs one; this one finds the mistake before any work.
void choose_instructions();
// What is in use, as BOCHNER_TARGET would name it.
std::string instructions_in_use();

}  // namespace bochner
