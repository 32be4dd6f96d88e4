// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The bochner authors

#include "backend/cpu/amx.h"

#ifdef BOCHNER_AMX
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace bochner::cpu {

bool has_amx([[maybe_unused]] unsigned multiplies) {
#ifdef BOCHNER_AMX
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kXsaveInUse = 1u << 27, kTiles = 1u << 24;
  const unsigned wanted = kTiles | multiplies;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & kXsaveInUse)) return false;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & wanted) != wanted) return false;
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  constexpr unsigned kTileState = 1u << 17 | 1u << 18;
  if ((low & kTileState) != kTileState) return false;
  constexpr int kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

}  // namespace bochner::cpu
