// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

// Compiled for any x86-64 (see CMakeLists.txt), and calls nothing that could have been compiled for a newer one.

#include "bochner/processor.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace bochner {

const char* processor_fault() noexcept {
#if defined(__x86_64__)
  // x86-64-v2, System V ABI for x86-64, section 3.1.1: SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT and LAHF.
  constexpr unsigned kLeaf1 = bit_SSE3 | bit_SSSE3 | bit_CMPXCHG16B | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT;
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  const bool first = __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & kLeaf1) == kLeaf1;
  const bool second = __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) && (ecx & bit_LAHF_LM);
  if (!first || !second)
    return "processor: it lacks SSE4.2 or POPCNT, expected x86-64-v2 or newer; use a machine of 2011 or later";
#endif
  return nullptr;
}

}  // namespace bochner
